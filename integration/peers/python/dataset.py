"""The dataset that xarray writes for zargo, and finds again where zargo wrote it. The Go tests know the same values on their own."""

import hashlib

import numpy as np
import xarray as xr
import zarr

T, LAT, LON = 7, 5, 6
FILL = -32768  # of what is packed
PARTS = {"": "root", "sub/part": "part"}  # the groups that are datasets


def numbers(dtype, *shape, seed=0):
    """Element i is (3 i + seed) mod 101, halved in a float."""
    v = (np.arange(int(np.prod(shape))) * 3 + seed) % 101
    return (v / 2 if np.dtype(dtype).kind == "f" else v).astype(dtype).reshape(shape)


def root():
    temperature = numbers("f4", T, LAT, LON, seed=200)
    temperature[2:4, :, 0:4] = np.nan  # a chunk that is not stored
    rain = numbers("f8", T, LAT, seed=1)
    rain[1, 2] = np.nan
    waves = (numbers("f4", LON, seed=5) + 1j * numbers("f4", LON, seed=9)).astype("c8")
    variables = {
        "t2m": (("time", "lat", "lon"), temperature, {"units": "K", "long_name": "température à 2 m", "levels": [1, 2.5, None]}),
        "rain": (("time", "lat"), rain, {"units": "mm"}),
        "count": (("lat", "lon"), numbers("u2", LAT, LON, seed=7)),
        "land": (("lat", "lon"), numbers("i8", LAT, LON) % 2 == 1),
        "waves": (("lon",), waves),
        "total": ((), np.int64(2**53 + 1)),
    }
    coords = {
        "time": (("time",), np.datetime64("2024-02-28T12:00:00", "ns") + np.arange(T) * np.timedelta64(6, "h"), {"axis": "T"}),
        "lat": (("lat",), np.linspace(-1, 1, LAT), {"units": "degrees_north"}),
        "lon": (("lon",), np.arange(LON, dtype="f4") * 60, {"units": "degrees_east"}),
        "lead": (("time",), np.arange(T) * np.timedelta64(90, "m").astype("m8[ns]")),
        "height": ((), 2.0),
    }
    coords["code"] = (("lat",), np.array([b"a", b"bc", b"def", b"", b"ghij"]))
    coords["name"] = (("lat",), np.array(["a", "é", "漢字", "", "𝄞b"]))
    coords["label"] = (("lat",), np.array(["a", "é", "漢字", "", "longer than the others"], dtype=object))
    return xr.Dataset(variables, coords, {"title": "zargo and xarray", "version": 3, "nested": {"a": [1, 2.5, "é"], "b": True}})


def part():
    return xr.Dataset({"x": (("n",), numbers("i4", 10, seed=3), {"units": "1"})}, {"n": (("n",), numbers("i8", 10))}, {"depth": 2})


def make(name):
    return {"root": root, "part": part}[name]()


def encoding(ds):
    e = {
        "time": {"units": "hours since 2024-02-28T12:00:00", "calendar": "proleptic_gregorian", "dtype": "int64"},
        "lead": {"units": "minutes", "dtype": "int64"},
        "rain": {"dtype": "int16", "scale_factor": 0.5, "add_offset": 10.5, "_FillValue": FILL},
        "t2m": {"chunks": (2, LAT, 4)},
    }
    return {k: v for k, v in e.items() if k in ds.variables}


def below(path, group):
    return "/".join(p for p in (path, group) if p)


def save(place, via, path, format):
    """Writes the groups and what consolidates them; tells what xarray then reads, as stored and decoded."""
    store = place.store(via)
    for group, name in PARTS.items():
        ds = make(name)
        ds.to_zarr(store, group=below(path, group), mode="w" if group == "" else "a", zarr_format=format, consolidated=False,
                   encoding=encoding(ds))
    store = place.store(via)  # the first one may remember listings from before
    zarr.consolidate_metadata(store, path=path, zarr_format=format)
    told = {}
    for group, name in PARTS.items():
        want = make(name)
        with xr.open_zarr(store, group=below(path, group), zarr_format=format, consolidated=False) as got:
            xr.testing.assert_identical(want, got.load())
        with xr.open_zarr(store, group=below(path, group), zarr_format=format, consolidated=False, decode_cf=False) as stored:
            told[group] = {"attrs": stored.attrs, "variables": {k: tell(v) for k, v in stored.load().variables.items()}}
    return {"groups": told}


def tell(v):
    """What xarray knows of a variable that it did not decode."""
    attrs = dict(v.attrs)
    fill = attrs.pop("_FillValue", None)
    values = v.values
    text = values.tolist() if values.dtype.kind in "OT" else None
    raw = None if text is not None else little(values)
    return {"dims": v.dims, "shape": v.shape, "dtype": values.dtype.name, "attrs": attrs, "text": text,
            "fill": None if fill is None else little(np.asarray(fill, values.dtype)).hex(),
            "sha256": None if raw is None else hashlib.sha256(raw).hexdigest()}


def little(a):
    return np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"), copy=False)).tobytes()


def load(place, via, path, format, consolidate):
    """Opens what zargo wrote and compares all of it: values, types, names, attributes, decoded times.

    consolidate is the folder in which zarr-python first adds consolidated metadata, or None.
    """
    if consolidate:
        zarr.consolidate_metadata(zarr.storage.LocalStore(consolidate), zarr_format=format)
    store = place.store(via)
    for group, name in PARTS.items():
        want = make(name)
        with xr.open_zarr(store, group=below(path, group), zarr_format=format, consolidated=bool(consolidate)) as got:
            got.load()
        for k in want.variables:
            if k not in got.variables:
                return {"error": f"group {group!r} has no variable {k}: only {sorted(got.variables)}"}
        xr.testing.assert_identical(want, got)
        for k, v in want.variables.items():
            if got[k].dtype != v.dtype and {got[k].dtype.kind, v.dtype.kind} != {"O", "T"}:  # both are text of any length
                return {"differs": f"{k} has data type {got[k].dtype}, want {v.dtype}"}
    return {"groups": {group: {} for group in PARTS}}
