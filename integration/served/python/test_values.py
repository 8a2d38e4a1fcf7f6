"""Values by labels are those of xarray."""

import io
import json
import os
import pathlib
import urllib.parse
import urllib.request

import numpy as np
import xarray as xr
from covjson_pydantic.coverage import Coverage, CoverageCollection

URL = os.environ["SERVED_READS"] + "/datasets/values/"
PATH = pathlib.Path(os.environ["SERVED_WRITTEN"]) / "values"


def get(path, **query):
    with urllib.request.urlopen(URL + path + "?" + urllib.parse.urlencode(query, doseq=True)) as reply:
        return reply.read()


def written():
    if not PATH.exists():
        write()
    return xr.open_zarr(PATH, consolidated=False)


def write():
    r = np.random.default_rng(1)
    lat, lon = np.arange(60, 39.9, -0.5), np.arange(0, 360, 1.5)
    time = np.datetime64("2026-01-01", "ns") + np.arange(40) * np.timedelta64(6, "h")
    t2m = 250 + 50 * r.random((40, lat.size, lon.size))
    t2m[r.random(t2m.shape) < 0.05] = np.nan
    u = r.random((40, 3, lat.size, lon.size)).astype("f4")
    u[1, 0, 0, 0] = np.nan
    units = {"lat": "degrees_north", "lon": "degrees_east", "level": "hPa"}
    coords = {"time": time, "lat": lat, "lon": lon, "level": [1000, 850, 500]}
    ds = xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), t2m, {"units": "K", "standard_name": "air_temperature"}),
            "u": (("time", "level", "lat", "lon"), u, {"units": "m s-1"}),
            "count": (("lat", "lon"), r.integers(0, 5, (lat.size, lon.size)).astype("i2")),
            "masked": (("lat",), np.where(np.arange(lat.size) % 3, np.arange(lat.size), np.nan)),
            "land": (("lat",), np.arange(lat.size) % 2 == 0),
            "when": (("time",), time + np.timedelta64(1, "h")),
            "site": (("time",), np.array([f'a,"{i}' for i in range(40)], dtype=object)),
        },
        coords={name: (name, values, {"units": units[name]} if name in units else {}) for name, values in coords.items()},
    )
    packed = {"dtype": "int16", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768, "chunks": (16, 20, 100)}
    ds.to_zarr(PATH, zarr_format=3, consolidated=False, encoding={"t2m": packed, "masked": {"dtype": "int32", "_FillValue": -1}})


def labels(values):
    return np.datetime_as_string(values, unit="s") if values.dtype.kind == "M" else values


def test_selections():
    """Random selections, as JSON and as files of NumPy."""
    ds, r = written(), np.random.default_rng(2)
    for _ in range(200):
        name = str(r.choice(list(ds.data_vars)))
        want, query = ds[name], {}
        for dim in want.dims:
            values = ds[dim].values
            texts = [str(v) for v in labels(values)]
            i, j = sorted(r.integers(0, len(values), 2))
            match r.integers(0, 5):
                case 0:
                    query[dim], want = texts[i], want.sel({dim: values[i]})
                case 1:
                    query[dim], want = texts[i] + ":" + texts[j], want.sel({dim: slice(values[i], values[j])})
                case 2 if i != j:
                    query[dim], want = texts[j] + "," + texts[i], want.sel({dim: values[[j, i]]})
                case 3 if dim != "time":
                    near = float(values[i]) + float(r.uniform(-0.7, 0.7))
                    query[dim], want = f"nearest::{near!r}", want.sel({dim: near}, method="nearest")
        got = json.loads(get("slice", var=name, **query))
        for dim, coord in got["coords"].items():
            assert np.array_equal(coord["data"], labels(want[dim].values)), (name, query, dim)
        values = np.array(got["data_vars"][name]["data"], dtype=object)
        assert values.shape == want.shape, (name, query)
        missing = want.isnull().values if want.dtype.kind in "fM" else np.zeros(want.shape, bool)
        assert np.array_equal(values == None, missing), (name, query)  # noqa: E711
        found, expected = values[~missing], np.asarray(labels(want.values))[~missing]
        assert np.array_equal(found.astype(want.dtype if want.dtype.kind == "f" else object), expected), (name, query)
        if name == "site":
            continue
        file = np.load(io.BytesIO(get("point", var=name, f="npy", **query)))
        assert file.dtype == want.dtype, name
        assert np.array_equal(file, want.values, equal_nan=want.dtype.kind in "fM"), (name, query)


def test_table():
    """Two variables as CSV."""
    rows = get("point", var="t2m,when", time="2026-01-02", lat="50", lon="nearest::10", f="json")
    assert list(json.loads(rows)["data_vars"]) == ["t2m", "when"]
    want = written().t2m.sel(time="2026-01-02", lat=[50, 40], lon=10.5).to_series()
    lines = get("slice", var="t2m", time="2026-01-02", lat="50,40", lon="10.5", f="csv").decode().splitlines()
    assert lines[0] == "time,lat,t2m"
    cells = [line.split(",") for line in lines[1:]]
    assert [(t, float(y)) for t, y, _ in cells] == [(f"{t:%Y-%m-%dT%H:%M:%S}", y) for t, y in want.index]
    assert np.array_equal([float(v or "nan") for _, _, v in cells], want.values, equal_nan=True)


def test_statistics():
    ds = written()
    for name, query, part in [
        ("t2m", {}, {}),
        ("t2m", {"time": "2026-01-02", "lat": "50,40"}, {"time": "2026-01-02", "lat": [50, 40]}),
        ("u", {"level": "850", "lon": "10:20"}, {"level": 850, "lon": slice(10, 20)}),
        ("count", {"lat": "50:45"}, {"lat": slice(50, 45)}),
        ("masked", {}, {}),
    ]:
        got = json.loads(get("stats", var=name, bins=7, **query))
        values = ds[name].sel(part).values.astype("f8").ravel()
        finite = values[~np.isnan(values)]
        assert (got["elements"], got["count"], got["missing"]) == (values.size, finite.size, values.size - finite.size)
        assert (got["min"], got["max"]) == (finite.min(), finite.max())
        assert np.allclose([got["mean"], got["std"]], [finite.mean(), finite.std()], rtol=1e-12, atol=0)
        counts, edges = np.histogram(finite, 7)
        assert got["histogram"]["counts"] == counts.tolist() and got["histogram"]["edges"] == edges.tolist()


def edr(path, **query):
    """A coverage, which is valid CoverageJSON."""
    text = get(path, **{name.replace("_", "-"): value for name, value in query.items()})
    doc = json.loads(text)
    (CoverageCollection if doc["type"] == "CoverageCollection" else Coverage).model_validate_json(text)
    return doc


def values_of(coverage, name):
    of = coverage["ranges"][name]
    return np.array([np.nan if v is None else v for v in of["values"]]).reshape(of["shape"])


def axis(coverage, name):
    return coverage["domain"]["axes"][name]["values"]


def same(coverage, name, want):
    got = values_of(coverage, name)
    assert np.array_equal(got.astype(want.dtype), want.values, equal_nan=True), name
    axes = {"time": "t", "level": "z", "lat": "y", "lon": "x", "points": "composite"}
    assert coverage["ranges"][name]["axisNames"] == [axes[d] for d in want.dims]


def test_positions():
    """Points, with times and levels."""
    ds, r = written(), np.random.default_rng(3)
    when = [({}, {}, 40), ({"datetime": "2026-01-03T06:00:00Z"}, {"time": "2026-01-03T06:00:00"}, 1), ({"datetime": "2026-01-02/2026-01-04"}, {"time": slice("2026-01-02", "2026-01-04")}, 12), ({"datetime": "../2026-01-01"}, {"time": "2026-01-01"}, 4)]
    where = [({}, {}, 3), ({"z": "850"}, {"level": 850}, 1), ({"z": "500,1000"}, {"level": [500, 1000]}, 2), ({"z": "400/900"}, {"level": [850, 500]}, 2), ({"z": "R2/500/350"}, {"level": [500, 850]}, 2)]
    for n in range(40):
        lon, lat = float(r.uniform(-180, 540)), float(r.uniform(39.8, 60.2))
        query, sel, times = when[n % 4]
        part = ds.sel(lat=lat, method="nearest").isel(lon=np.argmin(np.abs((ds.lon.values - lon + 180) % 360 - 180)))
        if n % 2:
            c = edr("position", coords=f"POINT({lon} {lat})", parameter_name="t2m", **query)
            same(c, "t2m", part.t2m.sel(sel))
            assert c["domain"]["domainType"] == ("Point" if times == 1 else "PointSeries")
        else:
            levels, level, count = where[n // 2 % 5]
            c = edr("position", coords=f"point ({lon:e}  {lat})", parameter_name="u", **query, **levels)
            same(c, "u", part.u.sel(sel).sel(level))
            kind = {(False, False): "Point", (True, False): "PointSeries", (False, True): "VerticalProfile", (True, True): "Grid"}
            assert c["domain"]["domainType"] == kind[times > 1, count > 1]
            assert axis(c, "z") == np.atleast_1d(part.u.sel(level).level.values).tolist()
        assert (axis(c, "x"), axis(c, "y")) == ([part.lon], [part.lat])
        assert axis(c, "t") == [t + "Z" for t in np.atleast_1d(labels(part.time.sel(sel).values))]
    c = edr("position", coords="MULTIPOINT((10 50),(-10.4 41.1))", parameter_name="t2m")
    same(c, "t2m", ds.t2m.sel(lat=xr.DataArray([50.0, 41.0], dims="points"), lon=xr.DataArray([10.5, 349.5], dims="points")))
    assert c["domain"]["domainType"] == "MultiPointSeries" and axis(c, "composite") == [[10.5, 50.0], [349.5, 41.0]]
    c = edr("position", coords="POINT(10 50)", datetime="2026-01-01T00:00:00", z="500")
    assert [sorted(one["ranges"]) for one in c["coverages"]] == [["count"], ["t2m"], ["u"]]


def test_areas():
    """Polygons, also across the first longitude and with a hole."""
    ds = written()
    c = edr("area", coords="POLYGON((10 45,20 45,20 50,10 50,10 45))", parameter_name="t2m", datetime="2026-01-02")
    same(c, "t2m", ds.t2m.sel(lat=slice(50, 45), lon=slice(10, 20), time="2026-01-02"))
    assert c["domain"]["domainType"] == "Grid" and axis(c, "x") == np.arange(10.5, 20, 1.5).tolist()
    ring, hole = [(-15.1, 42.2), (14.9, 41.3), (7.3, 57.7), (-15.1, 42.2)], [(-3.1, 44.9), (2.2, 45.1), (1.7, 48.2), (-3.1, 44.9)]
    text = ",".join("(" + ",".join(f"{x} {y}" for x, y in points) + ")" for points in (ring, hole))
    c = edr("area", coords=f"POLYGON({text})", parameter_name="count")
    x, y = np.array(axis(c, "x")), np.array(axis(c, "y"))
    assert x[0] == -15 and x[-1] == 13.5 and (np.diff(x) == 1.5).all()
    want = ds["count"].sel(lat=y, lon=x % 360).values.astype(float)

    def within(points):
        inside = np.zeros(want.shape, bool)
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            crosses = (y1 > y[:, None]) != (y2 > y[:, None])
            inside ^= crosses & (x[None, :] < x1 + (y[:, None] - y1) / (y2 - y1) * (x2 - x1))
        return inside

    want[~within(ring) | within(hole)] = np.nan
    assert np.array_equal(values_of(c, "count"), want, equal_nan=True)
