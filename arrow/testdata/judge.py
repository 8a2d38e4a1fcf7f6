"""Judges tables of zargo by xarray, pyarrow and DuckDB.

    judge.py make DIR N    writes N random datasets DIR/0.zarr, … with xarray, and what to select in DIR/0.json, …
    judge.py check DIR N   compares the tables that a Go test wrote beside them with xarray's to_dataframe
    judge.py tables DIR N     writes N random tables with DuckDB and pyarrow, and how to import them in DIR/0.json, …
    judge.py imported DIR N   compares the datasets DIR/0.zarr, … of these tables with pandas' to_xarray
    judge.py big DIR 1        writes a large table DIR/big.parquet
    judge.py bigs DIR 1       compares the imported dataset DIR/big.zarr
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


def column(rng, kind, n):
    numbers = rng.integers(0, 200, n)
    values = {
        "real": lambda: pa.array(numbers / 4, mask=rng.random(n) < 0.2), "single": lambda: pa.array((numbers / 4).astype("f4")),
        "big": lambda: pa.array(2**53 + numbers.astype("i8") * 3 + 1), "small": lambda: pa.array(numbers.astype("u1"), mask=numbers == 255),
        "holes": lambda: pa.array(numbers.astype("i4"), mask=rng.random(n) < 0.2), "huge": lambda: pa.array(numbers.astype("u8") + 2**63),
        "flag": lambda: pa.array(numbers % 3 == 0), "perhaps": lambda: pa.array(numbers % 3 == 0, mask=rng.random(n) < 0.2),
        "text": lambda: pa.array(["text, \"%d\" µ" % i for i in numbers]), "word": lambda: pa.array(["w%d" % (i % 5) for i in numbers]).dictionary_encode(),
        "stamp": lambda: pa.array(np.datetime64("2010-01-01", "us") + numbers * np.timedelta64(1, "m"), mask=rng.random(n) < 0.2),
        "day": lambda: pa.array((numbers - 100).astype("i4"), pa.date32()),
    }
    return values[kind]()


VALUES = ["real", "single", "big", "small", "holes", "huge", "flag", "perhaps", "text", "word", "stamp", "day"]
LABELS = {
    "time": lambda rng, n: pa.array(pd.date_range("2001-01-01", periods=n, freq="6h").values, pa.timestamp(str(rng.choice(["s", "ms", "us", "ns"])), tz=[None, "UTC", "+05:30"][rng.integers(3)])),
    "lat": lambda rng, n: pa.array((np.linspace(-60, 60, n) + 0.1).astype(str(rng.choice(["f4", "f8"])))),
    "lon": lambda rng, n: pa.array((np.arange(n) * 10).astype(str(rng.choice(["i8", "i4", "u2"])))),
    "station": lambda rng, n: pa.array(["station %03d" % i for i in rng.permutation(n)]),
}


def tables(folder, seed):
    """Writes a table with shuffled rows to a file, and how it is imported."""
    rng = np.random.default_rng(1000 + seed)
    dims = [str(d) for d in rng.permutation(list(LABELS))[: rng.integers(1, 4)]]
    labels = [LABELS[d](rng, int(rng.integers(2, 9))) for d in dims]
    index = np.array(np.meshgrid(*[np.arange(len(x)) for x in labels], indexing="ij")).reshape(len(dims), -1)
    index = index[:, rng.permutation(index.shape[1])]
    if rng.random() < 0.6:
        index = index[:, : max(1, int(index.shape[1] * 0.8))]
    columns = {d: x.take(pa.array(i)) for d, x, i in zip(dims, labels, index)}
    columns |= {k: column(rng, str(k), index.shape[1]) for k in rng.permutation(VALUES)[:6]}
    names = [str(k) for k in rng.permutation(list(columns))]
    table = pa.table({k: columns[k] for k in names})
    duckdb.register("shuffled", table)
    base, form = folder / ("%d" % seed), ["duckdb", "parquet", "arrow", "stream", "csv"][seed % 5]
    if form == "duckdb":
        duckdb.sql("copy (select * from shuffled) to '%s.parquet' (format parquet, row_group_size 2048)" % base)
    elif form == "parquet":
        pyarrow.parquet.write_table(table, "%s.parquet" % base, row_group_size=7, coerce_timestamps=None)
    elif form == "csv":
        duckdb.sql("copy (select * from shuffled) to '%s.csv' (header)" % base)
    else:
        with (pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream)("%s.%s" % (base, form), table.schema) as w:
            for b in table.to_batches(max_chunksize=5):
                w.write_batch(b)
    with pa.OSFile("%s.rows" % base, "wb") as f, pa.ipc.new_file(f, table.schema) as w:
        w.write_table(table)
    how = {"Labels": dims, "Chunks": {d: int(rng.integers(1, 5)) for d in dims}, "Format": int(rng.choice([2, 3])), "Memory": int(rng.choice([4000, 10**7]))}
    (folder / ("%d.json" % seed)).write_text(json.dumps({"File": "%s.%s" % (base, "parquet" if form == "duckdb" else form), "Options": how}))


def imported(folder, seed):
    """Compares an imported dataset with pandas' to_xarray."""
    dims = json.loads((folder / ("%d.json" % seed)).read_text())["Options"]["Labels"]
    table = pa.ipc.open_file("%s.rows" % (folder / ("%d" % seed))).read_all()
    rows = table.to_pandas()
    for c in rows.columns:
        if rows[c].dtype.kind == "M" and getattr(rows[c].dt, "tz", None) is not None:
            rows[c] = rows[c].dt.tz_convert("UTC").dt.tz_localize(None)
        if pa.types.is_date(table.schema.field(c).type):
            rows[c] = pd.to_datetime(rows[c])
    want = rows.set_index(dims)[[c for c in rows.columns if c not in dims]].to_xarray().sortby(dims)
    store = str(folder / ("%d.zarr" % seed))
    got, raw = xr.open_zarr(store), xr.open_zarr(store, mask_and_scale=False)
    assert list(got.sizes) == dims and dict(got.sizes) == dict(want.sizes), (seed, got.sizes, want.sizes)
    for d in dims:
        w, g = want[d].values, got[d].values
        assert len(w) == len(g) and (w == g.astype(w.dtype)).all(), (seed, d, w, g)
    where = tuple(want.indexes[d].get_indexer(rows[d]) for d in dims)
    for name in want.data_vars:
        w, g = want[name].values, got[name].transpose(*dims).values
        if w.dtype == object and any(isinstance(x, str) for x in w.ravel()):
            assert (np.where(pd.isna(w), "", w) == g).all(), (seed, name, w, g)
        elif w.dtype.kind == "M":
            assert ((w.astype("M8[ns]") == g.astype("M8[ns]")) | (np.isnat(w) & np.isnat(g))).all(), (seed, name, w, g)
        else:
            w, g = w.astype(float), g.astype(float)
            assert ((w == g) | (np.isnan(w) & np.isnan(g))).all(), (seed, name, w, g)
        if name in ("big", "huge"):
            exact = np.array(table.column(name).to_pylist(), dtype=object)
            assert (raw[name].transpose(*dims).values[where].astype(object) == exact).all(), (seed, name)
    print(seed, dict(got.sizes), len(rows), "rows", list(want.data_vars))


def big(folder, seed):
    """Writes a table of 2,000,000 rows in row groups of 500,000, with its rows in blocks of another order."""
    duckdb.sql("select setseed(0.5)")
    duckdb.sql("""copy (select i // 1000 as x, i %% 1000 as y, i * 0.5::double as v, i + 9007199254740993 as n, 'text ' || i as s from range(2000000) t(i)
        order by hash(i // 50000), i) to '%s' (format parquet, row_group_size 500000)""" % (folder / "big.parquet"))


def bigs(folder, seed):
    ds = xr.open_zarr(str(folder / "big.zarr"), mask_and_scale=False)
    i = np.arange(2000000, dtype="i8").reshape(2000, 1000)
    assert (ds.v == i * 0.5).all() and (ds.n == i + 9007199254740993).all() and (ds.s == np.char.add("text ", i.astype(str)).astype(object)).all()
    print("big", dict(ds.sizes))


if __name__ == "__main__":
    for s in range(int(sys.argv[3])):
        {"make": make, "check": check, "served": served, "tables": tables, "imported": imported, "big": big, "bigs": bigs}[sys.argv[1]](pathlib.Path(sys.argv[2]), s, *sys.argv[4:])
