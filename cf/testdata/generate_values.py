"""Write values.jsonl: variables with their attributes and stored values, and what xarray decodes them to.

Run with xarray 2026.9. Each line is a JSON object: type, attrs, stored and decoded. Decoded values are
float64, null for a missing value.
"""

import json
import random
import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")
TYPES = ["int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32", "float64"]


def sentinel(r, dtype, values):
    if r.random() < 0.5:
        return values[r.randrange(len(values))]
    return float("nan") if dtype.kind == "f" else r.randint(0, 100)


def row(r):
    dtype = np.dtype(r.choice(TYPES))
    if dtype.kind == "f":
        stored = [r.choice([0.0, 0.5, -1.25, 100.0, float("nan"), r.randint(-1000, 1000) / 8]) for _ in range(8)]
    else:
        i = np.iinfo(dtype)
        stored = [r.choice([0, 1, int(i.min), int(i.max), r.randint(0, 100)]) for _ in range(8)]
    attrs = {}
    if r.random() < 0.6:
        attrs["_FillValue"] = sentinel(r, dtype, stored)
    if r.random() < 0.4:
        attrs["missing_value"] = sentinel(r, dtype, stored)
        if r.random() < 0.3:
            attrs["missing_value"] = [attrs["missing_value"], sentinel(r, dtype, stored)]
    if r.random() < 0.5:
        attrs["scale_factor"] = r.choice([0.5, 0.01, 2.0, 0.1, 1e-3])
    if r.random() < 0.4:
        attrs["add_offset"] = r.choice([1.0, 273.15, -5.5])
    if r.random() < 0.3 and dtype.kind != "f":
        attrs["_Unsigned"] = "true" if dtype.kind == "i" else "false"
        # xarray compares missing_value, but not _FillValue, with the values after _Unsigned.
        limit = np.iinfo(dtype).max // (2 if dtype.kind == "u" else 1)
        for m in np.ravel(attrs.get("missing_value", 0)):
            if not 0 <= m <= limit:
                del attrs["missing_value"]
                break

    def numpied(name, v):
        if name not in ("_FillValue", "missing_value"):
            return v
        return np.array(v, dtype=dtype) if isinstance(v, list) else dtype.type(v)
    v = xr.Variable(("x",), np.array(stored, dtype=dtype), {k: numpied(k, a) for k, a in attrs.items()})
    decoded = xr.conventions.decode_cf_variable("v", v).values
    text = lambda a: "NaN" if a != a else a
    for k in ("_FillValue", "missing_value"):
        if k in attrs:
            attrs[k] = [text(a) for a in attrs[k]] if isinstance(attrs[k], list) else text(attrs[k])
    packed = "scale_factor" in attrs or "add_offset" in attrs
    return {"type": str(dtype), "attrs": attrs, "stored": [text(s) for s in stored],
            "decoded": [None if d != d else float(d) for d in decoded], "dtype": str(decoded.dtype)}


def main():
    r = random.Random(20261126)
    with open(sys.argv[1], "w") as f:
        n = 0
        while n < 600:
            try:
                line = row(r)
            except Exception as e:
                print(type(e).__name__, e, file=sys.stderr)
                continue
            print(json.dumps(line, separators=(",", ":")), file=f)
            n += 1


main()
