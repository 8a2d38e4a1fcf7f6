#!/usr/bin/env python3
"""Writes frames.zip and MANIFEST with the C library inside numcodecs.

    python -m venv venv && venv/bin/pip install numcodecs==0.16.6 && venv/bin/python generate.py

An entry of the archive is named kind-size-cname-level-shuffle-typesize-blocksize and holds one frame. What it decodes
to is computed from kind and size, here and in vectors_test.go.
"""
import os
import sys
import zipfile

import numcodecs
import numpy as np
from numcodecs import blosc

HERE = os.path.dirname(os.path.abspath(__file__))


def data(kind, size):
    """ramp: int32 numbers, each 16 times; noise: the high bytes of a linear congruential generator; mixed: half and half."""
    ramp = (np.arange(size // 4 + 1, dtype="<i4") // 16).view("u1")[:size]
    if kind == "ramp":
        return ramp.tobytes()
    state, out = 1, np.empty(size, "u1")
    for i in range(size):
        state = (state * 1664525 + 1013904223) % 2**32
        out[i] = state >> 24
    if kind == "noise":
        return out.tobytes()
    at = np.arange(size)
    return np.where((at >> 9) & 1, out, ramp).astype("u1").tobytes()


def cases():
    names = blosc.list_compressors()
    for cname in names:
        for shuffle in (0, 1, 2):
            for ts in (1, 2, 3, 4, 8, 12, 16, 17, 255):
                yield "ramp", 9001, cname, 5, shuffle, ts, 4352  # split, and a last block that is shorter
            for ts in (2, 4, 8):
                yield "mixed", 1100, cname, 5, shuffle, ts, 600
            for size in (1, 7, 127, 128, 129, 1000, 1024):
                yield "ramp", size, cname, 5, shuffle, 4, 0
            for level in (0, 1, 9):
                yield "ramp", 4000, cname, level, shuffle, 4, 0
            yield "noise", 200, cname, 5, shuffle, 4, 0
            yield "ramp", 140007, cname, 1, shuffle, 4, 0


def main():
    done = set()
    with zipfile.ZipFile(os.path.join(HERE, "frames.zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for case in cases():
            if case in done:
                continue
            done.add(case)
            kind, size, cname, level, shuffle, ts, block = case
            plain = data(kind, size)
            frame = blosc.compress(plain, cname.encode(), level, shuffle, block, ts)
            assert blosc.decompress(frame) == plain
            z.writestr(zipfile.ZipInfo("-".join(str(x) for x in case), (2026, 1, 1, 0, 0, 0)), frame, zipfile.ZIP_DEFLATED)
    libs = ", ".join(sorted(blosc.list_compressors()))
    with open(os.path.join(HERE, "MANIFEST"), "w") as f:
        f.write(
            f"frames.zip\n  writer   numcodecs {numcodecs.__version__}, c-blosc {blosc.VERSION_STRING} ({libs}), numpy {np.__version__}, Python {sys.version.split()[0]}\n"
            f"  frames   {len(done)}\n  script   generate.py\n  checked  vectors_test.go\n"
        )
    print(len(done), "frames,", os.path.getsize(os.path.join(HERE, "frames.zip")), "bytes")


main()
