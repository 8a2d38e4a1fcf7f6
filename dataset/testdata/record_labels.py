"""Record the selections of xarray 2026.9 for random coordinates and labels in labels.txt.

    python record_labels.py [SEED [QUERIES]] > labels.txt

Each line that begins with "x" is a coordinate. The lines below it are queries and the selected
positions:

    x TYPE VALUES…                          the coordinate; floats are hexadecimal
    label|list|range|near LABELS… => POSITIONS | at POSITION | error

A range has two labels; "-" is an open end. near has a method and a tolerance ("-": none) before its
labels. Times are nanoseconds, and their labels ISO 8601; time differences are hours.
"""

import random
import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES = INTS + ["float64", "float32", "float64", "bool", "string", "time", "delta"]
WORDS = ["a", "b", "bb", "c", "zz", "", "ä"]


def values(r, kind, n):
    """Return n values of a coordinate as Python values."""
    if kind in INTS:
        info = np.iinfo(kind)
        edge = [info.min, info.max, info.max - 1, info.min + 1]
        return [r.choice(edge) if r.random() < 0.1 else max(info.min, min(info.max, r.randint(-12, 12))) for _ in range(n)]
    if kind.startswith("float"):
        odd = [float("inf"), float("-inf"), -0.0, 5e-324, 1e-40, 3e38, 0.1, 0.2]
        out = [r.choice(odd) if r.random() < 0.15 else r.randint(-20, 20) / 4 for _ in range(n)]
        if r.random() < 0.15:
            out = [float("nan") if r.random() < 0.3 else f for f in out]
        return [float(np.dtype(kind).type(f)) for f in out]
    if kind == "bool":
        return [r.random() < 0.5 for _ in range(n)]
    if kind == "string":
        return [r.choice(WORDS) for _ in range(n)]
    if kind == "time":
        return [r.choice([r.randint(0, 60) * 86400, r.randint(0, 60) * 43200]) * 10**9 for _ in range(n)]
    return [r.randint(-30, 30) for _ in range(n)]


def coordinate(r):
    kind = r.choice(TYPES)
    n = r.choice([0, 1, 2, 3, 4, 5, 6, 9])
    v = values(r, kind, n)
    order = r.random()
    if order < 0.7 and not any(x != x for x in v):
        v = sorted(set(v) if r.random() < 0.8 else v, reverse=order < 0.3)
    return kind, v


def array(kind, v):
    if kind == "time":
        return np.array(v, dtype="int64").astype("datetime64[ns]")
    if kind == "delta":
        return np.array(v, dtype="int64").astype("timedelta64[h]").astype("timedelta64[ns]")
    if kind == "string":
        return np.array(v, dtype=object) if v else np.array([], dtype="U1")
    return np.array(v, dtype=kind)


def label(r, kind, v):
    """Return a label as a Python value, and as text for Go."""
    if kind in INTS or kind.startswith("float"):
        odd = [float("inf"), float("-inf"), float("nan"), -0.0, 1e30, -1e30, 2.0**63, 2.0**64, 1e300, 5e-324, 0.1, 300, -300, 2**53 + 1]
        pick = r.random()
        if v and pick < 0.55:
            x = r.choice(v)
        elif pick < 0.7:
            x = r.choice(odd)
        else:
            x = r.randint(-50, 50) / 4
        if isinstance(x, int) or x == x and abs(x) < 1e15 and x == int(x) and r.random() < 0.5 and not (x == 0):
            return int(x), str(int(x))
        return float(x), float(x).hex()
    if kind == "bool":
        x = r.random() < 0.5
        return x, str(x).lower()
    if kind == "string":
        x = r.choice(WORDS)
        return x, x or "''"
    if kind == "time":
        x = np.datetime64(r.choice(v) if v and r.random() < 0.6 else r.randint(0, 120) * 43200 * 10**9, "ns")
        return x, str(x)
    x = r.choice(v) if v and r.random() < 0.6 else r.randint(-60, 60) / 2
    t = np.timedelta64(int(x * 3600), "s").astype("timedelta64[ns]")
    return t, f"{x}h"


def period(r, v):
    """Return a text of a period of time."""
    t = str(np.datetime64(r.choice(v) if v else 0, "ns"))
    return t[: r.choice([4, 7, 10, 13])]


def select(ds, key, **options):
    try:
        with np.errstate(all="ignore"):
            got = ds.sel({"x": key}, **options)["v"].values
    except Exception:
        return "error"
    return f"at {got}" if got.ndim == 0 else " ".join(map(str, got))


def main():
    given = [int(a) for a in sys.argv[1:]]
    seed, queries = given + [1, 3000][len(given) :]
    r = random.Random(seed)
    print(f"# Recorded by record_labels.py {seed} {queries}.")
    done = 0
    while done < queries:
        kind, v = coordinate(r)
        c = array(kind, v)
        ds = xr.Dataset({"v": ("x", np.arange(len(v)))}, coords={"x": c})
        text = [f.hex() if isinstance(f, float) else str(f).lower() if kind == "bool" else f or "''" if kind == "string" else str(f) for f in v]
        print(" ".join(["x", kind, *text]))
        for _ in range(8):
            done += 1
            what = r.choice(["label", "label", "list", "range", "range", "near", "near"])
            if kind == "bool" and what == "list":  # NumPy takes it for a mask
                what = "label"
            if what == "label":
                key, text = label(r, kind, v)
                if kind == "time" and r.random() < 0.4:
                    key = text = period(r, v)
                print("label", text, "=>", select(ds, key))
            elif what == "list":
                pairs = [label(r, kind, v) for _ in range(r.choice([1, 2, 3, 12]))]
                keys = [p[0] for p in pairs]
                print("list", *[p[1] for p in pairs], "=>", select(ds, np.array(keys, dtype=object) if kind == "string" else keys))
            elif what == "range":
                ends = [(None, "-") if r.random() < 0.15 else label(r, kind, v) for _ in range(2)]
                print("range", ends[0][1], ends[1][1], "=>", select(ds, slice(ends[0][0], ends[1][0])))
            else:
                method = r.choice(["nearest", "nearest", "pad", "backfill"])
                key, text = label(r, kind, v)
                tolerance, shown = None, "-"
                if r.random() < 0.3 and kind not in ("bool", "string"):
                    tolerance = r.choice([0, 0.25, 1, 2.5, float("inf")])
                    shown = str(tolerance)
                    if kind in ("time", "delta"):
                        tolerance = r.choice([0, 1, 24])
                        shown = f"{tolerance}h"
                        tolerance = np.timedelta64(tolerance, "h")
                print("near", method, shown, text, "=>", select(ds, key, method=method, tolerance=tolerance))


if __name__ == "__main__":
    main()
