"""Stands for a simulator: the period (s) and the apoapsis (km) of an orbit around the Earth.

Leaves one number in a JSON file and prints the other as `key = value`.
"""

import argparse
import json
import math

MU = 398600.4415  # km^3/s^2

parser = argparse.ArgumentParser()
parser.add_argument("--sma", type=float, required=True)
parser.add_argument("--ecc", type=float, required=True)
parser.add_argument("--out", required=True)
given = parser.parse_args()

with open(given.out, "w", encoding="ascii") as file:
    json.dump({"period_s": math.tau * math.sqrt(given.sma**3 / MU)}, file)
print("apoapsis =", given.sma * (1 + given.ecc))
