"""serve.py LIBRARY: stays up and does the jobs that come by standard input, one JSON object in a line, some at a time, and says one
line of JSON for each, in any order. It ends when its input does.

A job has id, which is in its answer too, do (write or read a row, save or load a dataset, save-masked or
look-masked that of TestMasked, write-type or read-type an array of
TestTypes, write-chain or read-chain one of TestCodecs, write-boxes or read-boxes one of TestShards or TestRectilinear), peer, place, path
and what is to be written or read.
"""

import functools
import importlib
import json
import os
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import chains
import datatypes
import rows

# The modules of the libraries that have rows and types.
MODULES = {"zarr-python": "zarr3", "zarr-python-3.4": "zarr3", "zarr-python-2": "zarr2", "tensorstore": "tensor", "zarrs": "rust"}
OWN_FOLDERS = ("zarr-python-2", "zarrs")  # these are only in directories

one_line = threading.Lock()


def module(peer):
    return importlib.import_module(MODULES[peer.partition("/")[0]])


@functools.lru_cache(maxsize=None)
def peer(name, url):
    if name in OWN_FOLDERS:
        return module(name).Rows(url, "")
    import places

    return module(name).Rows(places.Place(url), via(name))


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
    import places

    return dataset.save(places.Place(job["place"]), via(job["peer"]), job["path"], job["format"])


def load(job):
    import dataset
    import places

    return dataset.load(places.Place(job["place"]), via(job["peer"]), job["path"], job["format"], job.get("consolidate"))


def save_masked(job):
    import masked

    return masked.save(os.path.join(job["place"], job["path"]), job["format"])


def look_masked(job):
    import masked

    return masked.look(os.path.join(job["place"], job["path"]), job["format"])


def save_random(job):
    import random_cf

    return random_cf.save(os.path.join(job["place"], job["path"]), job["format"], **job["array"])


def save_labels(job):
    import random_labels

    return random_labels.save(os.path.join(job["place"], job["path"]), job["format"], **job["array"])


def save_reductions(job):
    import random_reductions

    return random_reductions.save(os.path.join(job["place"], job["path"]), job["format"], **job["array"])


def write_type(job):
    module(job["peer"]).Types().write(datatypes.Array(job["array"]), os.path.join(job["place"], job["path"]))
    return {}


def read_type(job):
    return {"values": module(job["peer"]).Types().read(datatypes.Array(job["array"]), os.path.join(job["place"], job["path"]))}


def write_chain(job):
    module(job["peer"]).Chains().write(chains.Array(job["array"]), os.path.join(job["place"], job["path"]))
    return {}


def read_chain(job):
    return {"values": module(job["peer"]).Chains().read(chains.Array(job["array"]), os.path.join(job["place"], job["path"]))}


def boxes(job):
    return module(job["peer"]).Boxes(), job["array"], os.path.join(job["place"], job["path"])


def write_boxes(job):
    """Writes the boxes of an array, which is there already unless it says how it is cut."""
    library, array, folder = boxes(job)
    a = library.create(array, folder) if array.get("edges") else library.open(folder)
    n = int(np.prod(array["shape"], dtype=int))
    full = (np.arange(n, dtype=np.int64) * 7 % 251).astype(array["dtype"]).reshape(array["shape"])
    for box in array["boxes"]:
        box = tuple(slice(lo, hi) for lo, hi in box)
        library.put(a, box, full[box])
    return {}


def read_boxes(job):
    library, array, folder = boxes(job)
    got = library.all(library.open(folder))
    return {"hex": np.ascontiguousarray(got, np.dtype(array["dtype"]).newbyteorder("<")).tobytes().hex()}


def do(job):
    verbs = {"write": write, "read": read, "save": save, "load": load, "save-masked": save_masked, "look-masked": look_masked, "save-random": save_random, "save-labels": save_labels, "save-reductions": save_reductions,
             "write-type": write_type, "read-type": read_type,
             "write-chain": write_chain, "read-chain": read_chain, "write-boxes": write_boxes, "read-boxes": read_boxes}
    try:
        return verbs[job["do"]](job)
    except Exception as e:
        return {"error": rows.reason(e)}
    except BaseException as e:  # what Rust calls a panic is no Exception
        if type(e).__name__ != "PanicException":
            raise
        return {"error": rows.reason(e)}


def answer(job):
    try:
        said = json.dumps({"id": job["id"], **do(job)})
        with one_line:
            print(said, flush=True)
    except BaseException:  # else whoever asks would wait for ever
        traceback.print_exc()
        os._exit(1)


def main(library):
    if library in MODULES:
        module(library)
    # In a folder one thread does more than several, which take turns at the interpreter; a server makes them wait anyhow.
    with ThreadPoolExecutor(1) as folders, ThreadPoolExecutor(4) as servers:
        for line in sys.stdin:
            job = json.loads(line)
            (servers if "://" in job["place"] else folders).submit(answer, job)
    os._exit(0)  # the libraries' event loops and sessions cannot all be closed in an order that suits them


main(*sys.argv[1:])
