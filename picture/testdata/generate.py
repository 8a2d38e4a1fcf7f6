"""Writes weather.zip, a Zarr store, and means.json, the means of boxes of its variables, for the
tests. Used with Python 3.11, numpy 2.4.6, xarray 2026.9.0 and zarr 3.1.6.

    python3 generate.py
"""

import json
import pathlib
import tempfile
import warnings
import zipfile

import numpy as np
import xarray as xr
import zarr

HERE = pathlib.Path(__file__).parent


def dataset():
    lat, lon = np.arange(-89, 90, 2.0, dtype="f4"), np.arange(1, 360, 2.0, dtype="f4")
    y, x = np.radians(lat)[:, None], np.radians(lon)[None, :]
    sst = 28 * np.cos(y) ** 2 + 2 * np.sin(3 * x + 2 * y) * np.cos(y)
    # Continents: a triangle in the north of each of two oceans, and an island at the south pole.
    land = (np.sin(2 * x) + 0.6 * np.sin(y) + 0.25 * np.sin(9 * x + 5 * y) > 0.85) | (lat[:, None] < -70)
    sst = np.where(land, np.nan, sst).astype("f4")
    down = lat[::-2]
    d = -2.5 + 9 * np.sin(np.radians(down)[:, None] * 3) * np.sin(2 * np.radians(lon[::2])[None, :])
    anomaly = np.stack([d, d + 1]).astype("f8")
    anomaly[:, 5:9, 60:75] = np.nan
    return xr.Dataset(
        {
            "sst": (("lat", "lon"), sst, {"units": "°C"}),
            "anomaly": (("time", "y", "x"), anomaly, {"units": "K"}),
        },
        {
            "lat": ("lat", lat, {"units": "degrees_north"}),
            "lon": ("lon", lon, {"units": "degrees_east"}),
            "y": ("y", down, {"units": "degrees_north"}),
            "x": ("x", lon[::2] - 180, {"units": "degrees_east"}),
            "time": ("time", np.array(["2026-01-01", "2026-02-01"], "M8[ns]")),
        },
    )


def means(a, size):
    """Returns the means of the boxes of a picture whose longest side is size."""
    h, w = (round(n * size / max(a.shape)) for n in a.shape)
    out = []
    for i in range(h):
        for j in range(w):
            box = a[i * a.shape[0] // h:(i + 1) * a.shape[0] // h, j * a.shape[1] // w:(j + 1) * a.shape[1] // w]
            box = box[~np.isnan(box)].astype("f8")
            out.append(None if box.size == 0 else float(box.mean()))
    return {"size": size, "shape": [h, w], "means": out}


def main():
    warnings.simplefilter("ignore")
    d = dataset()
    path = HERE / "weather.zip"
    with tempfile.TemporaryDirectory() as temp, zipfile.ZipFile(path, "w") as z:
        d.to_zarr(temp, mode="w", consolidated=False, encoding={
            "sst": {"chunks": (32, 50)},
            "anomaly": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 1.0, "_FillValue": -32768, "chunks": (1, 45, 90)},
        })
        for file in sorted(p for p in pathlib.Path(temp).rglob("*") if p.is_file()):
            z.writestr(zipfile.ZipInfo(file.relative_to(temp).as_posix()), file.read_bytes())
    read = xr.open_zarr(zarr.storage.ZipStore(path, mode="r"), consolidated=False)
    cases = []
    for size in (60, 64, 7):
        cases.append({"variable": "sst", **means(read.sst.values, size)})
        cases.append({"variable": "anomaly", **means(read.anomaly.values[1], size)})
    sst = read.sst.values[np.isfinite(read.sst.values)].astype("f8")
    (HERE / "means.json").write_text(json.dumps({"cases": cases, "percentiles": [float(v) for v in np.percentile(sst, [2, 98])]}) + "\n")


main()
