"""Random coordinates of every type, and what xarray selects by their labels."""

import datetime
import json
import os
import random
import warnings
from fractions import Fraction

import cftime
import numpy as np
import pandas as pd
import xarray as xr
import zarr

CALENDARS = ["standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"]
UNITS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
DATES = ["2000-01-01", "1850-01-01 12:00:00", "1970-01-01T00:00:00Z", "1900-01-01", "1-1-1", "1990-06-15 06:30:00 +01:30", "19000101", "1582-10-01", "1678-03-03", "2400-02-28"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
KINDS = INTEGERS + FLOATS + ["float64", "packed", "packed", "unsigned", "bool", "text", "varying", "difference", "numpy difference", "numpy time"] + ["time"] * 7


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
    if kind in FLOATS:
        values = [r.choice([r.randint(-100, 100) / 10, r.uniform(-90, 90), r.randint(-9, 9)]) for _ in range(n)]
        values = order(r, [float(np.dtype(kind).type(v)) for v in values])
        values = [-0.0 if v == 0 and r.random() < 0.3 else v for v in values]
        if r.random() < 0.15:
            values.insert(r.randint(0, len(values)), float("nan"))
        if r.random() < 0.15:
            values = order(r, [v for v in values if v == v] + [float("inf"), float("-inf")])
        return np.array(values, kind), {}
    if kind == "packed":
        dtype, low, high = r.choice([("int16", -3000, 3000), ("uint8", 0, 255), ("int32", -100_000, 100_000), ("uint16", 0, 60_000)])
        attrs = {"scale_factor": r.choice([0.5, 0.01, 0.1, 10.0]), "add_offset": r.choice([0.0, 273.15])}
        if r.random() < 0.2:
            attrs["_FillValue"] = np.dtype(dtype).type(high)
        return np.array(order(r, [r.choice([high, r.randint(low, high)]) if "_FillValue" in attrs else r.randint(low, high) for _ in range(n)]), dtype), attrs
    if kind == "unsigned":
        return np.array(order(r, [r.randint(0, 255) for _ in range(n)]), "uint8").view("int8"), {"_Unsigned": "true"}
    if kind == "bool":
        return np.array(order(r, [r.random() < 0.5 for _ in range(min(n, 2))])), {}
    if kind in ("text", "varying"):
        return np.array(order(r, [r.choice("abcde") + r.choice(["", "x", " 1", "é"]) for _ in range(n)]), dtype=object), {}
    if kind == "numpy time":
        unit = r.choice(["D", "h", "s", "ms", "ns"])
        start, step = r.choice([(0, 1), (10_000, 1), (-5_000, 7)])
        values = np.array(order(r, [start + step * r.randint(-20, 60) for _ in range(n)]), f"M8[{unit}]")
        if r.random() < 0.1:
            values[r.randint(0, n - 1) % len(values)] = np.datetime64("NaT")
        return values, {}
    if kind == "numpy difference":
        values = np.array(order(r, [r.randint(-50, 400) for _ in range(n)]), f"m8[{r.choice(['h', 's', 'ms', 'ns'])}]")
        return values, {}
    if kind == "difference":
        unit = r.choice(["hours", "minutes", "days", "nanoseconds"])
        values = np.array(order(r, [r.randint(-50, 400) for _ in range(n)]), "int64")
        if r.random() < 0.1:
            values[r.randint(0, n - 1) % len(values)] = np.iinfo("int64").min
        return values, {"units": unit, "dtype": "timedelta64[ns]"}
    if kind == "time":
        unit = r.choice([*UNITS, "milliseconds", "microseconds"])
        step = r.choice([86400, 3600, 10800, 60, 1, 43200])
        start = r.choice([0, 0, 36524 * 86400, 60000 * 86400, 730_000 * 86400])
        seconds = order(r, [start + step * r.randint(0, 60) for _ in range(n)])
        dtype = np.dtype(r.choice(["int64", "float64", "float64", "float64", "float32", "int32"]))
        if unit not in UNITS:
            dtype = np.dtype("int64")
        parts = {"milliseconds": 1000, "microseconds": 1_000_000}.get(unit, 1)
        values = np.array([s / UNITS[unit] if dtype.kind == "f" else s * parts // UNITS.get(unit, 1) for s in seconds]).astype(dtype)
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
        return "NaT" if np.isnat(v) else str(int(v.astype("m8[ns]").astype("int64")))
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
    if r.random() < 0.1 and abs(float(v)) < 2**53:
        return r.choice([-0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1e300])
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


def lookup(da, labels):
    """Returns the position of each label, or None unless each occurs once."""
    values = list(da.x.values)
    found = [[i for i, v in enumerate(values) if v == l or v != v and l != l] for l in labels]
    return [f[0] for f in found] if all(len(f) == 1 for f in found) else None


def near_integer(values, q):
    """Returns the position of the label that a method selects among sorted, distinct integers, with exact distances."""
    up = values == sorted(set(values))
    if not up and values != sorted(set(values), reverse=True):
        return None
    label = q["_"][0]
    if label != label:
        return None
    before = [i for i, v in enumerate(values) if (v <= label if up else v >= label)]
    after = [i for i, v in enumerate(values) if (v >= label if up else v <= label)]
    pick = {"pad": before[-1:], "backfill": after[:1], "nearest": before[-1:] + after[:1]}[q["kind"]]
    if abs(label) == float("inf"):
        apart = lambda i: float("inf")
    else:
        apart = lambda i: abs(Fraction(values[i]) - Fraction(label))
    if not pick:
        return None
    best = min(pick, key=lambda i: (apart(i), -values[i]))
    return [best] if q["_tolerance"] is None or apart(best) <= q["_tolerance"] else None


def exchanged(da, q):
    """Returns the positions of the range with its ends exchanged, in the reversed coordinate, in the order of the coordinate."""
    got = select(da.isel(x=slice(None, None, -1)), {**q, "_": q["_"][::-1]})
    return None if got is None else got[::-1]


def unsorted_range(da, q):
    """Returns the positions from the first of one label to the last of the other. A label at positions with others between
    them is an error."""
    ends = []
    for l in q["_"]:
        at = select(da, {"kind": "label", "_": [l]})
        if not at or at != list(range(at[0], at[-1] + 1)):
            return None
        ends.append(at)
    return list(range(ends[0][0], ends[1][-1] + 1))


def rounded(units, number, dtype):
    """Returns the offset in seconds of a stored time: rounded to the coarsest of s, ms and µs that has a multiple within the
    precision of the number, as docs/evidence/interoperability.md describes it."""
    size = Fraction(UNITS[units])
    exact = Fraction(float(number)) * size
    precision = Fraction(float(np.spacing(np.abs(dtype.type(number))))) * size
    for unit in (Fraction(1), Fraction(1, 1000), Fraction(1, 10**6)):
        close = round(exact / unit) * unit
        last = unit == Fraction(1, 10**6)
        if last and 2 * precision >= unit:
            return close
        if precision >= unit:
            continue
        if abs(close - exact) <= (precision / 2 if 4 * precision > unit else precision):
            return close
    return Fraction(round(exact * 10**9), 10**9)


def rounded_times(da, q, stored):
    """Returns the rounded times, and the selection of the rounded labels."""
    values, attrs = stored
    unit = attrs["units"].split()[0]
    if values.dtype.kind != "f" or unit not in UNITS:
        return None
    zero = xr.decode_cf(xr.Dataset({"z": ("z", np.array([0], "int64"), {k: attrs[k] for k in ("units", "calendar")})}, {}), use_cftime=da.x.dtype == object).z.values[0]
    if da.x.dtype == object:
        at = lambda s: zero + datetime.timedelta(microseconds=int(round(s * 10**6)))
        since = lambda t: Fraction((t - zero) // datetime.timedelta(microseconds=1), 10**6)
    else:
        wide = abs(values[values == values].astype(float) * UNITS[unit] + int(zero.astype("M8[s]").astype("int64"))).max() > 9e9
        zero = zero.astype("M8[us]" if wide else "M8[ns]")
        at = lambda s: zero + (np.timedelta64(int(round(s * 10**6)), "us") if wide else np.timedelta64(int(round(s * 10**9)), "ns"))
        since = lambda t: Fraction(int((t.astype(zero.dtype) - zero).astype("int64")), 10**6 if wide else 10**9)
    nat = None if da.x.dtype == object else np.datetime64("NaT", np.datetime_data(zero.dtype)[0])  # xarray fails for a NaT of another unit
    back = lambda l: l if l is None or isinstance(l, str) else (l if nat is None else nat) if l != l else at(rounded(unit, values.dtype.type(float(since(l) / UNITS[unit])), values.dtype))
    times = [(np.datetime64("NaT") if da.x.dtype != object else t) if v != v else at(rounded(unit, v, values.dtype)) for v, t in zip(values, da.x.values)]
    index = np.array(times, object if da.x.dtype == object else zero.dtype)
    return da.assign_coords(x=("x", index)), {**q, "_": [back(l) for l in q["_"]]}


def without_missing(da, q, missing):
    """Returns the positions among times without those of missing values, in an index that is not sorted because of them."""
    keep = [i for i, m in enumerate(missing) if not m]
    part = da.isel(x=keep)
    find = lambda l: select(part, {"kind": "label", "_": [l]})
    if q["kind"] in ("nearest", "pad", "backfill"):
        return None
    if q["kind"] == "list":
        at = lookup(part, q["_"])
        return None if at is None else [keep[i] for i in at]
    ends = [find(l) if l is not None else None for l in q["_"]]
    if any(l is not None and not e for l, e in zip(q["_"], ends)):
        return None
    if len(ends) == 1:
        return ends[0]
    if any(e and e != list(range(e[0], e[-1] + 1)) for e in ends):
        return None
    return list(range(ends[0][0] if ends[0] else 0, ends[1][-1] + 1 if ends[1] else len(missing)))


def instead(da, kind, q, stored):
    """Returns the positions that zargo selects by the differences that docs/evidence/interoperability.md names."""
    values = da.x.values
    times = values.dtype.kind == "M" or kind in ("time", "numpy time")
    method = q["kind"] in ("nearest", "pad", "backfill")
    missing = any(not isinstance(l, str) and l != l for l in q["_"] if l is not None)
    if values.dtype.kind == "u" and method:
        yield "distances of unsigned integers", near_integer([int(v) for v in values], q)
    if values.dtype.kind == "b" and q["kind"] == "list":
        yield "lists of booleans", lookup(da, q["_"])
    if q["kind"] == "list" and len(set(map(str, values))) < len(values):
        yield "lists of labels in coordinates that repeat other labels", lookup(da, q["_"])
    if (values.dtype.kind == "b" or kind in ("text", "varying")) and q["kind"] == "nearest":
        yield "the nearest boolean or text", None
    if method and missing and len(values) == 1:
        yield "NaN and NaT by a method", None
    far = method and isinstance(q["_"][0], float) and abs(q["_"][0]) >= 1e300
    if far and q["_"][0] in values:
        yield "a tolerance for an infinite label that exists", lookup(da, q["_"])
    elif far and q["kind"] == "nearest" and q["_tolerance"] is None and da.indexes["x"].is_monotonic_decreasing:
        yield "numbers at equal distances from all labels", [0 if q["_"][0] > 0 else len(values) - 1]
    if q["kind"] == "period" and q["positions"] == []:
        yield "periods without a time", None
    if values.dtype.kind == "f" and any(l is not None and np.finfo(values.dtype).max < abs(l) < float("inf") for l in q["_"]):
        yield "numbers beyond the type of the labels", select(da.assign_coords(x=("x", values.astype("float64"))), q)
    if q["kind"] == "slice" and missing:
        yield "ranges that end at NaN", None
    if times and q["kind"] in ("periods", "slice") and None not in q["_"]:
        index = da.indexes["x"]
        if not index.is_monotonic_increasing and not index.is_monotonic_decreasing:
            yield "ranges of times that are not sorted", unsorted_range(da, q)
        elif len(set(values)) == 1:
            yield "ranges of periods in times that are all equal", list(range(len(values))) if select(da.isel(x=[0]), q) else []
        elif not index.is_monotonic_increasing:
            yield "ranges of periods in decreasing times", exchanged(da, q)
    if kind == "time":
        try:
            exact = rounded_times(da, q, stored)
        except (OverflowError, ValueError):
            exact = None
        if exact:
            lost = (pd.isnull(values) != pd.isnull(stored[0])).any()
            name = "NaT beside times beyond datetime64[ns]" if lost else "times of floating-point numbers"
            da, q = exact
            if lost and da.x.dtype == object:
                yield name, without_missing(da, q, pd.isnull(stored[0]))
                return
            q["positions"] = select(da, q)
            yield name, q["positions"]
            for other, positions in instead(da, "numpy time", q, stored):
                yield f"{name}; {other}", positions


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
    encoding = {"x": {"_FillValue": None} if values.dtype.kind == "f" else {}}
    if kind == "text":
        ds = ds.assign_coords(x=("x", values.astype(str)))
    if kind == "varying":
        encoding = {"x": {"dtype": np.dtypes.StringDType() if format == 3 else object}}
        encoding = {}
    numpy = kind.startswith("numpy")
    (ds.drop_vars("x") if numpy else ds).to_zarr(os.path.join(folder, "data"), mode="w", zarr_format=format, consolidated=bool(seed % 2), encoding={} if numpy else encoding)
    if numpy:  # xarray stores times and time differences as integers
        g = zarr.open_group(os.path.join(folder, "data"), mode="r+", use_consolidated=False)
        names = {"dimension_names": ["x"]} if format == 3 else {"attributes": {"_ARRAY_DIMENSIONS": ["x"]}}
        g.create_array("x", shape=values.shape, dtype=values.dtype, **names)[:] = values
        if seed % 2:
            zarr.consolidate_metadata(g.store)
    with xr.open_zarr(os.path.join(folder, "data"), consolidated=bool(seed % 2), chunks=None) as got:
        da = got.p.load()
        out = []
        for q in queries(r, da):
            q["positions"] = select(da, q)
            q["instead"] = dict(instead(da, kind, q, (values, attrs)))
            out.append({k: v for k, v in q.items() if not k.startswith("_")})
        labels = [text(v) for v in da.x.values]
        said = {"kind": kind, "attrs": {k: str(v) for k, v in attrs.items()}, "labels": labels, "queries": out}
    return {"values": [json.dumps(said)]}
