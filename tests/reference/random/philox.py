"""Philox4x64-10 of numpy, and keys by hashlib.

    python3 philox.py > philox.txt      (numpy 2.4.6)

philox: key (2 words), counter (4), random words (4), all hexadecimal. numpy counts up before it draws.
key: seed, name, run, draw, then the two words of the key and the random bits, hexadecimal.
"""
import hashlib
import numpy

ONES = 2**64 - 1


def words(key, counter):
    before = (sum(word << 64 * i for i, word in enumerate(counter)) - 1) % 2**256
    before = [before >> 64 * i & ONES for i in range(4)]
    generator = numpy.random.Philox(key=numpy.array(key, numpy.uint64), counter=numpy.array(before, numpy.uint64))
    return [int(word) for word in generator.random_raw(4)]


for key, counter in (
    ((0, 0), (0, 0, 0, 0)),
    ((ONES, ONES), (ONES, ONES, ONES, ONES)),
    ((0x452821e638d01377, 0xbe5466cf34e90c6c), (0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89)),
    ((1, 0), (0, 0, 0, 0)),
    ((0, 1), (0, 0, 0, 0)),
    ((0, 0), (1, 0, 0, 0)),
    ((0, 0), (0, 1, 0, 0)),
    ((0, 0), (0, 0, 1, 0)),
    ((0, 0), (0, 0, 0, 1)),
    ((20260101, 42), (10**8, 0, 0, 0)),
    ((20260101, 42), (2**53 - 1, 17, 0, 0)),
    ((ONES, 0), (ONES, 1, 0, 0)),
):
    print("philox", *(f"{word:x}" for word in (*key, *counter, *words(key, counter))))

for seed, name, run, draw in (
    (0, "Sat.SMA", 0, 0),
    (0, "Sat.SMA", 1, 0),
    (42, "Sat.ECC", 99999999, 1),
    (2**64 - 1, "Burn.Element1", 2**53 - 1, 2),
    (1, "grüße", 12345, 0),
    (7, "coast_s", 0, 2**40),
):
    hashed = hashlib.sha256(seed.to_bytes(8, "little") + name.encode()).digest()
    key = [int.from_bytes(hashed[at : at + 8], "little") for at in (0, 8)]
    print("key", seed, name, run, draw, *(f"{word:x}" for word in (*key, words(key, (run, draw, 0, 0))[0])))
