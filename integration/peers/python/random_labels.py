"""Random coordinates of every type, and what xarray selects by their labels."""

import json
import os
import random
import warnings

import cftime
import numpy as np
import pandas as pd
import xarray as xr

CALENDARS = ["standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"]
UNITS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
DATES = ["2000-01-01", "1850-01-01 12:00:00", "1970-01-01T00:00:00Z", "1900-01-01", "1-1-1", "1990-06-15 06:30:00 +01:30", "19000101"]
KINDS = ["int8", "int32", "int64", "uint8", "uint16", "uint64", "float32", "float64", "packed", "unsigned", "bool", "text", "difference", "time", "time", "time", "time"]


def order(r, values):
    """Returns distinct values increasing, decreasing, or neither; some of the last kind are repeated."""
    values = sorted(set(values))
    how = r.choice(["up", "up", "down", "unsorted", "repeated"])
    if how == "down":
        values.reverse()
    elif how in ("unsorted", "repeated"):
        if how == "repeated":
            values += values[: len(values) // 2]
        r.shuffle(values)
    return values


def stored(r, kind):
    """Returns the values of a coordinate as they are stored, and its attributes."""
    n = r.randint(1, 12)
    if kind in ("float32", "float64"):
        values = [r.choice([r.randint(-100, 100) / 10, r.uniform(-90, 90), r.randint(-9, 9)]) for _ in range(n)]
        values = order(r, [float(np.dtype(kind).type(v)) for v in values])
        if r.random() < 0.15:
            values.insert(r.randint(0, len(values)), float("nan"))
        if r.random() < 0.15:
            values = order(r, [v for v in values if v == v] + [float("inf"), float("-inf")])
        return np.array(values, kind), {}
    if kind == "packed":
        return np.array(order(r, [r.randint(-3000, 3000) for _ in range(n)]), "int16"), {"scale_factor": r.choice([0.5, 0.01, 0.1]), "add_offset": r.choice([0.0, 273.15])}
    if kind == "unsigned":
        return np.array(order(r, [r.randint(0, 255) for _ in range(n)]), "uint8").view("int8"), {"_Unsigned": "true"}
    if kind == "bool":
        return np.array(order(r, [r.random() < 0.5 for _ in range(min(n, 2))])), {}
    if kind == "text":
        return np.array(order(r, [r.choice("abcde") + r.choice(["", "x", " 1", "é"]) for _ in range(n)]), dtype=object), {}
    if kind == "difference":
        unit = r.choice(["hours", "minutes", "days", "nanoseconds"])
        values = np.array(order(r, [r.randint(-50, 400) for _ in range(n)]), "int64")
        if r.random() < 0.1:
            values[r.randint(0, n - 1) % len(values)] = np.iinfo("int64").min
        return values, {"units": unit, "dtype": "timedelta64[ns]"}
    if kind == "time":
        unit = r.choice(list(UNITS))
        step = r.choice([86400, 3600, 10800, 60, 1, 43200])
        start = r.choice([0, 0, 36524 * 86400, 60000 * 86400, 730_000 * 86400])
        seconds = order(r, [start + step * r.randint(0, 60) for _ in range(n)])
        dtype = np.dtype(r.choice(["int64", "float64", "float64", "int32"]))
        values = np.array([s / UNITS[unit] if dtype.kind == "f" else s // UNITS[unit] for s in seconds]).astype(dtype)
        if dtype.kind != "f":
            values = np.array(list(dict.fromkeys(values.tolist())), dtype)
        attrs = {"units": f"{unit} since {r.choice(DATES)}", "calendar": r.choice(CALENDARS)}
        if dtype.kind == "i" and start == 0 and unit in ("hours", "minutes") and r.random() < 0.3:
            attrs |= {"scale_factor": 0.1, "add_offset": 10.0}
        if dtype.kind == "f" and attrs["calendar"] in ("standard", "proleptic_gregorian") and r.random() < 0.1:
            values[r.randint(0, len(values) - 1)] = np.nan
        return values, attrs
    i = np.iinfo(kind)
    few = r.choice([(max(-50, int(i.min)), 50), (int(i.min), int(i.max))])
    return np.array(order(r, [r.randint(*few) for _ in range(n)]), kind), {}


def text(v):
    """Returns a label as text."""
    if isinstance(v, (np.datetime64, pd.Timestamp)):
        return str(np.datetime64(v))
    if hasattr(v, "isoformat"):
        return v.isoformat()
    if isinstance(v, np.timedelta64):
        return "NaT" if np.isnat(v) else str(int(v / np.timedelta64(1, "ns")))
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, np.floating):
        return str(v.item()) if v.dtype == np.float64 else str(v)
    return str(v)


def near(r, v):
    """Returns a label that is equal to a coordinate or between coordinates."""
    if isinstance(v, np.datetime64):
        return v + np.timedelta64(r.choice([0, 0, 1, -1, 1700, -90_000]), "s")
    if hasattr(v, "isoformat"):
        return v + pd.Timedelta(r.choice([0, 0, 1, -1, 1700, -90_000]), "s").to_pytimedelta()
    if isinstance(v, np.timedelta64):
        return v + np.timedelta64(r.choice([0, 0, 1, -1, 100]), "h")
    if isinstance(v, (bool, np.bool_)):
        return bool(r.random() < 0.5)
    if isinstance(v, str):
        return r.choice([v, v, v + "a", "c"])
    if r.random() < 0.5 or isinstance(v, np.integer) and abs(int(v)) > 2**53:
        return v.item()  # xarray compares numbers with larger integers as float64, zargo exactly
    if isinstance(v, np.floating):
        return v.item() + r.choice([0.01, -0.25, 1.5])
    return v.item() + r.choice([1, -1, 0.5, 0.25, -3])


def period(r, v):
    """Returns the text of a period that contains a time."""
    s = text(v)
    if s == "NaT":
        return "2000-01"
    sign = s[0] == "-"
    return s[: r.choice([4, 7, 10, 13, 16, 19]) + sign].replace("T24", "T23")


def select(da, q):
    """Returns the positions that xarray selects, or None for an error."""
    try:
        if q["kind"] in ("label", "period"):
            got = da.sel(x=q["_"][0])
        elif q["kind"] == "list":
            got = da.sel(x=list(q["_"]))
        elif q["kind"] in ("slice", "periods"):
            got = da.sel(x=slice(*q["_"]))
        else:
            got = da.sel(x=q["_"][0], method=q["kind"], **({} if q["tolerance"] is None else {"tolerance": q["_tolerance"]}))
        return [int(p) for p in np.atleast_1d(got.values)]
    except Exception:
        return None


def queries(r, da):
    values = da.x.values
    times = values.dtype.kind == "M" or values.dtype == object and hasattr(values[0], "isoformat")
    differences = values.dtype.kind == "m"
    for kind in ["label", "label", "list", "slice", "slice", "open", "nearest", "nearest", "pad", "backfill", "period", "periods"]:
        if kind in ("period", "periods") and not times:
            continue
        pick = lambda: near(r, r.choice(list(values)))
        q = {"kind": kind, "tolerance": None, "_tolerance": None}
        if kind == "period":
            labels = [period(r, r.choice(list(values)))]
        elif kind == "periods":
            labels = [period(r, r.choice(list(values))), period(r, r.choice(list(values)))]
        elif kind == "open":
            q["kind"] = "slice"
            labels = r.choice([[pick(), None], [None, pick()]])
        else:
            labels = [pick() for _ in range({"list": 3, "slice": 2}.get(kind, 1))]
        if kind == "periods":
            labels.sort(reverse=len(values) > 1 and bool(values[0] > values[-1]))
        if kind == "slice":
            # Between accepts its ends in either order; xarray selects nothing in the other one.
            try:
                labels.sort(reverse=len(values) > 1 and bool(values[0] > values[-1]))
            except TypeError:
                pass
        if kind in ("nearest", "pad", "backfill") and r.random() < 0.4 and not isinstance(labels[0], (str, bool)):
            if times or differences:
                seconds = r.choice([0, 60, 2000, 100_000])
                q["tolerance"] = f"{seconds}s"
                q["_tolerance"] = pd.Timedelta(seconds, "s").to_pytimedelta() if values.dtype == object else np.timedelta64(seconds, "s")
            else:
                q["tolerance"] = q["_tolerance"] = r.choice([0, 0.3, 1, 10])
        q["_"] = labels
        q["labels"] = [None if l is None else text(l) for l in labels]
        yield q


def save(folder, format, seed):
    """Writes a dataset with one coordinate, and returns its labels and queries with the positions that xarray selects."""
    warnings.simplefilter("ignore")
    r = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    while True:
        kind = r.choice(KINDS)
        values, attrs = stored(r, kind)
        ds = xr.Dataset({"p": ("x", np.arange(len(values)))}, {"x": xr.Variable(("x",), values, attrs)})
        try:
            xr.decode_cf(ds)
        except Exception:  # a date that the calendar does not have
            continue
        break
    encoding = {"x": {"dtype": str} if kind == "text" else {"_FillValue": None} if values.dtype.kind == "f" else {}}
    if kind == "text":
        ds = ds.assign_coords(x=("x", values.astype(str)))
        encoding = {}
    ds.to_zarr(os.path.join(folder, "data"), mode="w", zarr_format=format, consolidated=bool(seed % 2), encoding=encoding)
    with xr.open_zarr(os.path.join(folder, "data"), consolidated=bool(seed % 2), chunks=None) as got:
        da = got.p.load()
        out = []
        for q in queries(r, da):
            q["positions"] = select(da, q)
            out.append({k: v for k, v in q.items() if not k.startswith("_")})
        labels = [text(v) for v in da.x.values]
        said = {"kind": kind, "attrs": {k: str(v) for k, v in attrs.items()}, "labels": labels, "queries": out}
    return {"values": [json.dumps(said)]}
