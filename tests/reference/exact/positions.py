"""Positions from the Earth out of an SPK kernel (little-endian, one segment a body) in exact rational arithmetic.

    python3 positions.py de421.bsp > de421_positions.txt

Columns: body, TDB (JD - 2430000, exact in binary), X Y Z (km), rounded once. de421.bsp is in the wheel skyfield-data 7.0.0,
the kernel of DE405 in gmatpy 0.2.1 (data/planetary_ephem/spk).
"""
import struct
import sys
from fractions import Fraction

DATES = (12000.25, 18000.5, 21545.0, 30000.0, 31041.125, 35000.75, 39000.875)
BODIES = {"Sun": 10, "Mercury": 1, "Venus": 2, "Mars": 4, "Jupiter": 5, "Saturn": 6, "Uranus": 7, "Neptune": 8, "Pluto": 9, "Luna": 301}
kernel = open(sys.argv[1], "rb").read()
segments = {}
record = struct.unpack_from("<i", kernel, 76)[0]
while record:
    start = (record - 1) * 1024
    following, _, count = struct.unpack_from("<3d", kernel, start)
    for number in range(int(count)):
        first, last, target, center, frame, kind, begin, end = struct.unpack_from("<2d6i", kernel, start + 24 + 40 * number)
        segments[target] = (first, last, begin, end)
    record = int(following)


def covered(date):
    return segments[10][0] <= (date - 21545) * 86400 < segments[10][1]


def position(target, date):
    _, _, begin, end = segments[target]
    init, length, size, count = struct.unpack_from("<4d", kernel, (end - 4) * 8)
    size, seconds = int(size), (Fraction(date) - 21545) * 86400
    number = int((seconds - Fraction(init)) // Fraction(length))
    words = struct.unpack_from(f"<{size}d", kernel, (begin - 1 + number * size) * 8)
    tau, terms = (seconds - Fraction(words[0])) / Fraction(words[1]), (size - 2) // 3
    values = [Fraction(1), tau]
    while len(values) < terms:
        values.append(2 * tau * values[-1] - values[-2])
    return [sum(Fraction(words[2 + terms * axis + k]) * values[k] for k in range(terms)) for axis in range(3)]


for date in filter(covered, DATES):
    barycenter, earth = position(3, date), position(399, date)
    for name, target in BODIES.items():
        r = position(target, date)
        if target == 301:
            seen = [moon - e for moon, e in zip(r, earth)]
        else:
            seen = [body - (b + e) for body, b, e in zip(r, barycenter, earth)]
        print(name, date, *(repr(float(x)) for x in seen))
