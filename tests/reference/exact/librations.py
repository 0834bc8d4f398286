"""Librations of the Moon out of JPL's binary file of DE405 (little-endian) in exact rational arithmetic.

    python3 librations.py lnxp1600p2200.405 > de405_librations.txt

Columns: TDB (JD - 2430000, exact in binary), phi theta psi (rad), their rates (rad/s), each rounded once.
"""
import struct
import sys
from fractions import Fraction

DATES = (12000.25, 14600.5, 18000.5, 21545.0, 30000.0, 31041.125, 35000.75, 39000.875, 58000.0625)
data = open(sys.argv[1], "rb").read()
place, terms, granules = struct.unpack_from("<3i", data, 3 * 84 + 400 * 6 + 44 + 12 * 12 + 4)
words = place - 1 + 3 * terms * granules
begin, after = struct.unpack_from("<2d", data, 2 * words * 8)

for date in DATES:
    days = Fraction(date) + 2430000 - Fraction(begin)
    record, rest = divmod(days, Fraction(after - begin))
    length = Fraction(after - begin) / granules
    granule, rest = divmod(rest, length)
    tau = 2 * rest / length - 1
    at = ((int(record) + 2) * words + place - 1 + int(granule) * 3 * terms) * 8
    numbers = [Fraction(number) for number in struct.unpack_from(f"<{3 * terms}d", data, at)]
    values, slopes = [Fraction(1), tau], [Fraction(0), Fraction(1)]
    while len(values) < terms:
        slopes.append(2 * tau * slopes[-1] + 2 * values[-1] - slopes[-2])
        values.append(2 * tau * values[-1] - values[-2])
    angles = [sum(numbers[terms * angle + k] * values[k] for k in range(terms)) for angle in range(3)]
    rates = [sum(numbers[terms * angle + k] * slopes[k] for k in range(terms)) * 2 / (length * 86400) for angle in range(3)]
    print(date, *(repr(float(x)) for x in angles + rates))
