"""Writes levels.zip: arrays, and the levels that xarray computes from them.

Made with Python 3.11, xarray 2026.9.0, zarr 3.1.6 and numpy 2.4.6. Each group is a case. It has the
array "source" and arrays such as "mean/1" and "mode/2". Level 2 is computed from level 1. The group
"coordinates" is a dataset whose levels are in mean/1 and mean/2.

The mean is DataArray.coarsen(boundary="pad").mean() of float64, which skips missing elements,
rounded to the data type. Integers are rounded by numpy.around, as xarray rounds when it encodes
packed values. nearest is a slice with a
step. The mode is the most frequent element that is not missing, the smallest of several, as
scipy.stats.mode(nan_policy="omit") defines it.
"""

import pathlib
import warnings
import zipfile

import numpy as np
import xarray as xr
import zarr

warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
out = pathlib.Path(__file__).parent / "levels.zip"
out.unlink(missing_ok=True)
store = zarr.storage.ZipStore(out, mode="w", compression=zipfile.ZIP_DEFLATED)
root = zarr.create_group(store, zarr_format=3)


def masked(a, fill):
    """The elements that are missing."""
    missing = np.zeros(a.shape, bool)
    if a.dtype.kind == "f":
        missing = np.isnan(a)
    if a.dtype.kind == "M":
        missing = np.isnat(a)
    return missing if fill is None else missing | (a == np.asarray(fill, a.dtype))


def empty(a, fill):
    return np.asarray(fill if fill is not None else "NaT" if a.dtype.kind == "M" else np.nan if a.dtype.kind == "f" else 0, a.dtype)


def windows(a, missing, dims, factor):
    da = xr.DataArray(a, dims=dims).where(~xr.DataArray(missing, dims=dims))
    return da.coarsen({d: f for d, f in zip(dims, factor) if f > 1}, boundary="pad")


def mean(a, fill, dims, factor):
    missing = masked(a, fill)
    wide = a.astype("f8") if a.dtype.kind == "f" else a
    m = windows(wide, missing, dims, factor).mean().values
    gone = np.isnan(m)
    if a.dtype.kind in "iu":
        m = np.around(m)
    return np.where(gone, empty(a, fill), np.where(gone, 0, m).astype(a.dtype))


def nearest(a, fill, dims, factor):
    return a[tuple(slice(None, None, f) for f in factor)]


def mode(a, fill, dims, factor):
    missing = masked(a, fill)
    shape = [-(-n // f) for n, f in zip(a.shape, factor)]
    result = np.full(shape, empty(a, fill), a.dtype)
    for i in np.ndindex(*shape):
        at = tuple(slice(k * f, (k + 1) * f) for k, f in zip(i, factor))
        values, counts = np.unique(a[at][~missing[at]], return_counts=True)
        if len(values):
            result[i] = values[np.argmax(counts)]  # values are sorted, so the smallest one
    return result


def case(name, a, dims=("y", "x"), factor=(2, 2), chunks=None, fill=None, methods=("mean", "nearest", "mode")):
    g = root.create_group(name)
    g.attrs["factor"] = max(factor)
    attrs = {} if fill is None else {"_FillValue": xr.backends.zarr.FillValueCoder.encode(a.dtype.type(fill), a.dtype)}
    kw = dict(dimension_names=dims, compressors=None)
    s = g.create_array("source", shape=a.shape, dtype=a.dtype, chunks=chunks or tuple(min(n, 4) for n in a.shape), attributes=attrs, **kw)
    s[...] = a
    for m in methods:
        level = a
        for k in (1, 2):
            level = globals()[m](level, fill, dims, factor)
            assert level.dtype == a.dtype
            t = g.create_array(f"{m}/{k}", shape=level.shape, dtype=level.dtype, chunks=level.shape, **kw)
            t[...] = level


shape = (7, 11)
for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
    info = np.iinfo(t)
    low, high = (max(info.min, -(2**50)), min(info.max, 2**50))
    case(t, rng.integers(low, high, shape, t, endpoint=True))
    few = rng.integers(0, 4, shape).astype(t)  # ties, and equal elements
    few[0:2, 0:2] = 3
    few[4:7, 8:11] = 3
    case(t + "-missing", few, fill=3)
for t in ("f2", "f4", "f8"):
    a = (rng.integers(-2000, 2000, shape) * 12 / 64).astype(t)  # sums of both levels are exact in any order
    a[rng.random(shape) < 0.3] = np.nan
    a[0:2, 0:2] = np.nan
    case(t, a)
    a = np.array([0, 12 / 64, 1], t)[rng.integers(0, 3, shape)]
    a[2, 3] = np.nan
    a[6, 10] = 1
    case(t + "-missing", a, fill=1)
case("f4-normal", rng.standard_normal((9, 8), "f4"), methods=("mean",))
case("bool", rng.random(shape) < 0.5, methods=("nearest", "mode"))
times = rng.integers(0, 5, shape).astype("M8[s]")
times[0:2, 0:2] = "NaT"
case("M8", times, methods=("nearest", "mode"))
case("c8", (rng.random(shape) + 1j * rng.random(shape)).astype("c8"), methods=("nearest",))
case("time-y-x", rng.integers(-99, 99, (3, 9, 10)).astype("i2"), ("time", "y", "x"), (1, 2, 2), (2, 4, 4))
case("y-x-band", rng.integers(-99, 99, (9, 10, 3)).astype("f4"), ("y", "x", "band"), (2, 2, 1), (3, 5, 3))
case("factor-3", rng.integers(0, 9, (10, 14)).astype("i4"), ("y", "x"), (3, 3), (5, 3))
case("line", rng.integers(0, 9, 21).astype("f8"), ("x",), (2,), (4,))

ds = xr.Dataset(
    {"source": (("time", "lat", "lon"), rng.integers(0, 64, (2, 5, 7)).astype("f4"))},
    {"time": [3, 9], "lat": np.linspace(60, 58, 5), "lon": np.arange(7)},
)
ds.time.attrs["units"] = "days since 2026-01-01"
g = root.create_group("coordinates")
g.attrs["factor"] = 2
for path in ("", "mean/1", "mean/2"):
    for name, v in ds.variables.items():
        t = g.create_array(f"{path}/{name}".strip("/"), shape=v.shape, dtype=v.dtype, chunks=v.shape, dimension_names=v.dims, compressors=None, attributes=v.attrs)
        t[...] = v.values
    ds = ds.coarsen(lat=2, lon=2, boundary="pad").mean()
store.close()
