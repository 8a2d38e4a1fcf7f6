"""Random variables with attributes of the CF conventions, and what xarray decodes them to."""

import json
import os
import random
import warnings

import numpy as np
import xarray as xr

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "float32", "float64"]
CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]
UNITS = {"days": 1, "hours": 24, "minutes": 1440, "seconds": 86400}
DATES = ["2000-01-01", "1850-01-01 12:00:00", "1970-01-01T00:00:00Z", "1582-10-01", "1-1-1", "1990-06-15 06:30:00 +01:30"]


def numbers(r, dtype, n):
    if dtype.kind == "f":
        return [r.choice([0.0, 0.5, -1.25, 100.0, float("nan"), r.randint(-1000, 1000) / 8]) for _ in range(n)]
    i = np.iinfo(dtype)
    return [r.choice([0, 1, max(int(i.min), -(2**53)), min(int(i.max), 2**53), r.randint(0, 100)]) for _ in range(n)]


def times(r):
    """Returns a time coordinate as it is stored."""
    unit, n = r.choice(list(UNITS)), r.randint(1, 9)
    dtype = np.dtype(r.choice(["int32", "int64", "float64"]))
    days = [r.choice([0, 1, r.randint(0, 30_000)]) for _ in range(n)]
    values = np.array([d * UNITS[unit] + r.randint(0, UNITS[unit] - 1) for d in days]).astype(dtype)
    attrs = {"units": f"{unit} since {r.choice(DATES)}", "calendar": r.choice(CALENDARS)}
    if dtype.kind == "f":
        values = values + r.choice([0, 0.5, 0.25])
    if r.random() < 0.3:
        attrs["_FillValue"] = values[0]
    return values, attrs


def packed(r):
    """Returns a variable with missing or packed values as it is stored."""
    dtype, n = np.dtype(r.choice(TYPES)), r.randint(1, 9)
    values = numbers(r, dtype, n)
    attrs = {}
    if r.random() < 0.6:
        attrs["_FillValue"] = dtype.type(r.choice(values))
    # xarray compares missing_value after _Unsigned, and refuses two different missing values of times.
    if r.random() < 0.3:
        m = r.choice(values + [r.randint(0, 100)])
        if dtype.kind == "f" or 0 <= m <= 127:
            attrs["missing_value"] = dtype.type(m)
    if r.random() < 0.5:
        attrs["scale_factor"] = r.choice([0.5, 0.01, 2.0, 1e-3])
    if r.random() < 0.4:
        attrs["add_offset"] = r.choice([1.0, 273.15, -5.5])
    # With _Unsigned, xarray fails to open a missing value that the other type does not have.
    if r.random() < 0.2 and dtype.kind != "f" and dtype.itemsize < 8 and 0 <= attrs.get("_FillValue", 0) <= 127:
        attrs["_Unsigned"] = "true" if dtype.kind == "i" else "false"
    return np.array(values, dtype=dtype), attrs


def text(v):
    if v is None or v != v:
        return None
    if hasattr(v, "isoformat"):
        s = f"{v.year:04d}-{v.month:02d}-{v.day:02d}T{v.hour:02d}:{v.minute:02d}:{v.second:02d}"
        return s + (f".{v.microsecond:06d}".rstrip("0") if v.microsecond else "")
    return float(v)


def save(folder, format, seed, count):
    """Writes a dataset of count variables, and the file decoded.json beside it: for each the values and their type."""
    warnings.simplefilter("ignore")
    r = random.Random(seed)
    variables = {}
    while len(variables) < count:
        values, attrs = times(r) if r.random() < 0.4 else packed(r)
        name = f"v{len(variables)}"
        v = xr.Variable((f"d{len(variables)}",), values, attrs)
        try:
            decode(xr.Dataset({name: v}), name)
        except Exception:  # a date that the calendar does not have
            continue
        variables[name] = v
    os.makedirs(folder)
    store = os.path.join(folder, "data")
    # _FillValue of None: xarray must not add one to floats.
    encoding = {k: {} if "_FillValue" in v.attrs else {"_FillValue": None} for k, v in variables.items()}
    xr.Dataset(variables).to_zarr(store, zarr_format=format, consolidated=True, encoding=encoding)
    decoded = {}
    with xr.open_zarr(store, decode_cf=False, chunks=None) as ds:
        for name in variables:
            v = decode(ds, name)
            decoded[name] = {"dtype": str(v.dtype), "values": [text(x) for x in np.atleast_1d(v.values)]}
            if v.dtype == object:  # cftime has no missing time: xarray decodes one to the reference
                fill = variables[name].attrs.get("_FillValue")
                for i, x in enumerate(variables[name].values):
                    if x == fill:
                        decoded[name]["values"][i] = None
    with open(os.path.join(folder, "decoded.json"), "w") as f:
        json.dump(decoded, f)
    return {}


def decode(ds, name):
    return xr.decode_cf(ds[[name]], decode_times=xr.coders.CFDatetimeCoder(use_cftime=True))[name]
