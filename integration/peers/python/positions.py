"""Writes datasets with positions, and prints the positions that rioxarray and GDAL read.

    positions.py make DIR CASES SEED    writes DIR/c0, DIR/c1, …
    positions.py look DIR               prints an object: the transformations by the path of the dataset below DIR

The array of each dataset is t(y, x). Its position is stored in coordinates, GeoTransform, both, or spatial:transform.
"""

import json
import pathlib
import random
import sys
import warnings

import numpy as np
import rasterio
import rioxarray  # registers .rio
import xarray as xr

warnings.simplefilter("ignore")


def make(dir, cases, seed):
    r = random.Random(seed)
    for case in range(cases):
        # The windows of the last elements of a level have fewer elements unless the lengths are multiples of 4.
        rows, cols = (r.choice([4 * r.randint(1, 6), r.randint(2, 13)]) for _ in range(2))
        a, e = r.choice([0.25, 1, 10, 30.5, -2]), r.choice([-0.25, -1, -10, 0.5])
        t = rasterio.Affine(a, 0, r.choice([0, -180, 500000.5]), 0, e, r.choice([0, 90, 5000000]))
        coords = {"y": t.f + e * (np.arange(rows) + 0.5), "x": t.c + a * (np.arange(cols) + 0.5)}
        kind = r.choice(["coordinates", "GeoTransform", "both", "spatial", "stale"])
        da = xr.DataArray(np.arange(rows * cols, dtype="f4").reshape(rows, cols), dims=("y", "x"), name="t")
        if kind in ("coordinates", "both", "stale"):
            da = da.assign_coords(coords)
        if kind == "spatial":
            da.attrs = {"proj:code": "EPSG:32633", "spatial:dimensions": ["y", "x"], "spatial:transform": list(t)[:6], "spatial:shape": [rows, cols], "zarr_conventions": [{"name": "spatial:"}, {"name": "proj:"}]}
        else:
            da = da.rio.write_crs("EPSG:32633")
        if kind in ("GeoTransform", "both", "stale"):
            da = da.rio.write_transform(t)
        if kind == "stale" and rows > 4:  # as isel of xarray leaves it
            da = da.isel(y=slice(4, None))
        chunks = {da.name: {"chunks": tuple(min({"y": 3, "x": 5}.get(d, n), n) for d, n in da.sizes.items())}}
        da.to_dataset().to_zarr(pathlib.Path(dir) / f"c{case}", mode="w", consolidated=False, zarr_format=r.choice([2, 3]), encoding=chunks)


def look(dir):
    out = {}
    dir = pathlib.Path(dir)
    for path in sorted(p.parent.parent for pattern in ("t/zarr.json", "t/.zarray") for p in dir.rglob(pattern)):
        v = xr.open_zarr(path, consolidated=False, decode_coords="all", chunks=None)["t"]
        try:
            found = {"bounds": list(v.rio.bounds()), "rioxarray": list(v.rio.transform())[:6]}
        except rioxarray.exceptions.RioXarrayError:  # one element without a transformation
            found = {}
        with rasterio.open(f'ZARR:"{path}":/t') as d:
            found["gdal"] = None if d.transform.is_identity else list(d.transform)[:6]
        found |= {dim: v[dim].values.tolist() if dim in v.coords else None for dim in ("x", "y")}
        out[str(path.relative_to(dir))] = found
    print(json.dumps(out))


{"make": lambda: make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])), "look": lambda: look(sys.argv[2])}[sys.argv[1]]()
