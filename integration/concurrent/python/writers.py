"""Writes one array by several processes at the same moment, each its own part.

    writers.py PEER                             prints the version of the implementation
    writers.py PEER chunk|shard|append PATH N   writes the array at PATH by N processes

PEER is zarr-python, zarrs (zarr-python with the codec pipeline of zarrs) or tensorstore. Process i writes the value i + 1 to
rows 64 i to 64 i + 63, or appends one row of it. The output is JSON: the number of processes that returned without an error,
and the errors of the others. None of the implementations is used before the processes are forked.
"""
import importlib.metadata
import json
import multiprocessing
import sys

import numpy

ROWS = 64


def zarr_python(path):
    import zarr
    array = zarr.open_array(path, mode="r+")

    def write(i, n):
        array[ROWS * i:ROWS * (i + 1)] = n

    def append(n):
        zarr.open_array(path, mode="r+").append(numpy.full((1, array.shape[1]), n, array.dtype))
    return write, append


def zarrs(path):
    import zarr
    import zarrs as _
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "threading.max_workers": 1})
    return zarr_python(path)


def tensorstore(path):
    import tensorstore

    def open_array():
        return tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}, open=True).result()
    array = open_array()

    def write(i, n):
        array[ROWS * i:ROWS * (i + 1)].write(numpy.int32(n)).result()

    def append(n):
        now = open_array()
        at = now.shape[0]
        now = now.resize(exclusive_max=[at + 1, now.shape[1]]).result()
        now[at].write(numpy.int32(n)).result()
    return write, append


PEERS = {"zarr-python": (zarr_python, ("zarr",)), "zarrs": (zarrs, ("zarrs", "zarr")), "tensorstore": (tensorstore, ("tensorstore",))}
NAMES = {"zarr": "zarr-python", "tensorstore": "TensorStore", "zarrs": "zarrs"}


def process(opened, case, path, i, barrier, results):
    """The array is opened before the processes meet. An append opens it again afterwards, for its current shape."""
    met = False
    try:
        write, append = opened(path)
        barrier.wait(120)
        met = True
        if case == "append":
            append(i + 1)
        else:
            write(i, i + 1)
        results.put(None)
    except BaseException as why:
        if not met:
            barrier.abort()
        results.put("%s: %s" % (type(why).__name__, str(why)[:200]))


def main(peer, case=None, path=None, n="0"):
    opened, packages = PEERS[peer]
    version = " on ".join("%s %s" % (NAMES[p], importlib.metadata.version(p)) for p in packages)
    errors = []
    if case:
        fork = multiprocessing.get_context("fork")
        barrier, results = fork.Barrier(int(n)), fork.Queue()
        all_of_them = [fork.Process(target=process, args=(opened, case, path, i, barrier, results)) for i in range(int(n))]
        for p in all_of_them:
            p.start()
        errors = [results.get(timeout=150) for _ in all_of_them]
        for p in all_of_them:
            p.join()
    failed = [e for e in errors if e]
    print(json.dumps({"version": version, "acknowledged": len(errors) - len(failed), "errors": failed}))


if __name__ == "__main__":
    main(*sys.argv[1:])
