"""A dataset in which values are missing, in every way in which xarray says so, and what xarray has of it."""

import numpy as np
import xarray as xr

N = 6


def make():
    gaps = np.array([1, np.nan, 3, 0, np.nan, 7.5])
    times = np.datetime64("2024-02-28T12:00:00", "ns") + np.arange(N) * np.timedelta64(6, "h")
    times[2] = np.datetime64("NaT")
    whole = np.array([0, 1, 2, 7, 7, 255])
    variables = {
        "f4": (gaps.astype("f4"), {"_FillValue": np.float32(-999)}),
        "f4_inf": (gaps.astype("f4"), {"_FillValue": np.float32(np.inf)}),
        "f4_zero": (gaps.astype("f4"), {"_FillValue": np.float32(0)}),  # zero is missing, too
        "f8": (gaps, {}),  # NaN
        "f8_none": (gaps, {"_FillValue": None}),
        "i2": (gaps, {"dtype": "int16", "scale_factor": 0.5, "add_offset": 10.5, "_FillValue": -32768}),
        "i2_none": (whole.astype("i2"), {}),  # zero is a value
        "u1": (np.where(whole == 255, np.nan, whole), {"dtype": "uint8", "_FillValue": 255}),
        "u1_none": (whole.astype("u1"), {}),
        "i8": (np.where(whole == 1, np.nan, whole), {"dtype": "int64", "_FillValue": -(2**63)}),
        "when": (times, {"units": "hours since 2024-02-28T12:00:00", "calendar": "proleptic_gregorian", "dtype": "int64", "_FillValue": -(2**63)}),
        "c8": ((whole + 1j).astype("c8"), {}),
        "flag": (whole % 2 == 1, {}),
        "name": (np.array(["a", "é", "漢字", "", "b", "c"]), {}),
    }
    ds = xr.Dataset({k: (("x",), v, {"units": "1"}) if v.dtype.kind != "M" else (("x",), v) for k, (v, _) in variables.items()})
    ds["total"] = ((), np.float32(0))
    encoding = {k: dict(e, chunks=(2,)) for k, (_, e) in variables.items()}
    encoding["total"] = {"_FillValue": np.float32(-1)}
    return ds, encoding


def save(folder, format):
    ds, encoding = make()
    if format == 3:  # where what is not stored may be another value than the missing one
        encoding["u1"]["fill_value"] = 7
        encoding["i2_none"]["fill_value"] = 7
        encoding["f4"]["fill_value"] = 0
    ds.to_zarr(folder, mode="w", zarr_format=format, consolidated=False, encoding=encoding)
    return {}


def look(folder, format):
    """Tells each variable decoded, a line each."""
    with xr.open_zarr(folder, zarr_format=format, consolidated=False) as ds:
        ds.load()
    return {"values": [f"{k} {v.dtype} {v.dims} {[str(x) for x in v.values.ravel()]} {sorted(v.attrs)}" for k, v in sorted(ds.variables.items())]}
