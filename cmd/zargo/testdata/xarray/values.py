"""Writes values.zip and values.json: arrays that xarray encodes, and what it decodes them to.

Written with xarray 2026.9.0, zarr 3.4.2 and numpy 2. Run it in this directory.
"""
import json
import os
import shutil
import tempfile
import zipfile

import numpy as np
import pandas as pd
import xarray as xr

nan = np.nan
times = pd.to_datetime(["2000-01-01", "2000-01-02T06:00:00", "1999-12-31"], format="ISO8601")
DATA = {
    "packed": ([280.0, 281.5, nan], dict(dtype="i2", scale_factor=0.01, add_offset=273.15, _FillValue=-32768)),
    "unsigned": ([0.5, 100.0, nan], dict(dtype="u1", scale_factor=0.5, _FillValue=255)),
    "masked": ([1.0, 2.0, nan], dict(dtype="i4", _FillValue=-1)),
    "single": ([1.5, 2.5, nan], dict(dtype="f4", _FillValue=1e20)),
    "plain": ([1, 2, 3], dict(dtype="i8")),
    "flag": ([True, False, True], {}),
    "when": (times, dict(units="hours since 1999-01-01", calendar="standard", dtype="i8")),
    "float_time": (times, dict(units="days since 1999-01-01", calendar="standard", dtype="f8")),
}


def text(v):
    if isinstance(v, np.datetime64):
        return str(v.astype("datetime64[s]"))
    v = float(str(v)) if isinstance(v, np.float32) else v.item()
    return None if v != v else v


want = {}
with tempfile.TemporaryDirectory() as tmp:
    for form in (2, 3):
        path = os.path.join(tmp, f"v{form}")
        ds = xr.Dataset({n: ("x", np.asarray(v)) for n, (v, _) in DATA.items()})
        ds.to_zarr(path, zarr_format=form, mode="w", consolidated=False, encoding={n: e for n, (_, e) in DATA.items() if e})
        back = xr.open_zarr(path, consolidated=False)
        raw = xr.open_zarr(path, consolidated=False, decode_cf=False)
        want[f"v{form}"] = {n: {"values": [text(v) for v in back[n].values], "stored": [text(v) for v in raw[n].values]} for n in DATA}
    with zipfile.ZipFile("values.zip", "w") as z:
        for folder, _, files in sorted(os.walk(tmp)):
            for f in sorted(files):
                full = os.path.join(folder, f)
                z.write(full, os.path.relpath(full, tmp))
with open("values.json", "w") as f:
    json.dump(want, f, indent=1)
    f.write("\n")
