#!/usr/bin/env python3
"""Data loaders: processes that read random chunks of one array through zargo and other stores.

    servers.py run peers s3 -- sh -c '"$ZARGO_PEERS_PYTHON313" integration/bench/loaders.py --zargo PATH'

Each row is a fresh process: it opens an array, reads a chunk, starts workers and waits until all have
read their chunks. A row without a result after --limit seconds is stopped: it hangs, or the machine is slow. CPU is that of the workers, and of the
server of zargo. Memory is the proportional set size of the workers, and of the server, at the end.
Stores whose package is not installed are left out.
"""

import argparse
import importlib.util
import json
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy as np
import zarr
from zarr.storage import FsspecStore, LocalStore, ObjectStore

import zargo

ROWS = [
    ("zargo", "local", "fork"), ("LocalStore", "local", "fork"), ("zargo", "local", "spawn"), ("LocalStore", "local", "spawn"),
    ("zargo", "s3", "fork"), ("s3fs", "s3", "fork"), ("obstore", "s3", "fork"),
    ("zargo", "s3", "spawn"), ("s3fs", "s3", "spawn"), ("obstore", "s3", "spawn"),
]


def s3(key):
    """The URL of a key for zargo, its path in the bucket, and the endpoint."""
    bucket, _, query = os.environ["ZARR_TEST_S3_URL"].partition("?")
    return f"{bucket}/{key}?{query}", f"{bucket.removeprefix('s3://')}/{key}", os.environ["ZARR_TEST_S3_ENDPOINT"]


def opened(store, place, a):
    """The array of a row."""
    url, path, endpoint = s3(a.key) if place == "s3" else (a.folder, "", "")
    if store == "zargo":
        at = zargo.open_store(url, command=a.zargo, idle=5)
    elif store == "LocalStore":
        at = LocalStore(url, read_only=True)
    elif store == "s3fs":
        at = FsspecStore.from_url(f"s3://{path}", storage_options={"endpoint_url": endpoint, "asynchronous": True}, read_only=True)
    else:
        import obstore.store

        bucket, _, prefix = path.partition("/")
        at = ObjectStore(obstore.store.S3Store(bucket, prefix=prefix, endpoint=endpoint, virtual_hosted_style_request=False, client_options={"allow_http": True}), read_only=True)
    return zarr.open_array(at, mode="r")


def pss(pid):
    """The memory of a process in MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def cpu(pid):
    """The CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stored(a):
    """The elements of the array."""
    return np.random.default_rng(1).random((a.chunks, a.bytes // 4), "f4")


def work(array, seed, first, a, ready, results):
    """A worker, which reports its figures or its error."""
    try:
        results.put(measured(array, seed, first, a, ready))
    except BaseException as error:  # noqa: BLE001 -- the parent prints it
        ready.abort()
        results.put(f"{type(error).__name__}: {error}")


def measured(array, seed, first, a, ready):
    """Reads random chunks, batch by batch, and compares the first element of each."""
    rng = np.random.default_rng(seed)
    array[0]
    ready.wait()
    begun = time.monotonic()
    for _ in range(a.reads // a.workers // a.batch):
        rows = np.sort(rng.choice(a.chunks, a.batch, replace=False))
        got = array[int(rows[0])][None] if a.batch == 1 else array.get_orthogonal_selection((rows,))
        assert (got[:, 0] == first[rows]).all(), "wrong values"
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return begun, time.monotonic(), usage.ru_utime + usage.ru_stime, pss(os.getpid())


def one(store, place, start, a):
    """Measures a row, as a line of JSON."""
    array = opened(store, place, a)
    array[0]
    server = None
    if store == "zargo":
        found = subprocess.run(["pgrep", "-f", array.store._host.socket], capture_output=True, text=True).stdout.split()
        server = int(found[0])
        used = cpu(server)
    context = multiprocessing.get_context(start)
    ready, results = context.Barrier(a.workers), context.Queue()
    first = stored(a)[:, 0].copy()
    workers = [context.Process(target=work, args=(array, seed, first, a, ready, results), daemon=True) for seed in range(a.workers)]
    for w in workers:
        w.start()
    got = [results.get() for _ in workers]
    if errors := sorted(g for g in got if isinstance(g, str)):
        sys.exit(errors[-1])
    seconds = max(g[1] for g in got) - min(g[0] for g in got)
    print(json.dumps({
        "rate": a.reads // a.workers // a.batch * a.batch * a.workers / seconds, "cpu": sum(g[2] for g in got), "memory": sum(g[3] for g in got),
        "server_cpu": cpu(server) - used if server else 0, "server_memory": pss(server) if server else 0,
    }), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zargo", help="the command; the default is that of the package, or the one on the PATH")
    p.add_argument("--workers", type=int, default=16)
    p.add_argument("--reads", type=int, default=10_000)
    p.add_argument("--batch", type=int, default=1, help="chunks of one read")
    p.add_argument("--chunks", type=int, default=2000)
    p.add_argument("--bytes", type=int, default=16384, help="the length of a chunk, uncompressed")
    p.add_argument("--limit", type=float, default=300)
    p.add_argument("--runs", type=int, default=3, help="the median of this number of runs")
    p.add_argument("--rows", default="", help="only rows with this text")
    for hidden in ("--one", "--folder", "--key"):
        p.add_argument(hidden, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.one:
        return one(*a.one.split(), a)

    a.folder, a.key = tempfile.mkdtemp(), f"loaders-{os.getpid()}.zarr"
    values = stored(a)
    for url in (a.folder, s3(a.key)[0]):
        at = LocalStore(url) if url == a.folder else zargo.open_store(url, read_only=False, command=a.zargo, idle=5)
        zarr.create_array(at, shape=values.shape, chunks=(1, a.bytes // 4), dtype="f4", compressors=None)[:] = values
    print(f"{a.workers} workers, {a.reads} chunks of {a.bytes} bytes, {a.batch} in a read, {os.cpu_count()} cores, median of {a.runs}\n")
    print("| store | place | workers by | chunks/s | CPU of workers, ms/chunk | of the server | memory, MiB | of the server |\n|---|---|---|---|---|---|---|---|")
    for row in ROWS:
        if a.rows not in " ".join(row) or (row[0] in ("s3fs", "obstore") and not importlib.util.find_spec(row[0])):
            continue
        got, failed = [], ""
        for _ in range(a.runs):
            line = [sys.executable, __file__, *sys.argv[1:], f"--one={' '.join(row)}", f"--folder={a.folder}", f"--key={a.key}"]
            process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            try:
                out, err = process.communicate(timeout=a.limit)
                got.append(json.loads(out)) if not process.returncode else None
                failed = err.strip().splitlines()[-1] if process.returncode else ""
            except subprocess.TimeoutExpired:
                failed = f"no result after {a.limit:.0f} s"
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
            if failed:
                break
        m = {key: float(np.median([g[key] for g in got])) for key in got[0]} if got and not failed else {}
        cells = f"{m['rate']:.0f} | {1000 * m['cpu'] / a.reads:.2f} | {1000 * m['server_cpu'] / a.reads:.2f} | {m['memory']:.0f} | {m['server_memory']:.0f}" if m else f"{failed} | | | |"
        print(f"| {' | '.join(row)} | {cells} |", flush=True)
    shutil.rmtree(a.folder)


if __name__ == "__main__":
    main()
