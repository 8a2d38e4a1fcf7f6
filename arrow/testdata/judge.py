"""Judges tables of zargo by xarray, pyarrow and DuckDB.

    judge.py make DIR N    writes N random datasets DIR/0.zarr, … with xarray, and what to select in DIR/0.json, …
    judge.py check DIR N   compares the tables that a Go test wrote beside them with xarray's to_dataframe
    judge.py served DIR N URL   compares the streams of a server of the datasets 0, 1, … in the same way
"""
import json
import pathlib
import sys
import urllib.request
import warnings

import cftime
import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import xarray as xr

warnings.simplefilter("ignore")

TIMES = [
    ("hours since 1900-01-01", "int64", "standard"), ("days since 2000-01-01", "float64", "proleptic_gregorian"),
    ("seconds since 1970-01-01", "int32", "standard"), ("milliseconds since 2000-01-01", "int64", "standard"),
    ("microseconds since 2000-01-01", "int64", "standard"), ("nanoseconds since 2000-01-01", "int64", "standard"),
    ("days since 2000-01-01", "int64", "noleap"), ("hours since 2000-01-01", "float64", "360_day"),
]


def coordinates(rng, sizes):
    """Coordinates of the dimensions, their encodings, and a range of labels of each that can be selected."""
    coords, encoding, ranges = {}, {}, {}
    for dim, n in sizes.items():
        if dim == "lat":
            values = np.linspace(-60, 60, n) * rng.choice([-1, 1])
        elif dim == "lon":
            values = (np.arange(n) * 10).astype(rng.choice(["int64", "float32", "uint16"]))
        elif dim == "time":
            units, dtype, calendar = TIMES[rng.integers(len(TIMES))]
            if calendar in ("noleap", "360_day"):
                values = np.array([cftime.datetime(2001, 1 + i // 28, 1 + i % 28, 6 * (i % 4), calendar=calendar) for i in range(n)])
            else:
                values = pd.date_range("2001-01-01", periods=n, freq=rng.choice(["6h", "D"])).values
            encoding["time"] = {"units": units, "dtype": dtype, "calendar": calendar}
        elif dim == "station":
            values = np.array(["station %d" % i for i in rng.permutation(n)], dtype=object)
        else:
            continue  # a dimension without a coordinate
        coords[dim] = (dim, values)
        if dim in ("lat", "lon"):
            ranges[dim] = sorted(float(v) for v in rng.choice(values, 2))
    return coords, encoding, ranges


def variable(rng, kind, shape):
    """Values and an encoding."""
    n = int(np.prod(shape))
    holes = rng.random(n) < 0.2
    numbers = rng.integers(0, 200, n)
    if kind in ("float16", "float32", "float64"):
        return np.where(holes, np.nan, numbers / 4).astype(kind).reshape(shape), {}
    if kind == "packed":
        return np.where(holes, np.nan, numbers * 0.25 + 100).reshape(shape), {"dtype": "int16", "scale_factor": 0.25, "add_offset": 100.0, "_FillValue": -999}
    if kind == "masked":
        return np.where(holes, np.nan, numbers.astype(float)).reshape(shape), {"dtype": "int32", "_FillValue": -1}
    if kind == "bool":
        return (numbers % 3 == 0).reshape(shape), {}
    if kind == "text":
        return np.array(["text, \"%d\" µ" % i for i in numbers], dtype=object).reshape(shape), {}
    if kind == "difference":
        return np.where(holes, np.timedelta64("NaT", "ns"), (numbers * 3600 * 10**9).astype("m8[ns]")).reshape(shape), {"dtype": "int64"}
    if kind == "stamp":
        return np.where(holes, np.datetime64("NaT", "ns"), np.datetime64("2010-01-01", "ns") + (numbers * 60 * 10**9).astype("m8[ns]")).reshape(shape), {"dtype": "int64", "units": "seconds since 2000-01-01", "_FillValue": -(2**63)}
    return numbers.astype(kind).reshape(shape), {}


KINDS = ["float16", "float32", "float64", "packed", "masked", "bool", "text", "difference", "stamp", "int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"]


def make(folder, seed):
    rng = np.random.default_rng(seed)
    sizes = {dim: int(rng.integers(1, 9)) for dim in rng.permutation(["time", "lat", "lon", "station", "member"])[: rng.integers(1, 5)]}
    coords, encoding, ranges = coordinates(rng, sizes)
    data, dims = {}, list(sizes)
    for i, kind in enumerate(rng.permutation(KINDS)[:7]):
        own = dims if i < 4 else list(rng.permutation(dims)[: rng.integers(1, len(dims) + 1)])
        own = list(rng.permutation(own)) if rng.random() < 0.4 else own
        shape = [sizes[d] for d in own]
        values, enc = variable(rng, kind, shape)
        enc["chunks"] = tuple(int(rng.integers(1, n + 1)) for n in shape)
        data["%s_%d" % (kind, i)] = (own, values)
        encoding["%s_%d" % (kind, i)] = enc
    if "lat" in sizes and "lon" in sizes and rng.random() < 0.7:
        coords["area"] = (["lat", "lon"], rng.random((sizes["lat"], sizes["lon"])))
    coords["twice"] = (dims[:1], np.arange(sizes[dims[0]]) // 2)  # labels that repeat
    coords["height"] = 2.0
    if "lat" in sizes:
        data["lat_bnds"] = (["lat", "bnds"], np.zeros((sizes["lat"], 2)))
        data["crs"] = ([], np.int32(0), {"grid_mapping_name": "latitude_longitude"})
    ds = xr.Dataset(data, coords)
    if "lat" in sizes:
        ds.lat.attrs["bounds"] = "lat_bnds"
    ds.to_zarr(folder / ("%d.zarr" % seed), mode="w", encoding=encoding, zarr_format=int(rng.choice([2, 3])))
    select = {d: r for d, r in ranges.items() if rng.random() < 0.5}
    (folder / ("%d.json" % seed)).write_text(json.dumps(select))


def frame(ds, dims, names):
    """The rows of a table by xarray, in the order of the index."""
    out = ds[names].reset_coords("height", drop=True).to_dataframe(dim_order=dims).reset_index()
    return out[[c for c in out.columns if c != "height"]]


def plain(column):
    """A column with one spelling of each value: ns for times, texts for times of other calendars."""
    c = column.astype(column.cat.categories.dtype) if isinstance(column.dtype, pd.CategoricalDtype) else column
    if c.dtype == object and len(c) and isinstance(c.dropna().iloc[0] if c.notna().any() else None, cftime.datetime):
        return c.map(lambda t: t.isoformat())
    if c.dtype.kind in "mM":
        return c.astype(c.dtype.kind + "8[ns]")
    return c


def same(want, got, dims, what):
    assert set(want.columns) == set(got.columns), (what, list(want.columns), list(got.columns))
    assert len(want) == len(got), (what, len(want), len(got))
    want, got = (f.apply(plain).sort_values(dims, ignore_index=True) for f in (want, got))
    for c in want.columns:
        w, g = want[c], got[c]
        assert (w.isna() == g.isna()).all(), (what, c, "nulls", int(w.isna().sum()), int(g.isna().sum()))
        w, g = w[w.notna()], g[g.notna()]
        if w.dtype.kind == "f" or g.dtype.kind == "f":
            assert np.allclose(w.astype(float), g.astype(float), rtol=1e-6, atol=0), (what, c)
        else:
            assert (w.astype(object).values == g.astype(object).values).all(), (what, c, w.head(), g.head())


def sums(want, source, what):
    """Counts and sums by DuckDB."""
    for c in want.columns:
        w = plain(want[c])
        column = '"%s"' % c
        rows, present = duckdb.sql("select count(*), count(%s) from %s" % (column, source)).fetchall()[0]
        assert (rows, present) == (len(w), int(w.notna().sum())), (what, c, rows, present)
        if w.dtype.kind in "iuf":
            total = duckdb.sql("select sum(%s::double) from %s" % (column, source)).fetchall()[0][0] or 0.0
            assert np.isclose(total, w.sum(skipna=True), rtol=1e-6), (what, c, total, w.sum())
        if w.dtype.kind == "M":
            first = duckdb.sql("select min(%s)::timestamp_ns from %s" % (column, source)).fetchall()[0][0]
            assert first is None and w.isna().all() or pd.Timestamp(first) == w.min(), (what, c, first)


def check(folder, seed):
    ds = xr.open_zarr(folder / ("%d.zarr" % seed), decode_timedelta=True)
    for dim, (lo, hi) in json.loads((folder / ("%d.json" % seed)).read_text()).items():
        down = ds.sizes[dim] > 1 and ds[dim].values[0] > ds[dim].values[-1]
        ds = ds.sel({dim: slice(hi, lo) if down else slice(lo, hi)})
    sets = {}
    for name in sorted(ds.data_vars):
        if name not in ("lat_bnds", "crs"):
            sets.setdefault(frozenset(ds[name].dims), []).append(name)
    written = sorted(folder.glob("%d-*.arrow" % seed))
    assert len(written) == len(sets), (seed, written, sets)
    for i, (_, names) in enumerate(sets.items()):
        dims = list(ds[names[0]].dims)
        want, base = frame(ds, dims, names), folder / ("%d-%d" % (seed, i))
        file = pa.ipc.open_file("%s.arrow" % base).read_all()
        stream = pa.ipc.open_stream("%s.stream" % base).read_all()
        assert file.column_names[: len(dims)] == dims, (seed, file.column_names, dims)
        assert stream.equals(file), seed
        for b in file.to_batches():
            b.validate(full=True)
        parquet = pyarrow.parquet.read_table("%s.parquet" % base)
        stored = parquet.to_pandas()
        for c in want.columns:
            if want[c].dtype.kind == "m":
                stored[c] = pd.to_timedelta(stored[c], unit="ns")
        same(want, file.to_pandas(), dims, (seed, i, "arrow"))
        same(want, stored, dims, (seed, i, "parquet"))
        numbers = want[[c for c in want.columns if want[c].dtype.kind != "m"]]
        sums(numbers, "'%s.parquet'" % base, (seed, i, "duckdb", "parquet"))
        duckdb.register("batches", file)
        sums(numbers, "batches", (seed, i, "duckdb", "arrow"))
        sums(numbers, "read_csv('%s.csv', header=true, delim=',', quote='\"', sample_size=-1)" % base, (seed, i, "duckdb", "csv"))
        print(seed, i, dims, len(want), "rows", len(want.columns), "columns")


def served(folder, seed, url):
    ds = xr.open_zarr(folder / ("%d.zarr" % seed), decode_timedelta=True)
    sets = {}
    for name in sorted(ds.data_vars):
        if name not in ("lat_bnds", "crs"):
            sets.setdefault(ds[name].dims, []).append(name)
    for dims, names in sets.items():
        query = "%s/datasets/%d/slice?var=%s" % (url, seed, ",".join(names))
        request = urllib.request.Request(query, headers={"Accept": "application/vnd.apache.arrow.stream"})
        with urllib.request.urlopen(request) as response:
            got = pa.ipc.open_stream(response).read_all()
        want = frame(ds, list(dims), names)
        same(want[[*dims, *names]], got.to_pandas(), list(dims), (seed, "served", dims))
        print(seed, dims, len(want), "rows")


if __name__ == "__main__":
    for s in range(int(sys.argv[3])):
        {"make": make, "check": check, "served": served}[sys.argv[1]](pathlib.Path(sys.argv[2]), s, *sys.argv[4:])
