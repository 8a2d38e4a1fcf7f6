#!/usr/bin/env python3
"""Side-by-side measurements of Zarr libraries. See README.md.

    peers.py gen                      make the data sets (about 3 GB) under $BENCH_DIR (default: ./_data)
    peers.py list                     list workloads, cases and peers
    peers.py run W1 W2 ... [options]  measure; one JSON line per measurement on stdout, a table on stderr
    peers.py cdecode                  speed of the C decoders (c-blosc lz4, zstd) on the same chunks
    peers.py table FILE...            medians and ratios of earlier JSON lines, as Markdown
    peers.py ratios NAME FILE...      seconds of one candidate over those of each peer: median over the repetitions, and quartiles

Each repetition is a fresh process, so caches are cold and peak RSS belongs to one measurement.
A candidate (e.g. a Go program) joins a run with --extra NAME=COMMAND: COMMAND is started with one more
argument, a JSON object (the "task" below), and prints one JSON object with at least {"seconds":..}.
"""
import argparse, json, os, resource, signal, statistics, subprocess, sys, time, urllib.request, zlib

import values

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.environ.get("BENCH_DIR", os.path.join(HERE, "_data"))
DATA = os.path.join(BENCH, "root", "bench")  # bucket "bench" of the latency store
N = 512

# ---- data sets ---------------------------------------------------------------------------------
# name: (zarr_format, shape, chunks, shards, compressor)
SETS = {
    "blosc64":  (3, (N, N, N), (64, 64, 64), None, "blosc"),     # 512 chunks of 1 MiB
    "zstd128":  (3, (N, N, N), (128, 128, 128), None, "zstd"),   # 64 chunks of 8 MiB
    "raw64":    (3, (N, N, N), (64, 64, 64), None, None),
    "shard32":  (3, (N, N, N), (32, 32, 32), (256, 256, 256), "blosc"),  # 8 shards x 512 inner chunks
    "shard16":  (3, (N // 2, N // 2, N // 2), (16, 16, 16), (128, 128, 128), "blosc"),
    "v2blosc":  (2, (N, N, N), (64, 64, 64), None, "blosc"),
    "small":    (3, (20000, 2048), (1, 2048), None, None),       # 20,000 chunks of 8 KiB
    "slices":   (3, (256, 1024, 1024), (1, 1024, 1024), None, None),  # 1 GiB, for rechunking
}

def field(shape):
    """A smooth field with sensor-like noise, quantised: compresses about 2:1 with shuffle + lz4."""
    import numpy as np
    r = np.random.default_rng(7)
    ax = [np.sin(np.arange(n, dtype="f4") / (20 + 7 * i)) for i, n in enumerate(shape)]
    out = np.empty(shape, "f4")
    for i in range(shape[0]):
        plane = ax[0][i] * 10 + (ax[1][:, None] * ax[2][None, :] * 15 if len(shape) == 3 else ax[1] * 15)
        out[i] = np.round((plane + r.normal(0, .05, plane.shape)) * 64) / 64
    return out

def zcodec(fmt, name):
    if name is None:
        return None
    if fmt == 2:
        import numcodecs
        return numcodecs.Blosc(cname="lz4", clevel=5, shuffle=1)
    from zarr.codecs import BloscCodec, ZstdCodec
    return BloscCodec(cname="lz4", clevel=5, shuffle="shuffle") if name == "blosc" else ZstdCodec(level=3)

def zcreate(store, path, spec, **kw):
    import zarr
    fmt, shape, chunks, shards, comp = spec
    a = dict(store=store, name=path, shape=shape, chunks=chunks, dtype="f4", zarr_format=fmt, overwrite=True,
             compressors=zcodec(fmt, comp), fill_value=0)
    if shards:
        a["shards"] = shards
    return zarr.create_array(**a, **kw)

def gen():
    import numpy as np, tensorstore as ts, zarr
    os.makedirs(DATA, exist_ok=True)
    values.generate(DATA)
    f = field((N, N, N)); np.save(os.path.join(BENCH, "field.npy"), f)
    for name, spec in SETS.items():
        d = os.path.join(DATA, name)
        if os.path.exists(d):
            continue
        src = f if spec[1] == f.shape else f[:spec[1][0], :spec[1][1], :spec[1][2]] if name == "shard16" else field(spec[1])
        zcreate(zarr.storage.LocalStore(DATA), name, spec)
        ts.open({"driver": "zarr" if spec[0] == 2 else "zarr3", "kvstore": {"driver": "file", "path": d + "/"}}, write=True).result().write(src).result()
        print("made", name, sum(os.path.getsize(os.path.join(p, x)) for p, _, fs in os.walk(d) for x in fs), file=sys.stderr)
    for fmt, name in ((3, "group3"), (2, "group2")):  # groups of 20 arrays, with and without consolidated metadata
        for cons in (False, True):
            p = os.path.join(DATA, name + ("c" if cons else ""))
            g = zarr.open_group(p, mode="w", zarr_format=fmt)
            for i in range(20):
                a = g.create_array(f"v{i:02}", shape=(64,), chunks=(64,), dtype="f4", compressors=None)
                a[:] = i
            if cons:
                zarr.consolidate_metadata(p)

# ---- peers -------------------------------------------------------------------------------------
# A task: {"workload","case","where":"file"|"s3","path","endpoint","bucket", ...}. A peer turns it into a
# function to be timed; the function returns an array (checked) or a count.

def ts_kv(t, path=None):
    path = path or t["path"]
    if t["where"] == "file":
        return {"driver": "file", "path": os.path.join(t["root"], path) + "/"}
    kv = {"driver": "s3", "bucket": t["bucket"], "path": path + "/", "endpoint": t["endpoint"], "aws_region": "us-east-1"}
    kv["aws_credentials"] = {"type": "anonymous"}
    return kv

class TensorStore(values.Script):
    wants = {"W1", "W2", "W3", "W4", "W5", "W6", "W8", "W9", "W10", "W11", "W12"}

    def __init__(self, concurrency=None):
        import tensorstore as ts
        self.ts = ts
        ctx = {}
        if concurrency:
            ctx["s3_request_concurrency"] = {"limit": concurrency}
        self.ctx = ts.Context(ctx)

    def open(self, t, path=None, **kw):
        drv = "zarr" if t.get("format", 3) == 2 else "zarr3"
        return self.ts.open({"driver": drv, "kvstore": ts_kv(t, path)}, context=self.ctx, **kw).result()

    def create(self, t, path, spec):
        fmt, shape, chunks, shards, comp = spec
        inner = [{"name": "bytes", "configuration": {"endian": "little"}}]
        if comp == "blosc":
            inner.append({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}})
        elif comp == "zstd":
            inner.append({"name": "zstd", "configuration": {"level": 3, "checksum": False}})
        if shards:
            inner = [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunks, "codecs": inner,
                      "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}]
        md = {"shape": shape, "data_type": "float32", "fill_value": 0, "codecs": inner,
              "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shards or chunks}}}
        return self.ts.open({"driver": "zarr3", "kvstore": ts_kv(t, path), "metadata": md}, create=True, delete_existing=True, context=self.ctx).result()

    def array(self, t, name):
        return self.open(t, t["path"] + "/" + name)

    def slab(self, a, lo, hi):
        return a[lo:hi].read().result()

    def read(self, t):
        return lambda: self.open(t).read().result()

    def point(self, t):
        return lambda: self.open(t)[tuple(t["index"])].read().result()

    def points(self, t):
        return lambda: self.open(t).vindex[tuple(t["coords"])].read().result()

    def write(self, t, data):
        return lambda: self.create(t, t["path"], SETS[t["case"]]).write(data).result()

    def rechunk(self, t):
        def f():
            s = self.open(t); fmt, shape, _, _, comp = SETS["slices"]
            d = self.create(t, t["out"], (3, shape, (shape[0], 64, 64), None, comp))
            for y in range(0, shape[1], 256):  # slabs of 256 MiB
                d[:, y:y + 256].write(s[:, y:y + 256]).result()
            return None
        return f

class ZarrPython(values.Script):
    wants = {"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W11", "W12"}

    def __init__(self, store="obstore", pipeline=None, concurrency=None):
        import zarr
        self.zarr, self.kind = zarr, store
        if concurrency:
            zarr.config.set({"async.concurrency": concurrency})
        if pipeline:
            import zarrs  # noqa: F401
            zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})

    def store(self, t, path=""):
        if t["where"] == "file":
            return self.zarr.storage.LocalStore(os.path.join(t["root"], path))
        if self.kind == "obstore":
            from obstore.store import S3Store
            return self.zarr.storage.ObjectStore(S3Store(t["bucket"], prefix=path or None, endpoint=t["endpoint"], region="us-east-1", skip_signature=True,
                                                 virtual_hosted_style_request=False, client_options={"allow_http": True}))
        if self.kind == "http":
            return self.zarr.storage.FsspecStore.from_url(t["endpoint"] + "/" + t["bucket"])
        return self.zarr.storage.FsspecStore.from_url("s3://" + t["bucket"], storage_options={"anon": True, "endpoint_url": t["endpoint"], "asynchronous": True})

    def open(self, t, path=None):
        kw = {"zarr_format": t["format"]} if t.get("format") else {}
        return self.zarr.open_array(self.store(t), path=path or t["path"], mode="r", **kw)

    def array(self, t, name):
        return self.open(t, t["path"] + "/" + name)

    def slab(self, a, lo, hi):
        return a[lo:hi]

    def read(self, t):
        return lambda: self.open(t)[...]

    def point(self, t):
        return lambda: self.open(t)[tuple(t["index"])]

    def points(self, t):
        return lambda: self.open(t).vindex[tuple(t["coords"])]

    def write(self, t, data):
        def f():
            zcreate(self.store(t), t["path"], SETS[t["case"]])[...] = data
        return f

    def group(self, t):
        def f():
            kw = {"zarr_format": t["format"]} if t.get("format") else {}
            g = self.zarr.open_group(self.store(t), path=t["path"], mode="r", **kw)
            return len(list(g.members()))
        return f

    def names(self, t):
        """Names of what is in a group; zarr-python opens each to find out whether it is a node."""
        def f():
            kw = {"zarr_format": t["format"]} if t.get("format") else {}
            return len(list(self.zarr.open_group(self.store(t), path=t["path"], mode="r", **kw).keys()))
        return f

    def opengroup_array(self, t):
        """Open a group, then one array in it, then read it."""
        def f():
            kw = {"zarr_format": t["format"]} if t.get("format") else {}
            return self.zarr.open_group(self.store(t), path=t["path"], mode="r", **kw)["v07"][:]
        return f

    def rechunk(self, t):
        def f():
            fmt, shape, _, _, comp = SETS["slices"]
            s = self.open(t)
            d = zcreate(self.store(t), t["out"], (3, shape, (shape[0], 64, 64), None, comp))
            for y in range(0, shape[1], 256):
                d[:, y:y + 256] = s[:, y:y + 256]
        return f

class ZarrDask(ZarrPython):
    wants = {"W8"}

    def rechunk(self, t):
        def f():
            import dask.array as da
            s = self.open(t); fmt, shape, _, _, comp = SETS["slices"]
            d = zcreate(self.store(t), t["out"], (3, shape, (shape[0], 64, 64), None, comp))
            da.from_array(s, chunks=(16, 1024, 1024)).rechunk((shape[0], 64, 1024)).store(d, lock=False)
        return f

class ZarrsRust:
    """zarrs_benchmark_read_sync of zarrs_tools (ZARRS=1 ./setup.sh); it prints its own time and gives no data back."""
    wants = {"W1", "W5", "W6"}
    tool = os.environ.get("ZARRS_BIN", os.path.join(HERE, "_zarrs", "bin")) + "/zarrs_benchmark_read_sync"

    def read(self, t):
        def f():
            r = subprocess.run([self.tool, "--read-all", os.path.join(t["root"], t["path"])], capture_output=True, text=True, check=True)
            return {"seconds": float(r.stdout.split(" in ")[1].split("ms")[0]) / 1e3, "bytes": int(np_size(t["path"]))}
        return f

def np_size(name):
    n = 4
    for d in SETS[name][1]:
        n *= d
    return n

class BareStore:
    """No Zarr at all: obstore listing and fetching, the floor of what a store client costs."""
    wants = {"W2", "W7"}

    def store(self, t):
        from obstore.store import S3Store
        return S3Store(t["bucket"], endpoint=t["endpoint"], region="us-east-1", skip_signature=True, virtual_hosted_style_request=False, client_options={"allow_http": True})

    def read(self, t):
        import asyncio, obstore
        keys = [os.path.join(p, x)[len(t["root"]) + 1:] for p, _, fs in os.walk(os.path.join(t["root"], t["path"])) for x in fs]
        async def go():
            st, sem, n = self.store(t), asyncio.Semaphore(64), 0
            async def one(k):
                async with sem:
                    return len(await (await obstore.get_async(st, k)).bytes_async())
            return sum(await asyncio.gather(*map(one, keys)))
        return lambda: asyncio.run(go())

    def group(self, t):
        import obstore
        return lambda: len(obstore.list_with_delimiter(self.store(t), t["path"] + "/")["common_prefixes"])

    names = group

PEERS = {
    "tensorstore":      lambda: TensorStore(),
    "tensorstore-c128": lambda: TensorStore(128),
    "zarr":             lambda: ZarrPython("obstore"),
    "zarr-c64":         lambda: ZarrPython("obstore", concurrency=64),
    "zarr-s3fs-c64":    lambda: ZarrPython("s3fs", concurrency=64),
    "zarr-zarrs":       lambda: ZarrPython("obstore", pipeline=True),
    "zarr-zarrs-c64":   lambda: ZarrPython("obstore", pipeline=True, concurrency=64),
    "zarr-zarrs-http":  lambda: ZarrPython("http", pipeline=True),
    "zarr-dask":        lambda: ZarrDask(),
    "xarray":           lambda: values.Xarray(ZarrPython("obstore", concurrency=64), None),
    "xarray-dask":      lambda: values.Xarray(ZarrPython("obstore", concurrency=64), {}),
    "zarrs-rust":       lambda: ZarrsRust(),
    "obstore-bare":     lambda: BareStore(),
}
PY_WANTS = {p: (TensorStore if p.startswith("tensor") else values.Xarray if p.startswith("xarray") else ZarrDask if p == "zarr-dask" else BareStore if p == "obstore-bare" else ZarrsRust if p == "zarrs-rust" else ZarrPython).wants for p in PEERS}
LOCAL = ["tensorstore", "zarr", "zarr-zarrs", "zarrs-rust"]
REMOTE = ["tensorstore", "tensorstore-c128", "zarr", "zarr-c64", "zarr-s3fs-c64", "zarr-zarrs-c64", "zarr-zarrs-http", "obstore-bare"]

# ---- workloads ---------------------------------------------------------------------------------
FAST = {}                                                    # loopback as it is
CLOUD = {"latency_ms": 30, "read_bps": 80_000_000}           # like an object store from the same region
CLOUD_TAIL = dict(CLOUD, tail_share=0.01, tail_factor=20)

def coords(shape, n=200):
    r = 12345; out = [[], [], []]
    for _ in range(n):
        for d in range(3):
            r = (r * 6364136223846793005 + 1442695040888963407) % 2**64
            out[d].append((r >> 33) % shape[d])
    return out

def workloads():
    """Yields (workload, case, peers, task)."""
    for c in ("blosc64", "zstd128", "raw64", "v2blosc"):
        yield "W1", c, LOCAL, dict(do="read", where="file", path=c, format=SETS[c][0])
    for net, prof in (("fast", FAST), ("cloud", CLOUD), ("tail", CLOUD_TAIL)):
        for c in ("blosc64", "zstd128", "raw64") if net == "fast" else ("blosc64",):
            yield "W2", f"{c}-{net}", REMOTE, dict(do="read", where="s3", path=c, profile=prof)
    yield "W2", "v2blosc-cloud", REMOTE, dict(do="read", where="s3", path="v2blosc", profile=CLOUD, format=2)
    for c in ("blosc64", "raw64", "shard32"):
        yield "W3", c, LOCAL, dict(do="write", where="file", path="out_" + c, case=c)
    for net, prof in (("fast", FAST), ("cloud", CLOUD)):
        yield "W3", f"blosc64-s3-{net}", ["tensorstore", "zarr-c64", "zarr-s3fs-c64", "zarr-zarrs-c64"], dict(do="write", where="s3", path="out_blosc64", case="blosc64", profile=prof)
    R = ["tensorstore", "zarr", "zarr-s3fs-c64"]
    yield "W4", "v3-point-local", ["tensorstore", "zarr"], dict(do="point", where="file", path="blosc64", index=[7, 300, 500])
    yield "W4", "v3-point", R, dict(do="point", where="s3", path="blosc64", index=[7, 300, 500], profile=CLOUD)
    yield "W4", "v3-point-autoformat", ["zarr"], dict(do="point", where="s3", path="blosc64", index=[7, 300, 500], profile=CLOUD, format=None)
    yield "W4", "v2-point", R, dict(do="point", where="s3", path="v2blosc", index=[7, 300, 500], profile=CLOUD, format=2)
    for g, f in (("group3", 3), ("group3c", 3), ("group2", 2), ("group2c", 2)):
        yield "W4", g + "-array-read", ["zarr"], dict(do="opengroup_array", where="s3", path=g, profile=CLOUD, format=f)
        yield "W4", g + "-members", ["zarr"], dict(do="group", where="s3", path=g, profile=CLOUD, format=f)
    yield "W4", "group3c-array-read-autoformat", ["zarr"], dict(do="opengroup_array", where="s3", path="group3c", profile=CLOUD, format=None)
    for c in ("shard32",):
        yield "W5", c + "-whole-local", LOCAL, dict(do="read", where="file", path=c)
    for net, prof in (("fast", FAST), ("cloud", CLOUD)):
        P = ["tensorstore", "zarr-c64", "zarr-zarrs-c64", "zarr-zarrs-http"]
        yield "W5", "shard32-whole-" + net, P, dict(do="read", where="s3", path="shard32", profile=prof)
        yield "W5", "shard32-200pts-" + net, P, dict(do="points", where="s3", path="shard32", coords=coords((N,) * 3), profile=prof)
    yield "W5", "shard32-point-cloud", ["tensorstore", "zarr", "zarr-zarrs-http"], dict(do="point", where="s3", path="shard32", index=[7, 300, 500], profile=CLOUD)
    yield "W5", "shard16-200pts-cloud", ["tensorstore", "zarr-c64"], dict(do="points", where="s3", path="shard16", coords=coords((N // 2,) * 3), profile=CLOUD)
    yield "W6", "local", LOCAL, dict(do="read", where="file", path="small")
    yield "W6", "s3-fast", ["tensorstore", "zarr-c64", "zarr-s3fs-c64", "zarr-zarrs-c64"], dict(do="read", where="s3", path="small", profile=FAST)
    for net, prof in (("fast", FAST), ("cloud", CLOUD)):
        yield "W7", "1000x1000-" + net, ["zarr", "zarr-c64", "zarr-s3fs-c64", "obstore-bare"], dict(do="group", where="s3", path="tree", profile=prof)
        yield "W7", "1000-names-" + net, ["zarr-c64", "obstore-bare"], dict(do="names", where="s3", path="tree", profile=prof)
    yield "W8", "1GiB", ["tensorstore", "zarr", "zarr-zarrs", "zarr-dask"], dict(do="rechunk", where="file", path="slices", out="out_rechunk")
    yield from values.workloads(CLOUD)

def cdecode():
    """C decoders through numcodecs, which releases the GIL, on all chunks of a set with 1 and with all threads."""
    import numcodecs, numcodecs.blosc, concurrent.futures as cf
    numcodecs.blosc.use_threads = False
    for name, codec in (("blosc64", numcodecs.Blosc()), ("zstd128", numcodecs.Zstd())):
        chunks = [open(os.path.join(p, x), "rb").read() for p, _, fs in os.walk(os.path.join(DATA, name)) for x in fs if not x.endswith(".json")]
        size = len(codec.decode(chunks[0]))
        for n in (1, os.cpu_count()):
            ts = []
            with cf.ThreadPoolExecutor(n) as ex:
                bufs = [bytearray(size) for _ in range(n)]
                for _ in range(5):
                    c, w = time.process_time(), time.perf_counter()
                    list(ex.map(lambda k: [codec.decode(x, bufs[k]) for x in chunks[k::n]] and None, range(n)))
                    ts.append((time.perf_counter() - w, time.process_time() - c))
            w, c = min(x[0] for x in ts), statistics.median(x[1] for x in ts); tot = size * len(chunks)
            print(json.dumps({"limit": "decode C " + name, "concurrency": n, "bytes": tot, "min_s": w, "median_s": statistics.median(x[0] for x in ts), "cpu_s": c, "max_mb_s": tot / w / 1e6}))

def verify(t):
    """Reads back what a write or rechunk left, with tensorstore, and compares it with what should be there."""
    if t["do"] in ("monthly", "series"):
        return values.verify(t)
    import numpy as np, tensorstore as ts
    crc = lambda a: zlib.crc32(memoryview(np.ascontiguousarray(a)).cast("B"))
    rd = lambda path, where: ts.open({"driver": "zarr3", "kvstore": ts_kv(dict(t, where=where), path)}).result().read().result()
    want = np.load(os.path.join(t["bench"], "field.npy")) if t["do"] == "write" else rd(t["path"], "file")
    want, got = crc(want), crc(rd(t.get("out") or t["path"], t["where"]))
    print(json.dumps({"crc": got, "verified": got == want}))

# ---- running -----------------------------------------------------------------------------------
def http(url):
    with urllib.request.urlopen(url, timeout=60) as r:
        return json.load(r)

def configure(endpoint, profile):
    """Sets the latency, bandwidth and faults of the server: a faultproxy.Config."""
    urllib.request.urlopen(urllib.request.Request(endpoint + "/__fault/config", method="PUT", data=json.dumps(profile).encode()), timeout=60).close()

def child(peer, t):
    """Runs in a fresh process: one measurement, printed as JSON."""
    t0 = time.perf_counter()
    p = PEERS[peer]()
    imported = time.perf_counter() - t0
    data = None
    if t["do"] == "write":
        import numpy as np
        data = np.load(os.path.join(t["bench"], "field.npy"))
    fn = p.write(t, data) if t["do"] == "write" else getattr(p, t["do"])(t)
    if t["where"] == "s3":
        http(t["endpoint"] + "/__stats?reset=1")
    r0, w0 = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    out = fn()
    sec = time.perf_counter() - w0
    r1 = resource.getrusage(resource.RUSAGE_SELF)
    m = {"seconds": sec, "cpu": r1.ru_utime + r1.ru_stime - r0.ru_utime - r0.ru_stime, "rss_mb": round(r1.ru_maxrss / 1024), "import_s": round(imported, 3)}
    if t["do"] in ("group", "names"):
        m["crc"] = out  # so that the counts are compared like checksums
    if t["where"] == "s3":
        s = http(t["endpoint"] + "/__stats")
        m.update(requests=s["requests"], ops=s["ops"], wire=s["bytes_out"] + s["bytes_in"], max_concurrent=s["max_concurrent"], connections=s["connections"],
                 not_found=s["statuses"].get("404", 0))
    if t["do"] in ("decoded", "month"):
        m["bytes"], m["answer"] = int(out.nbytes), values.digest(out)
    elif hasattr(out, "dtype"):
        import numpy as np
        m["bytes"], m["crc"] = int(out.nbytes), zlib.crc32(np.ascontiguousarray(out).tobytes() if out.nbytes < 1 << 20 else memoryview(np.ascontiguousarray(out)).cast("B"))
    elif isinstance(out, list):  # statistics, or counts
        m["answer"] = out
    elif data is not None:
        m["bytes"] = int(data.nbytes)
    elif isinstance(out, dict):  # an outside program that timed itself
        c = resource.getrusage(resource.RUSAGE_CHILDREN)
        m.update(out, cpu=c.ru_utime + c.ru_stime, rss_mb=round(c.ru_maxrss / 1024))
    elif t["do"] == "rechunk":
        m["bytes"] = 1 << 30
    elif t["do"] in ("monthly", "series"):
        pass
    else:
        m["count"] = out
    print(json.dumps(m))

def start_store(binary):
    p = subprocess.Popen([binary, "-addr", "127.0.0.1:0", "-root", os.path.join(BENCH, "root"), "-synthetic", "bench/tree:1000:1000"], stdout=subprocess.PIPE, text=True)
    return p, p.stdout.readline().split()[1]

def run(a):
    import shutil
    want = set(a.workloads) or {f"W{i}" for i in range(1, 13)}
    extra = dict(x.split("=", 1) for x in a.extra)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the finally below stops the server
    srv, ep = start_store(a.store)
    rows = []
    # Settings of AWS, such as a bundle of certificates, are read by some of the programs only.
    env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    try:
        for w, case, peers, task in workloads():
            if w not in want or (a.case and not any(c in case for c in a.case)):
                continue
            names = [p for p in peers if not a.peer or p in a.peer]
            names = [p for p in names if w in PY_WANTS[p] and (p != "zarrs-rust" or os.path.exists(ZarrsRust.tool))] + list(extra)
            dead = set()
            for rep in range(a.reps):
                for p in names if rep % 2 == 0 else names[::-1]:  # alternate the order: drift hits all alike
                    if p in dead:
                        continue
                    t = dict({"case": case, "format": 3}, **task, workload=w, root=DATA, bench=BENCH, bucket="bench", endpoint=ep)
                    for d in (t.get("out"), t["path"] if t["do"] == "write" else None):
                        if d and t["where"] == "file":
                            shutil.rmtree(os.path.join(DATA, d), ignore_errors=True)
                    if t["where"] == "s3":
                        if t["do"] == "write":
                            http(ep + "/__drop?path=bench/" + t["path"] + "/")
                        configure(ep, t["profile"])
                    cmd = (extra[p].split() if p in extra else [sys.executable, os.path.abspath(__file__), "_child", p]) + [json.dumps(t)]
                    s0 = time.perf_counter()
                    try:
                        r = subprocess.run(cmd, capture_output=True, text=True, timeout=a.timeout, env=env)
                        m = json.loads(r.stdout.strip().splitlines()[-1])
                    except Exception as e:  # a peer that cannot do it is reported, not hidden
                        err = r.stderr.strip().splitlines()[-1:] if not isinstance(e, subprocess.TimeoutExpired) else ["timeout"]
                        m = {"error": (err or [repr(e)])[0][:300]}
                        dead.add(p)
                    m["process_s"] = time.perf_counter() - s0
                    if t["do"] in ("write", "rechunk", "monthly", "series") and "error" not in m:  # a fast writer must also have written
                        if t["where"] == "s3":
                            configure(ep, {})
                        v = subprocess.run([sys.executable, os.path.abspath(__file__), "_verify", json.dumps(t)], capture_output=True, text=True)
                        v = json.loads(v.stdout.strip().splitlines()[-1]) if v.returncode == 0 else {"verified": False}
                        m.update(v)
                        if not v["verified"]:
                            m = {"error": "WRONG OUTPUT: what was written does not read back as the source", "process_s": m["process_s"]}
                            dead.add(p)
                    m = {"workload": w, "case": case, "peer": p, "rep": rep, **m}
                    if m.get("bytes") and m.get("seconds"):
                        m["mb_s"] = round(m["bytes"] / m["seconds"] / 1e6, 1)
                    print(json.dumps(m), flush=True)
                    rows.append(m)
    finally:
        srv.terminate(); srv.wait()
        for d in os.listdir(DATA):
            if d.startswith("out_"):
                shutil.rmtree(os.path.join(DATA, d), ignore_errors=True)
    print(table(rows), file=sys.stderr)

def table(rows):
    groups = {}
    for r in rows:
        groups.setdefault((r["workload"], r["case"]), {}).setdefault(r["peer"], []).append(r)
    out = ["| workload | peer | median s | min s | ×best | CPU s | MB/s | requests | wire MB | max conc. | RSS MB | process s | note |", "|" + "---|" * 13]
    for (w, c), peers in groups.items():
        med = {p: statistics.median([x["seconds"] for x in rs if "seconds" in x]) for p, rs in peers.items() if any("seconds" in x for x in rs)}
        best = min((v for p, v in med.items() if p != "obstore-bare"), default=0)
        crcs = {x["crc"] for rs in peers.values() for x in rs if "crc" in x}
        for p, rs in peers.items():
            ok = [x for x in rs if "seconds" in x]
            if not ok:
                out.append(f"| {w} {c} | {p} | – | | | | | | | | | | {rs[0].get('error', '')} |"); continue
            f = lambda k, d=2, s=1: (lambda v: "" if not v else f"{statistics.median(v) * s:.{d}f}")([x[k] for x in ok if x.get(k) is not None])
            note = "CHECKSUMS DIFFER" if len(crcs) > 1 else ""
            if len(ok) < len(rs):
                note += " some repetitions failed"
            answers = [x["answer"] for rs in peers.values() for x in rs if "answer" in x]
            if any(len(x) != len(answers[0]) or any(abs(u - v) > 1e-6 * abs(v) for u, v in zip(x, answers[0])) for x in answers):
                note += " ANSWERS DIFFER"
            if ok[0].get("not_found"):
                note += f" 404s: {ok[0]['not_found']}"
            out.append(f"| {w} {c} | {p} | {med[p]:.3f} | {min(x['seconds'] for x in ok):.3f} | {med[p] / best:.2f} | {f('cpu')} | {f('mb_s', 0)} | {f('requests', 0)} | {f('wire', 2, 1e-6)} | {f('max_concurrent', 0)} | {f('rss_mb', 0)} | {f('process_s')} | {note.strip()} |")
    return "\n".join(out)

def ratios(name, rows):
    """A repetition is compared with itself alone: what changes the machine's speed between repetitions is in no ratio."""
    reps = {}
    for r in rows:
        if "seconds" in r:
            reps.setdefault((r["workload"], r["case"]), {}).setdefault(r["rep"], {})[r["peer"]] = r["seconds"]
    out = [f"| workload | peer | {name} / peer | quartiles | repetitions |", "|" + "---|" * 5]
    for (w, c), of in reps.items():
        for p in sorted({p for d in of.values() for p in d} - {name}):
            q = sorted(d[name] / d[p] for d in of.values() if name in d and p in d)
            if q:
                out.append(f"| {w} {c} | {p} | {statistics.median(q):.2f} | {q[len(q) // 4]:.2f}–{q[3 * len(q) // 4]:.2f} | {len(q)} |")
    return "\n".join(out)

def lines(files):
    return [json.loads(l) for f in files for l in open(f) if l.startswith("{")]

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="cmd", required=True)
    sub.add_parser("gen"); sub.add_parser("list"); sub.add_parser("cdecode")
    r = sub.add_parser("run")
    r.add_argument("workloads", nargs="*"); r.add_argument("--reps", type=int, default=5); r.add_argument("--peer", action="append", default=[])
    r.add_argument("--case", action="append", default=[], help="only cases containing this text"); r.add_argument("--extra", action="append", default=[], metavar="NAME=COMMAND")
    r.add_argument("--store", default=os.path.join(HERE, "_bin", "latencystore")); r.add_argument("--timeout", type=float, default=90)
    tb = sub.add_parser("table"); tb.add_argument("files", nargs="+")
    ra = sub.add_parser("ratios"); ra.add_argument("name"); ra.add_argument("files", nargs="+")
    c = sub.add_parser("_child"); c.add_argument("peer"); c.add_argument("task")
    vf = sub.add_parser("_verify"); vf.add_argument("task")
    a = ap.parse_args()
    if a.cmd == "gen": gen()
    elif a.cmd == "cdecode": cdecode()
    elif a.cmd == "list":
        for w, c, p, t in workloads(): print(w, c, t["do"], ",".join(p))
    elif a.cmd == "run": run(a)
    elif a.cmd == "table": print(table(lines(a.files)))
    elif a.cmd == "ratios": print(ratios(a.name, lines(a.files)))
    elif a.cmd == "_verify": verify(json.loads(a.task))
    else: child(a.peer, json.loads(a.task))

if __name__ == "__main__":
    main()
