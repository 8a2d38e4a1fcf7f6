"""Writes data.v2.zip and data.v3.zip with zarr-python 3.1.6, the same dataset as a netCDF-4 file with
netCDF4-python 1.7.5, and the output of ncdump 4.9.0 for that file: header.cdl and values.cdl.

usage: python make.py NCDUMP
"""

import os
import subprocess
import sys
import tempfile

import netCDF4
import numpy as np
import zarr

x = np.arange(12)
nan, inf = np.nan, np.inf


def text(*words):
    return np.array(words, dtype=object)


def chars(n, *words):
    return np.array(words, dtype=f"S{n}").view("S1").reshape(len(words), n)


rng = np.random.default_rng(5)

# name: (dimensions, values, missing value or None, attributes in the order of their names)
ROOT = {
    "bytes": (("x",), np.array([-128, 0, 127], "i1"), None, {"flag_meanings": "a b c", "flag_values": np.array([-128, 0, 127], "i1")}),
    "cells": (("time", "lat", "lon"), rng.integers(-999, 999, (4, 3, 30)).astype("i2"), np.int16(-999),
              {"add_offset": 273.15, "missing_value": np.int16(-999), "scale_factor": 0.01, "valid_range": np.array([-500, 500], "i2")}),
    "double": (("x",), np.array([1.5, -0.1, 1e300]), nan, {"half": 0.5, "large": 1e20, "list": np.array([0.1, 1, 1e15, 1e14, 1e-5, 1e-4]), "one": 1.0}),
    "float": (("lat", "lon"), np.linspace(0, 1e8, 90).round(-3).astype("f4").reshape(3, 30), np.float32(1e20), {"missing_value": np.float32(1e20), "units": "K"}),
    "floats": (("x",), np.array([nan, inf, -inf], "f4"), np.float32(nan), {}),
    "floats2": (("x",), np.array([nan, inf, -inf], "f4"), None, {}),
    "int": (("x",), np.array([-(2**31), 7, 2**31 - 1], "i4"), np.int32(7), {}),
    "int64": (("x",), np.array([-(2**63), 7, 2**63 - 1], "i8"), None, {"big": np.int64(2**40), "ints": np.array([1, 2, 3], "i4"), "longs": np.array([1, 2**40], "i8"), "one": np.int32(1), "unsigned": np.uint64(2**64 - 1)}),
    "lat": (("lat",), np.array([10.0, 0, -10]), None, {"units": "degrees_north"}),
    "long": (("n",), rng.integers(0, 10 ** rng.integers(1, 8, 60)).astype("i4"), None, {}),
    "long_long": (("n",), rng.integers(0, 10 ** rng.integers(1, 8, 60)).astype("u2"), None, {}),
    "names": (("x",), text("a", 'b "q"', "µ\n'"), None, {}),
    "place": (("x", "len"), chars(4, b"Oslo", b"Rom", b""), None, {}),
    "scalar": ((), np.array(5, "u2"), None, {"grid mapping": "x", "text": 'a "b" \\ c\nd\te\x01'}),
    "time": (("time",), np.arange(4) * 6, None, {"calendar": "standard", "units": "hours since 2020-01-01"}),
    "u1": (("x",), np.array([0, 1, 255], "u1"), np.uint8(255), {}),
    "u4": (("x",), np.array([0, 1, 2**32 - 1], "u4"), np.uint32(1), {}),
    "u8": (("x",), np.array([0, 1, 2**64 - 1], "u8"), None, {}),
    "with space": (("x",), np.array([1, 2, 3], "i4"), None, {"empty": "", "words": ["a", "b"]}),
}
SUB = {
    "inner": (("x", "z"), np.arange(6, dtype="i2").reshape(3, 2), None, {"units": "m"}),
    "wide": (("x", "n"), rng.integers(0, 10 ** rng.integers(1, 8, (3, 60))).astype("i4"), None, {}),
    "wide1": (("n",), rng.integers(0, 10 ** rng.integers(1, 8, 60)).astype("i4"), None, {}),
    "z": (("z",), np.array([0.25, 0.5], "f4"), None, {}),
}
GROUPS = {
    "": (ROOT, {"Conventions": "CF-1.13", "title": "All types"}),
    "sub": (SUB, {"title": "below"}),
    "sub/empty one": ({}, {}),
}


def netcdf(path):
    d = netCDF4.Dataset(path, "w")
    for where, (variables, attrs) in GROUPS.items():
        g = d.createGroup(where) if where else d
        for name, (dims, values, fill, a) in variables.items():
            for dim, n in zip(dims, values.shape):
                if dim not in g.dimensions and dim not in d.dimensions:
                    g.createDimension(dim, n)
            kind = str if values.dtype == object else values.dtype
            v = g.createVariable(name, kind, dims, fill_value=False if fill is None else fill)
            v.set_auto_maskandscale(False)
            v.set_auto_chartostring(False)
            v.setncatts(a)
            v[...] = values
        g.setncatts(attrs)
    d.close()


def plain(v):
    if isinstance(v, (np.ndarray, np.generic)):
        return v.tolist()
    return v


def store(path, version):
    if os.path.exists(path):
        os.remove(path)
    st = zarr.storage.ZipStore(path, mode="w")
    for where, (variables, attrs) in GROUPS.items():
        zarr.create_group(st, path=where, zarr_format=version, attributes=attrs)
        for name, (dims, values, fill, a) in variables.items():
            a = {k: plain(v) for k, v in a.items()}
            more = {"dimension_names": dims}
            if version == 2:
                a["_ARRAY_DIMENSIONS"], more = list(dims), {}
            elif fill is not None:
                from xarray.backends.zarr import FillValueCoder

                a["_FillValue"] = FillValueCoder.encode(fill, np.dtype(values.dtype))
            kind = zarr.core.dtype.VariableLengthUTF8() if values.dtype == object else values.dtype
            z = zarr.create_array(st, name=f"{where}/{name}".strip("/"), shape=values.shape, chunks=tuple(max(1, n // 2) for n in values.shape), dtype=kind, fill_value=fill, attributes=a,
                                  zarr_format=version, compressors=None, **more)
            z[...] = values
    st.close()


here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "data.nc")
    netcdf(path)
    for name, flags in {"header.cdl": ["-h"], "values.cdl": []}.items():
        with open(os.path.join(here, name), "w") as f:
            subprocess.run([sys.argv[1], *flags, path], stdout=f, check=True)
store(os.path.join(here, "data.v3.zip"), 3)
store(os.path.join(here, "data.v2.zip"), 2)
