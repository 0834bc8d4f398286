"""Quantiles, means and variances with 50 digits of mpmath, rounded once.

    python3 quantiles.py > quantiles.txt      (mpmath 1.4.1; a minute or two)

normal u z / mills z R            the standard normal quantile; (1 - Phi(z)) / phi(z)
quantile KIND numbers... u x d    d is the density at x
moments KIND numbers... mean variance
u and the numbers are doubles, exact as printed.
"""
import random
from mpmath import mp, mpf, erfc, exp, log, sqrt, pi, betainc, beta, gamma, quad, findroot

mp.dps = 50
random.seed(7)
TINY = 2.0**-53


def Phi(z):
    return erfc(-z / sqrt(2)) / 2


def solve(f, low, high, steps=230):
    """The root of an increasing function by halves, then by secants."""
    for _ in range(40):
        middle = (low + high) / 2
        if f(middle) < 0: low = middle
        else: high = middle
    return findroot(f, (low, high), solver="anderson", tol=mpf(10) ** -90, maxsteps=300, verify=False)


def solve_log(f, low, high):
    """The same, over the logarithm of x from exp(low) to exp(high)."""
    return exp(solve(lambda s: f(exp(s)), mpf(low), mpf(high)))


def normal(u):
    u = mpf(u)
    if u == mpf(1) / 2: return mpf(0)
    p = min(u, 1 - u)
    z = -solve_log(lambda z: log(p) - log(Phi(-z)), -45, 4)
    return z if u < 0.5 else -z


def phi(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def truncated(mean, sigma, low, high, u):
    mean, sigma, low, high, u = map(mpf, (mean, sigma, low, high, u))
    a, b = max((low - mean) / sigma, mpf(-1e9)), min((high - mean) / sigma, mpf(1e9))
    # In the tails erfc keeps its relative accuracy; mirrored so that differences are of small numbers.
    if a > 0:
        F = lambda z: (Phi(-a) - Phi(-z)) / (Phi(-a) - Phi(-b))
        d = lambda z: phi(z) / (Phi(-a) - Phi(-b)) / sigma
    else:
        F = lambda z: (Phi(z) - Phi(a)) / (Phi(b) - Phi(a))
        d = lambda z: phi(z) / (Phi(b) - Phi(a)) / sigma
    lo, hi = a, b
    if a > 0: hi = min(b, a + 60 / max(a, 1))
    if b < 0: lo = max(a, b - 60 / max(-b, 1))
    if a <= 0 <= b: lo, hi = max(a, -40), min(b, 40)
    z = solve(lambda z: F(z) - u, lo, hi)
    return mean + sigma * z, d(z)


def beta_quantile(a, b, low, high, u):
    a, b, low, high, u = map(mpf, (a, b, low, high, u))
    lower = lambda x: log(betainc(a, b, 0, x, regularized=True)) - log(u)
    upper = lambda y: log(betainc(b, a, 0, y, regularized=True)) - log(1 - u)
    middle = a / (a + b)
    if lower(middle) >= 0:
        x = solve_log(lower, (log(u) + log(a * beta(a, b))) / a - 1 - abs(b) / a, log(middle))
        y = 1 - x
    else:
        y = solve_log(upper, (log(1 - u) + log(b * beta(a, b))) / b - 1 - abs(a) / b, log(1 - middle))
        x = 1 - y
    value = low + x * (high - low) if x < y else high - y * (high - low)
    return value, x ** (a - 1) * y ** (b - 1) / beta(a, b) / (high - low)


def show(*words):
    print(*(word if isinstance(word, str) else repr(float(word)) for word in words), flush=True)


US = [TINY, 1e-10, 1e-4, 0.07, 0.25, 0.5, 0.6180339887498949, 0.925, 0.9999, 1 - 1e-10, 1 - TINY]
us = [1e-300, 1e-100, 1e-30, 1e-17, TINY, 1e-12, 1e-11, 1.3887943864964021e-11, 1e-8, 1e-5, 0.001, 0.01, 0.02425, 0.074, 0.075, 0.0751, 0.1, 0.2, 0.3,
      0.4, 0.45, 0.4999, 0.49999999, 0.5, 0.5 + 2**-53, 0.500001, 0.6, 0.7, 0.8, 0.9, 0.924, 0.9251, 0.975, 0.99, 0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, 1 - 1e-15, 1 - TINY]
us += [random.random() for _ in range(60)] + [10 ** random.uniform(-16, -1) for _ in range(60)]
for u in us:
    show("normal", u, normal(u))
for z in (0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, 2.5, 2.999, 3.0, 3.5, 4.0, 5.0, 7.5, 10.0, 30.0, 100.0, 1e4, 1e8):
    show("mills", z, Phi(-mpf(z)) / phi(mpf(z)))

for numbers in (
    (0.0, 1.0, -1.0, 1.0),
    (600.0, 30.0, 550.0, 700.0),
    (0.0, 1.0, -1e300, 1e300),
    (0.0, 1.0, -8.0, 0.5),
    (0.0, 1.0, 0.0, 3.0),
    (0.0, 1.0, 2.0, 3.0),
    (0.0, 1.0, -9.0, -7.0),
    (0.0, 1.0, 30.0, 31.0),
    (0.0, 1.0, 30.0, 1e9),
    (-1000.0, 1.0, 0.0, 1.0),
    (0.0, 2.0, -1e6, -2e5),
    (0.0, 1.0, -1e-8, 1e-8),
    (0.0, 1.0, 1.0, 1.00001),
    (5.0, 1e9, 3.0, 4.0),
    (0.0, 1e-3, 1.0, 2.0),
):
    for u in US:
        show("quantile", "truncated_normal", *numbers, u, *truncated(*numbers, u))
    mean, sigma, low, high = map(mpf, numbers)
    a, b = max((low - mean) / sigma, mpf(-1e9)), min((high - mean) / sigma, mpf(1e9))
    with mp.workdps(120):
        if a > 0: Z = Phi(-a) - Phi(-b)
        else: Z = Phi(b) - Phi(a)
        m = (phi(a) - phi(b)) / Z
        v = 1 + (a * phi(a) - b * phi(b)) / Z - m * m
        show("moments", "truncated_normal", *numbers, mean + sigma * m, sigma * sigma * v)

for numbers in (
    (1.0, 1.0, 0.0, 1.0),
    (0.5, 0.5, 0.0, 1.0),
    (2.0, 5.0, 0.0, 1.0),
    (5.0, 2.0, -3.0, 7.0),
    (0.05, 3.0, 0.0, 1.0),
    (3.0, 0.05, 0.0, 1.0),
    (0.001, 0.001, 0.0, 1.0),
    (9.5, 300.0, 0.0, 1.0),
    (12.0, 15.0, 0.0, 1.0),
    (40.0, 2000.0, 100.0, 200.0),
    (0.7, 3000.0, 0.0, 1.0),
    (3000.0, 2000.0, 0.0, 1.0),
):
    for u in US:
        show("quantile", "beta", *numbers, u, *beta_quantile(*numbers, u))
    a, b, low, high = map(mpf, numbers)
    show("moments", "beta", *numbers, low + (high - low) * a / (a + b), (high - low) ** 2 * a * b / (a + b) ** 2 / (a + b + 1))

for shape, scale, start in ((1.0, 1.0, 0.0), (0.5, 3.0, 0.0), (1.7, 40.0, -5.0), (30.0, 1.0, 0.0)):
    for u in US:
        k, s, f = mpf(shape), mpf(scale), mpf(start)
        t = -log(1 - mpf(u))
        x = f + s * t ** (1 / k)
        show("quantile", "weibull", shape, scale, start, u, x, k / s * t ** ((k - 1) / k) * exp(-t))
    show("moments", "weibull", shape, scale, start, f + s * gamma(1 + 1 / k), s * s * (gamma(1 + 2 / k) - gamma(1 + 1 / k) ** 2))
for mean, start in ((1.0, 0.0), (25.0, 600.0)):
    for u in US:
        t = -log(1 - mpf(u))
        show("quantile", "exponential", mean, start, u, mpf(start) + mpf(mean) * t, exp(-t) / mean)
    show("moments", "exponential", mean, start, mpf(start) + mpf(mean), mpf(mean) ** 2)
for mu, sigma in ((0.0, 1.0), (-3.0, 0.25), (5.0, 2.0)):
    for u in US:
        z = normal(u)
        x = exp(mpf(mu) + mpf(sigma) * z)
        show("quantile", "lognormal", mu, sigma, u, x, phi(z) / (x * mpf(sigma)))
    m, s = mpf(mu), mpf(sigma) ** 2
    show("moments", "lognormal", mu, sigma, exp(m + s / 2), (exp(s) - 1) * exp(2 * m + s))
for mean, sigma in ((600.0, 30.0), (-2.0, 1e-6)):
    for u in US:
        z = normal(u)
        show("quantile", "normal", mean, sigma, u, mpf(mean) + mpf(sigma) * z, phi(z) / mpf(sigma))
    show("moments", "normal", mean, sigma, mpf(mean), mpf(sigma) ** 2)
for numbers in ((0.0, 0.0, 1.0), (-1.0, 0.5, 3.0), (100.0, 101.0, 101.0)):
    low, mode, high = map(mpf, numbers)
    for u in US:
        p = mpf(u)
        rise = (mode - low) / (high - low)
        if p < rise: x, d = low + sqrt(p * (high - low) * (mode - low)), 0
        else: x, d = high - sqrt((1 - p) * (high - low) * (high - mode)), 0
        d = 2 * (x - low) / (high - low) / (mode - low) if p < rise else 2 * (high - x) / (high - low) / (high - mode)
        show("quantile", "triangular", *numbers, u, x, d)
    show("moments", "triangular", *numbers, (low + mode + high) / 3, (low**2 + mode**2 + high**2 - low * mode - low * high - mode * high) / 18)
for low, high in ((0.0, 1.0), (-7.5, 1e6)):
    for u in US:
        show("quantile", "uniform", low, high, u, mpf(low) + mpf(u) * (mpf(high) - mpf(low)), 1 / (mpf(high) - mpf(low)))
    show("moments", "uniform", low, high, (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) ** 2 / 12)
