"""shards.py write|read ARRAYS FOLDER: every peer opens every array at FOLDER/<peer>/<name>, which are there already, and writes
the array's boxes or reads all of it. One line of JSON for each."""

import json
import os
import sys

import numpy as np
import tensorstore as ts
import zarr

import rust


def values(array):
    n = int(np.prod(array["shape"], dtype=int))
    return (np.arange(n, dtype=np.int64) * 7 % 251).astype(array["dtype"]).reshape(array["shape"])


class ZarrPython:
    name = "zarr-python"

    def open(self, path):
        return zarr.open_array(path, mode="r+", zarr_format=3)

    def put(self, a, box, part):
        a[box] = part

    def all(self, a):
        return np.asarray(a[...])


class TensorStore:
    name = "tensorstore"

    def open(self, path):
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}
        return ts.open(spec, context=ts.Context({"file_io_sync": False})).result()

    def put(self, a, box, part):
        a[box].write(part).result()

    def all(self, a):
        return a.read().result()


class Zarrs:
    name = "zarrs"

    def open(self, path):
        return rust.Array(path)

    def put(self, a, box, part):
        a.put(box, part)

    def all(self, a):
        return a.all(np.dtype(a.meta["data_type"]))


def one(peer, array, folder, verb):
    said = dict(peer=peer.name, name=array["name"])
    try:
        a = peer.open(os.path.join(folder, peer.name, array["name"]))
        if verb == "read":
            return dict(said, hex=np.ascontiguousarray(peer.all(a)).tobytes().hex())
        full = values(array)
        for box in array["boxes"]:
            box = tuple(slice(lo, hi) for lo, hi in box)
            peer.put(a, box, full[box])
        return said
    except Exception as e:
        return dict(said, error=f"{type(e).__name__}: {e}".splitlines()[0])


def main(verb, file, folder):
    with open(file) as f:
        arrays = json.load(f)
    for peer in (ZarrPython(), TensorStore(), Zarrs()):
        for array in arrays:
            print(json.dumps(one(peer, array, folder, verb)))


main(*sys.argv[1:])
