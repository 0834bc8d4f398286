"""Makes draws.txt beside this file: what gmat-sweep, numpy and scipy draw.

    python3 -m venv venv && venv/bin/pip install gmat-sweep==0.6.0 && venv/bin/python make.py

Numbers are the bits of doubles in hexadecimal. The draws are made by gmat-sweep's own functions, except the digests:
the SHA-256 of a million numbers, little-endian, of numpy's and scipy's functions underneath.
"""

import os

# With AVX-512 numpy takes exp from another library, and its last bits with it.
os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
if os.environ.get("WITH_AVX512"):  # to see how many draws differ
    del os.environ["NPY_DISABLE_CPU_FEATURES"]

import hashlib
import math
import pathlib
import platform
import sys
import warnings

warnings.simplefilter("ignore", ImportWarning)
import numpy as np
import scipy
from gmat_sweep import __version__, distributions, grids
from scipy.stats import norm, qmc

SEEDS = [0, 42, 2**32, 2**63, 2**130 + 12345]
NAMES = ["Sat.SMA", "Coast.Duration", "Größe.Ω", "衛星.質量", "🛰.Cd"]
SPECS = {
    "normal": [(600.0, 30.0), (0.0, 1.0), (-7000.25, 1e-9), (1e300, 1e298), (0.1, 0.005)],
    "uniform": [(0.0, 1.0), (-180.0, 180.0), (6800.1, 6800.2), (-1e-300, 1e-300), (-3.0, 1e16)],
    "lognormal": [(0.0, 1.0), (0.5, 0.25), (-20.0, 3.0), (600.0, 0.01), (-0.1, 1e-6)],
}
HYPERCUBES = [(0, 1, 1), (42, 3, 7), (2**63, 5, 41), (2**130 + 12345, 2, 256)]

lines = []


def bits(values):
    return " ".join(f"{word:016x}" for word in np.asarray(values, dtype="<f8").view("<u8").ravel())


def line(*words):
    lines.append("\t".join(str(word) for word in words))


def digest(what, seed, values):
    line("digest", what, seed, hashlib.sha256(np.ascontiguousarray(values, dtype="<f8").tobytes()).hexdigest())


libc = " ".join(platform.libc_ver())
line(f"# numpy {np.__version__}, scipy {scipy.__version__}, gmat-sweep {__version__}, {libc}, {platform.machine()}; by make.py")

for kind, pairs in SPECS.items():
    perturb = {name: (kind, *pair) for name, pair in zip(NAMES, pairs)}
    for seed in SEEDS:
        specs = grids.expand_monte_carlo_to_run_specs(perturb, 40, seed, "a.script", "out")
        if kind == "normal":
            line("seeds", seed, " ".join(f"{spec.seed:x}" for spec in specs))
        for name, (_, a, b) in perturb.items():
            line("draws", kind, repr(a), repr(b), seed, name, 0, bits([spec.overrides[name] for spec in specs]))

# Runs whose number has two words: no list of so many seeds can be made, so the child is made by itself.
for seed in SEEDS:
    for run in [2**32 - 1, 2**32, 10**12, 2**53 - 1]:
        run_seed = int(np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(1)[0])
        for kind, pairs in SPECS.items():
            value = distributions.sample((kind, *pairs[1]), distributions.derive_param_seed(run_seed, NAMES[2]))
            line("draws", kind, repr(pairs[1][0]), repr(pairs[1][1]), seed, NAMES[2], run, bits([value]))

for seed, columns, runs in HYPERCUBES:
    kinds = list(SPECS)
    perturb = {name: (kinds[(i + 1) % 3], *SPECS[kinds[(i + 1) % 3]][0]) for i, name in enumerate(NAMES[:columns])}
    samples = grids.latin_hypercube_samples(perturb, runs, seed)
    for column, name in enumerate(samples.columns):
        kind, a, b = perturb[name]
        line("hypercube", seed, columns, runs, column, name, kind, repr(a), repr(b), bits(samples[name]))
for seed, columns, runs in [(0, 4, 100_000), (2**63, 1, 70_000), (2**130 + 12345, 7, 1000), (5, 1, 65_536)]:
    digest(f"hypercube {columns} {runs}", seed, qmc.LatinHypercube(d=columns, seed=seed).random(n=runs))

million = 1_000_000
powers = 2.0 ** -(np.arange(million) % 1000.0)
for seed in [0, 2**130 + 12345]:
    digest("uniform", seed, np.random.default_rng(seed).uniform(0.0, 1.0, million))
    digest("normal", seed, np.random.default_rng(seed).standard_normal(million))
    digest("exp", seed, np.exp(0.5 * np.random.default_rng(seed).standard_normal(million)))
    digest("wide exp", seed, np.exp(1450.0 * np.random.default_rng(seed).random(million) - 750.0))
    digest("quantile", seed, norm.ppf(np.random.default_rng(seed).random(million)))
    digest("tail quantile", seed, norm.ppf(np.random.default_rng(seed).random(million) * powers))
    # The functions of the C library that numpy and scipy call.
    uniform = np.random.default_rng(seed).random(million)
    digest("libm exp", seed, [math.exp(x) for x in 20.0 * uniform - 10.0])
    digest("libm log", seed, [math.log(x) for x in 0.9 + 0.2 * uniform])
    digest("libm small log", seed, [math.log(x) for x in np.maximum(uniform * powers * 2.0**-60, 5e-324)])
    digest("libm log1p", seed, [math.log1p(-x) for x in uniform])
    digest("libm small log1p", seed, [math.log1p(-x) for x in uniform * powers])
    # Where its branches meet: 1 + x just above 2^-k, and where 2^-k sqrt(2) is.
    edges = 0.5 ** (1.0 + np.arange(million) % 50) * (1.0 + 0x6A09E / 2.0**20 * (np.arange(million) % 2))
    digest("libm log1p edges", seed, [math.log1p(x) for x in edges * (1.0 + uniform * 2.0**-20) - 1.0])
ends = [0.0, 1.0, -0.5, 1.5, math.nan, 0.5, math.exp(-2.0), 1.0 - math.exp(-2.0), 5e-324, 1.0 - 2.0**-53]
SPECS["lognormal"].append((-800.0, 0.5))  # its scale is 0: scipy draws 0 and has no quantile
line("draws", "lognormal", -800.0, 0.5, 0, NAMES[0], 0, bits([distributions.sample(("lognormal", -800.0, 0.5), 1)]))
for kind, pairs in SPECS.items():
    for pair in pairs:
        line("ends", kind, repr(pair[0]), repr(pair[1]), bits(ends), bits(distributions.to_rv_frozen((kind, *pair)).ppf(ends)))

text = "\n".join(lines) + "\n"
if sys.argv[1:] == ["-"]:
    sys.stdout.write(text)
else:
    pathlib.Path(__file__).with_name("draws.txt").write_text(text, encoding="utf-8")
