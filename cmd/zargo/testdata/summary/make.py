"""Writes data.zip with zarr-python 3.1.6, and want.json: statistics and histograms of its arrays,
computed with NumPy 2.4.6 from the values that xarray's rules for missing and packed values yield.

usage: python make.py
"""

import json
import os
import warnings

import numpy as np
import zarr
from xarray.backends.zarr import FillValueCoder

warnings.simplefilter("ignore")
here = os.path.dirname(os.path.abspath(__file__))
n = np.arange(140_000).reshape(280, 500)
mixed = (n * 7919) % 1009

half = (mixed / 100).astype("f2")
single = (mixed / 7 - 300).astype("f4")
single[3, :40] = np.nan
single[5, :3] = [np.inf, -np.inf, np.inf]
single[200:, 1] = 1e20
shifted = mixed / 7 + 1e9
long = mixed.astype("i8") * 2**40 + 2**60
long[7, 7] = 2**63 - 1
unsigned = mixed.astype("u8") * 2**40 + 2**63 + 1
packed = (mixed - 500).astype("i2")
inverse = (mixed % 251).astype("u1")

# name: (values, attributes, missing value)
ARRAYS = {
    "half": (half, {}, None),
    "single": (single, {"units": "K"}, np.float32(1e20)),
    "shifted": (shifted, {}, None),
    "long": (long, {}, np.int64(2**63 - 1)),
    "unsigned": (unsigned, {}, None),
    "packed": (packed, {"scale_factor": 0.01, "add_offset": 273.15, "units": "K"}, np.int16(-500)),
    "inverse": (inverse, {"scale_factor": -0.5}, np.uint8(250)),
    "signed": (inverse.view("i1"), {"_Unsigned": "true"}, None),
    "constant": (np.full((280, 500), 5, "i4"), {}, None),
    "flags": (mixed % 3 == 0, {}, None),
}


def decoded(values, attrs, fill):
    data = values
    if attrs.get("_Unsigned") == "true":
        data = values.view("u1")
    valid = np.ones(data.shape, bool)
    if data.dtype.kind == "f":
        valid &= ~np.isnan(data)
    if fill is not None:
        valid &= values != fill
    if "scale_factor" in attrs:
        data = data.astype("f8") * attrs["scale_factor"] + attrs.get("add_offset", 0)
    elif data.dtype.kind == "f":
        data = data.astype("f8")
    return data, valid


path = os.path.join(here, "data.zip")
if os.path.exists(path):
    os.remove(path)
st = zarr.storage.ZipStore(path, mode="w")
zarr.create_group(st)
want = {}
for name, (values, attrs, fill) in ARRAYS.items():
    stored = dict(attrs)
    if fill is not None:
        stored["_FillValue"] = FillValueCoder.encode(fill, np.dtype(values.dtype))
    z = zarr.create_array(st, name=name, shape=values.shape, chunks=(130, 500), dtype=values.dtype, attributes=stored, compressors=zarr.codecs.ZstdCodec(level=19))
    z[...] = values
    data, valid = decoded(values, attrs, fill)
    inf = np.isinf(data) & valid
    used = data[valid & ~inf]
    of = {"elements": data.size, "missing": int((~valid).sum()), "nan": int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0, "infinite": int(inf.sum()), "count": used.size}
    of |= {"min": used.min().item(), "max": used.max().item(), "mean": used.mean(dtype=np.longdouble).item(), "std": used.astype(np.longdouble).std().item()}
    of = {k: float(v) if isinstance(v, np.longdouble) else v for k, v in of.items()}
    if used.dtype == bool:
        used = used.astype("u1")
        of["min"], of["max"] = int(of["min"]), int(of["max"])
    counts, edges = np.histogram(used, bins=20)
    of["hist"] = {"edges": edges.astype("f8").tolist(), "counts": counts.tolist(), "below": 0, "above": 0}
    low, high = np.quantile(used.astype("f8"), [0.25, 0.75])
    if low < high:
        counts, edges = np.histogram(used, bins=7, range=(low, high))
        of["range"] = {"low": low, "high": high, "edges": edges.tolist(), "counts": counts.tolist(), "below": int((used < low).sum()), "above": int((used > high).sum())}
    want[name] = of
st.close()
with open(os.path.join(here, "want.json"), "w") as f:
    json.dump(want, f, indent=1)
