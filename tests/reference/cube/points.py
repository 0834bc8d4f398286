"""Unscrambled points of scipy.stats.qmc.

    python3 points.py > points.txt      (scipy 1.17.1)

sobol / halton: number of the point, dimensions from 0 (sobol: a few of 1111), the coordinates.
discrepancy: centred L2 discrepancy (not squared) of the first 64 unscrambled points in 3 dimensions.
"""
import numpy
from scipy.stats import qmc

COUNT = 1111
SHOWN = [0, 1, 2, 3, 4, 7, 31, 100, 999, 1110]

sobol = qmc.Sobol(COUNT, scramble=False, bits=60)
for run in [*range(20), 63, 64, 1000, 4095, 65536, 1234567, 2**31 - 5, 2**40 + 12345, 2**52 + 987654321]:
    if run < 70000:
        engine = qmc.Sobol(COUNT, scramble=False, bits=31)
        if run:
            engine.fast_forward(run)
        point = engine.random(1)[0]
    else:
        # scipy counts one by one: the XOR of the direction numbers of the bits of run's Gray code
        gray, quasi = run ^ run >> 1, numpy.zeros(COUNT, dtype=object)
        for bit in range(60):
            if gray >> bit & 1:
                quasi = quasi ^ numpy.array([int(v) for v in sobol._sv[:, bit]], dtype=object)
        point = [int(q) / 2**60 for q in quasi]
    print("sobol", run, *(repr(float(point[d])) for d in SHOWN))
for run in [*range(20), 63, 64, 1000, 4095, 65536, 1234567, 2**31 - 5, 2**40 + 12345, 2**52 + 987654321]:
    engine = qmc.Halton(30, scramble=False)
    if run:
        engine.num_generated = run
    print("halton", run, *(repr(float(x)) for x in engine.random(1)[0]))
for name, kind in (("sobol", qmc.Sobol), ("halton", qmc.Halton)):
    print("discrepancy", name, repr(float(qmc.discrepancy(kind(3, scramble=False).random(64), method="CD")) ** 0.5))
