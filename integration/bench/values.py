"""Workloads W9 to W12: a packed variable, decoded, summarised and reduced. peers.py runs them.

Each set is a dataset that xarray wrote with its default codec (zstd): t(time, lat, lon) of int16 with scale_factor and _FillValue, and the coordinates of its
axes. In packed64 t also has add_offset, so xarray decodes it to float64, and in packed32 to float32.
"""
import json, os

DAYS, LAT, LON, START = 1461, 180, 360, "2020-01-01"  # four years
CHUNKS = (32, 90, 180)                                # 184 chunks of 1 MiB
FILL, SCALE, OFFSET = -32768, 0.01, 273.15
CODING = {"packed64": (FILL, SCALE, OFFSET), "packed32": (FILL, SCALE, None)}
BINS, LOW, HIGH = 64, 230.0, 320.0
MONTH = "2022-03"

def packed():
    """A field with an annual cycle and noise. One element in 16 is missing."""
    import numpy as np
    r = np.random.default_rng(11)
    lat, day = np.cos(np.deg2rad(np.arange(LAT) - 89.5))[:, None], np.arange(DAYS)
    out = np.empty((DAYS, LAT, LON), "i2")
    for d in day:
        out[d] = np.round((lat * 25 - 10 * np.cos(2 * np.pi * d / 365.25) + r.normal(0, 1.5, (LAT, LON))) / SCALE)
        out[d][r.integers(0, 16, (LAT, LON)) == 0] = FILL
    return out

def generate(root):
    import numpy as np, pandas as pd, xarray as xr
    raw = None
    for name, (fill, scale, offset) in CODING.items():
        path = os.path.join(root, name)
        if os.path.exists(path):
            continue
        raw = packed() if raw is None else raw
        attrs = {"_FillValue": fill, "scale_factor": scale, **({"add_offset": offset} if offset else {})}
        ds = xr.Dataset({"t": (("time", "lat", "lon"), raw, attrs)}, {
            "time": pd.date_range(START, periods=DAYS), "lat": np.arange(LAT) - 89.5, "lon": np.arange(LON) + 0.5})
        ds.to_zarr(path, zarr_format=3, encoding={"t": {"chunks": CHUNKS}, "time": {"units": "days since 2000-01-01"}})

def decode(raw, name):
    """Decodes stored values in blocks that fit in a cache, to the type that xarray decodes to."""
    import numpy as np
    fill, scale, offset = CODING[name]
    f = np.float64 if offset else np.float32
    out = np.empty(raw.shape, f)
    for i in range(len(raw)):
        np.multiply(raw[i], f(scale), out=out[i], dtype=f)
        if offset:
            out[i] += offset
        out[i][raw[i] == fill] = np.nan
    return out

def digest(a):
    """Describes decoded values: their number without missing ones, their sum, and their sum weighted by position."""
    import numpy as np
    a = np.ascontiguousarray(a).reshape(-1).astype("f8")
    return [int((~np.isnan(a)).sum()), float(np.nansum(a)), float(np.nansum(a * (np.arange(a.size) % 1021)))]

def month_bounds(days):
    """The first element of each month, and the end, of times in days since 2000-01-01."""
    import numpy as np
    m = (np.datetime64("2000-01-01") + days.astype("timedelta64[D]")).astype("datetime64[M]")
    return np.append(np.flatnonzero(np.append(True, m[1:] != m[:-1])), len(m)), m

class Script:
    """What a script with numpy does. A subclass opens an array: self.array(t, name), and read(array, lo, hi) reads along time."""

    def raw16(self, t):
        return lambda: self.slab(self.array(t, "t"), 0, DAYS)

    def decoded(self, t):
        return lambda: decode(self.slab(self.array(t, "t"), 0, DAYS), t["path"])

    def blocks(self, t, n=4 * CHUNKS[0]):
        a = self.array(t, "t")
        for lo in range(0, DAYS, n):
            yield decode(self.slab(a, lo, min(lo + n, DAYS)), t["path"])

    def statistics(self, t):
        def f():
            import numpy as np
            n, low, high, mean, m2 = 0, np.inf, -np.inf, 0.0, 0.0
            for b in self.blocks(t):
                v = b[~np.isnan(b)]
                k, m = len(v), v.mean()
                low, high, d = min(low, v.min()), max(high, v.max()), m - mean
                m2 += ((v - m) ** 2).sum() + d * d * n * k / (n + k)
                mean += d * k / (n + k); n += k
            return [n, low, high, mean, (m2 / n) ** .5]
        return f

    def histogram(self, t):
        def f():
            import numpy as np
            return sum(np.histogram(b, BINS, (LOW, HIGH))[0] for b in self.blocks(t)).tolist()
        return f

    def month(self, t):
        def f():
            import numpy as np
            bounds, months = month_bounds(np.asarray(self.slab(self.array(t, "time"), 0, DAYS)))
            i = int(np.searchsorted(months[bounds[:-1]], np.datetime64(MONTH)))
            return decode(self.slab(self.array(t, "t"), int(bounds[i]), int(bounds[i + 1])), t["path"])
        return f

    def monthly(self, t):
        def f():
            import numpy as np, xarray as xr
            bounds, months = month_bounds(np.asarray(self.slab(self.array(t, "time"), 0, DAYS)))
            a, out = self.array(t, "t"), np.empty((len(bounds) - 1, LAT, LON))
            for i, (lo, hi) in enumerate(zip(bounds, bounds[1:])):
                out[i] = np.nanmean(decode(self.slab(a, int(lo), int(hi)), t["path"]), axis=0)
            xr.Dataset({"t": (("time", "lat", "lon"), out)}).to_zarr(os.path.join(t["root"], t["out"]), zarr_format=3)
        return f

    def series(self, t):
        def f():
            import numpy as np, xarray as xr
            out = np.concatenate([np.nanmean(b, axis=(1, 2)) for b in self.blocks(t)])
            xr.Dataset({"t": (("time",), out)}).to_zarr(os.path.join(t["root"], t["out"]), zarr_format=3)
        return f

class Xarray:
    """xarray on zarr-python, with dask's chunks or without."""
    wants = {"W9", "W10", "W11", "W12"}

    def __init__(self, stores, chunks):
        import xarray as xr
        self.xr, self.stores, self.chunks = xr, stores, chunks

    def open(self, t, **kw):
        return self.xr.open_zarr(self.stores.store(t, t["path"]), chunks=self.chunks, **kw)["t"]

    def raw16(self, t):
        return lambda: self.open(t, decode_cf=False).values

    def decoded(self, t):
        return lambda: self.open(t).values

    def statistics(self, t):
        def f():
            import dask
            a = self.open(t)
            a = a if self.chunks is not None else a.load()
            return [float(x) for x in dask.compute(a.count(), a.min(), a.max(), a.mean(), a.std())]
        return f

    def histogram(self, t):
        def f():
            import dask.array as da, numpy as np
            a = self.open(t)
            if self.chunks is None:
                return np.histogram(a.values, BINS, (LOW, HIGH))[0].tolist()
            return da.histogram(a.data, BINS, (LOW, HIGH))[0].compute().tolist()
        return f

    def month(self, t):
        return lambda: self.open(t).sel(time=MONTH).values

    def store(self, t, a):
        a = a.drop_encoding()
        if self.chunks is not None:
            a = a.chunk({d: n for d, n in zip(("time", "lat", "lon"), CHUNKS) if d in a.dims})  # Zarr's chunks are uniform
        a.to_dataset(name="t").to_zarr(os.path.join(t["root"], t["out"]), zarr_format=3)

    def monthly(self, t):
        return lambda: self.store(t, self.open(t).resample(time="MS").mean())

    def series(self, t):
        return lambda: self.store(t, self.open(t).mean(("lat", "lon")))

def verify(t):
    """Compares means that were written with numpy's means of the stored values."""
    import numpy as np, zarr
    want = os.path.join(t["bench"], t["do"] + "-" + t["path"] + ".npy")
    if not os.path.exists(want):
        g = zarr.open_group(os.path.join(t["root"], t["path"]), mode="r")
        bounds, _ = month_bounds(g["time"][...])
        v = decode(g["t"][...], t["path"]).astype("f8")
        monthly = t["do"] == "monthly"
        np.save(want, np.stack([np.nanmean(v[i:j], axis=0) for i, j in zip(bounds, bounds[1:])]) if monthly else np.nanmean(v, axis=(1, 2)))
    got = zarr.open_array(os.path.join(t["root"], t["out"], "t"), mode="r")
    same = got.shape == np.load(want).shape and bool(np.allclose(got[...], np.load(want), rtol=1e-6, atol=0))
    print(json.dumps({"verified": same}))

def workloads(cloud):
    local = ["tensorstore", "zarr", "xarray", "xarray-dask"]
    for c in CODING:
        yield "W9", c + "-raw", local[:3], dict(do="raw16", where="file", path=c)
        yield "W9", c, local, dict(do="decoded", where="file", path=c, type="float" + c[-2:])
    yield "W10", "statistics", local, dict(do="statistics", where="file", path="packed64")
    yield "W10", "histogram", local, dict(do="histogram", where="file", path="packed64", range=[LOW, HIGH], bins=BINS)
    yield "W11", "month-cloud", ["tensorstore", "zarr-c64", "xarray", "xarray-dask"], dict(do="month", where="s3", path="packed64", type="float64", month=MONTH, profile=cloud)
    yield "W12", "monthly", local, dict(do="monthly", where="file", path="packed64", out="out_monthly")
    yield "W12", "series", local, dict(do="series", where="file", path="packed64", out="out_series")
