"""run.py JOBS: does every job of the file, a JSON list, and says one line of JSON for each, in order.

A job has do (write or read a row, save or load a dataset), peer, place, path and what is to be written or read.
"""

import functools
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import peers
import places
import rows


@functools.lru_cache(maxsize=None)
def peer(name, url):
    return peers.peer(name, places.Place(url))


def write(job):
    row = job["row"]
    peer(job["peer"], job["place"]).write(row, job["path"])
    return {"sha256": rows.digest(rows.raw(rows.expected(row)))}


def read(job):
    row = job["row"]
    got = peer(job["peer"], job["place"]).read(row, job["path"])
    want = rows.expected(row)
    dtype = np.dtype(row["dtype"])
    if got.dtype not in (dtype.newbyteorder("<"), dtype.newbyteorder(">")):
        return {"differs": f"data type {got.dtype}"}
    if got.shape != want.shape:
        return {"differs": f"shape {got.shape}"}
    g, w = rows.raw(got), rows.raw(want)
    if g != w:
        size = want.dtype.itemsize
        k = next(i for i in range(0, len(w), size) if g[i:i + size] != w[i:i + size])
        return {"differs": f"element {k // size} is {g[k:k + size].hex()}, want {w[k:k + size].hex()}"}
    return {"sha256": rows.digest(g)}


def via(peer):
    return peer.partition("/")[2]


def save(job):
    import dataset

    return dataset.save(places.Place(job["place"]), via(job["peer"]), job["path"], job["format"])


def load(job):
    import dataset

    return dataset.load(places.Place(job["place"]), via(job["peer"]), job["path"], job["format"], job.get("consolidate"))


def do(job):
    try:
        return {"write": write, "read": read, "save": save, "load": load}[job["do"]](job)
    except Exception as e:
        return {"error": rows.reason(e)}


def main(path):
    with open(path) as f:
        jobs = json.load(f)
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(do, jobs):
            sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    os._exit(0)  # the libraries' event loops and sessions cannot all be closed in an order that suits them


main(*sys.argv[1:])
