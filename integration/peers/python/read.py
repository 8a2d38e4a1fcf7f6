"""read.py ROWS PLACE: every peer reads every row at PLACE/<row's name> and compares each element. One line of JSON for each."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import peers
import rows


def read(job):
    peer, row = job
    said = dict(peer=peer.name, name=row["name"])
    try:
        got = peer.read(row, row["name"])
    except Exception as e:
        return dict(said, error=rows.reason(e))
    want = rows.expected(row)
    if got.dtype != np.dtype(row["dtype"]).newbyteorder("=") and got.dtype != np.dtype(row["dtype"]).newbyteorder(">"):
        return dict(said, differs=f"data type {got.dtype}")
    if got.shape != want.shape:
        return dict(said, differs=f"shape {got.shape}")
    g, w = rows.raw(got), rows.raw(want)
    if g != w:
        size = want.dtype.itemsize
        k = next(i for i in range(0, len(w), size) if g[i:i + size] != w[i:i + size])
        return dict(said, differs=f"element {k // size} is {g[k:k + size].hex()}, want {w[k:k + size].hex()}")
    return dict(said, sha256=rows.digest(g))


def main(path, url):
    place = peers.Place(url)
    jobs = [(p, r) for p in peers.all_peers(place) for r in rows.load(path)]
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(read, jobs):
            rows.say(**result)


main(*sys.argv[1:])
