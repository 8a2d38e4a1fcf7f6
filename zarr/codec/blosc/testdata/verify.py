#!/usr/bin/env python3
"""Has numcodecs decode the frames that this package makes. Needs go in the path.

    venv/bin/python verify.py

Prints how many frames were read and, beside it, how their headers and sizes compare with those that numcodecs makes of
the same data. Exits with 1 when a frame is not read or holds something else.
"""
import base64
import collections
import json
import os
import subprocess
import sys

from numcodecs import blosc

HERE = os.path.dirname(os.path.abspath(__file__))
ours = subprocess.run(["go", "run", "./testdata/peer"], cwd=os.path.dirname(HERE), check=True, capture_output=True, text=True)
known = blosc.list_compressors()
bad, count, ratio = 0, collections.Counter(), collections.defaultdict(lambda: [0, 0])
for line in ours.stdout.splitlines():
    c = json.loads(line)
    if c["cname"] not in known:
        count[c["cname"] + " unknown to this numcodecs"] += 1
        continue
    frame, plain = base64.b64decode(c["frame"]), base64.b64decode(c["data"])
    try:
        same = blosc.decompress(frame) == plain
    except Exception as e:
        same, c["error"] = False, str(e)
    if not same:
        bad += 1
        print("BAD", {k: v for k, v in c.items() if k not in ("frame", "data")}, frame[:16].hex(), len(frame))
        continue
    count["read"] += 1
    theirs = blosc.compress(plain, c["cname"].encode(), c["level"], c["shuffle"], c["block"], c["type"])
    count["same bytes" if theirs == frame else "same header but for the size" if theirs[:12] == frame[:12] else "other header"] += 1
    if theirs[:12] != frame[:12] and "-v" in sys.argv:
        print("header", {k: v for k, v in c.items() if k not in ("frame", "data")}, frame[:16].hex(), theirs[:16].hex())
    r = ratio[c["cname"]]
    r[0] += len(frame)
    r[1] += len(theirs)
print(dict(count), {k: f"size {a / b:.3f} of numcodecs'" for k, (a, b) in ratio.items()})
sys.exit(bad > 0 or count["read"] == 0)
