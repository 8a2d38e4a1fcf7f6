"""Run the selections of sel.txt with xarray 2026.9 and cftime, and print those with other results."""

import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")
METHODS = {"nearest": "nearest", "pad": "pad", "ffill": "ffill", "backfill": "backfill", "bfill": "bfill", "exact": None}


def dataset(kind, values, units):
    n = int(values[0]) if kind == "none" else len(values)
    v = xr.Variable("x", np.arange(n))
    if kind == "none":
        return xr.Dataset({"v": v})
    if kind == "time":
        u, _, calendar = units.partition(" 360_day")
        calendar = "360_day" if "360_day" in units else "standard"
        x = xr.Variable("x", np.array(values, dtype="int64"), {"units": u or "days since 2000-01-01", "calendar": calendar})
    elif kind == "string":
        x = xr.Variable("x", np.array(values, dtype=object))
    else:
        x = xr.Variable("x", np.array([float(a) for a in values]).astype(kind))
    return xr.decode_cf(xr.Dataset({"v": v}, coords={"x": x}))


def label(kind, text):
    if kind in ("time", "string"):
        return text
    f = float(text)
    return int(f) if f == int(f) else f


def select(ds, kind, text):
    method, sep, rest = text.rpartition("::")
    if sep and method not in METHODS:
        raise ValueError("unknown method")
    text = rest
    if "," in text:
        key = [label(kind, t) for t in text.split(",")]
    elif ":" in text:
        parts = text.split(":")
        half = (len(parts) + 1) // 2
        if kind == "time" and len(parts) == 2 and "T" in parts[0]:
            key = text
        else:
            lo, hi = ":".join(parts[:half]), ":".join(parts[half:])
            key = slice(label(kind, lo) if lo else None, label(kind, hi) if hi else None)
    else:
        key = label(kind, text)
    return ds.sel({"x": key}, method=METHODS[method] if method else None)["v"].values


def main():
    ds = kind = None
    bad = 0
    for line in open(sys.argv[1]):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        if line.startswith("coord "):
            head, _, units = line.partition(" @")
            _, kind, *values = head.split()
            ds = dataset(kind, values, units)
            continue
        if line.endswith("# zargo"):
            continue
        text, _, want = line.partition(" =>")
        try:
            got = select(ds, kind, text)
            got = f" at {got}" if got.ndim == 0 else "".join(f" {i}" for i in got)
        except Exception as e:
            got = " error"
            reason = f"{type(e).__name__}: {e}"
        if want.split()[:1] == ["error"]:
            want = " error"
        if got != want:
            bad += 1
            print(f"{kind}: {line}: xarray:{got}", reason if got == " error" else "")
    sys.exit(bad > 0)


main()
