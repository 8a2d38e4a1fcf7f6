"""Writes described.json with xarray 2026.9, zarr-python 3.1.6 and NumPy: the description of a dataset with
encodings, and described.zip, the dataset that xarray writes for it. plain.json describes the same
dataset before it was written, without encodings.

usage: python make.py
"""

import json
import os
import tempfile
import zipfile

import numpy as np
import xarray as xr
import zarr

ds = xr.Dataset(
    {
        "t2m": (("time", "lat", "lon"), np.full((4, 3, 5), 280.5), {"units": "K"}),
        "rain": (("time", "lat", "lon"), np.zeros((4, 3, 5), "f4")),
        "flag": (("lat", "lon"), np.zeros((3, 5), "u1"), {"flag_values": np.array([0, 1], "u1").tolist()}),
        "ratio": (("lat",), np.zeros(3)),
        "land": (("lat", "lon"), np.zeros((3, 5), bool)),
        "half": (("lat",), np.zeros(3, "f2")),
        "wave": (("lat",), np.zeros(3, "c16")),
        "name": (("lat",), np.array(["a", "b", "c"], np.dtypes.StringDType())),
        "lead": (("time",), np.arange(4).astype("m8[h]").astype("m8[ns]")),
        "crs": ((), np.int32(0), {"grid_mapping_name": "latitude_longitude"}),
    },
    coords={
        "time": np.datetime64("2026-01-01", "ns") + np.arange(4) * np.timedelta64(6, "h"),
        "lat": ("lat", [50.0, 40.0, 30.0], {"units": "degrees_north"}),
        "lon": ("lon", np.arange(5.0)),
        "area": (("lat", "lon"), np.ones((3, 5))),
    },
    attrs={"title": "Weather", "version": 2, "levels": [1.5, 2.0]},
)
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "plain.json"), "w") as f:
    json.dump(ds.to_dict(data=False), f, indent=1)
encoding = {
    "t2m": {"dtype": "int16", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -9999.0, "chunks": (2, 3, 5)},
    "rain": {"_FillValue": np.float32(1e20)},
    "ratio": {"_FillValue": None},
    "time": {"units": "hours since 2026-01-01", "calendar": "standard", "dtype": "int32"},
}
with tempfile.TemporaryDirectory() as d:
    ds.to_zarr(d, encoding=encoding, consolidated=False)
    xr.open_zarr(d, consolidated=False).to_dict(data=False)
    with zipfile.ZipFile(os.path.join(here, "described.zip"), "w", zipfile.ZIP_DEFLATED) as z:
        for path, _, names in sorted(os.walk(d)):
            for name in sorted(names):
                if name == "zarr.json":
                    full = os.path.join(path, name)
                    z.writestr(zipfile.ZipInfo(os.path.relpath(full, d)), open(full, "rb").read())
    with open(os.path.join(here, "described.json"), "w") as f:
        json.dump(xr.open_zarr(d, consolidated=False).to_dict(data=False, encoding=True), f, default=str, indent=1)
