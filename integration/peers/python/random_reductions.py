"""Random datasets, and their reductions by xarray."""

import json
import os
import random
import warnings

import numpy as np
import xarray as xr

CALENDARS = ["standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"]
OPS = ["mean", "sum", "min", "max", "count", "std", "first", "last"]
RESAMPLE = {"year": "YS", "season": "QS-DEC", "month": "MS", "day": "D", "hour": "h"}
CYCLES = {"monthofyear": "month", "dayofyear": "dayofyear", "seasonofyear": "season", "hourofday": "hour"}


def times(r, n):
    """Returns the stored values and the attributes of a time coordinate, in increasing order."""
    calendar = r.choice(CALENDARS)
    step = r.choice(["hours", "hours", "days", "days", "days"])
    unit = "hours" if step == "hours" else r.choice(["days", "hours"])
    scale = 24 if step == "days" and unit == "hours" else 1
    steps = sorted(r.sample(range(r.choice([n, n + 1, 2 * n, 5 * n])), n))
    year = r.choice([1850, 1999, 2000, 2023, 2100])
    return np.array(steps, "int64") * scale, {"units": f"{unit} since {year}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}", "calendar": calendar}


def values(r, rng, shape):
    """Returns stored values and attributes."""
    kind = r.choice(["float32", "float64", "float64", "int16", "packed", "masked", "int64", "bool", "packed float"])
    x = rng.normal(10, 5, shape)
    if kind in ("float32", "float64"):
        x[rng.random(shape) < r.choice([0, 0, 0.1, 0.6])] = np.nan
        return x.astype(kind), {}
    if kind == "int16":
        return (x * 10).astype("int16"), {}
    if kind == "int64":
        return (x * 1000).astype("int64"), {}
    if kind == "bool":
        return x > 10, {}
    if kind == "packed float":
        x[rng.random(shape) < 0.1] = -9999
        return x.astype("float32"), {"scale_factor": 0.1, "add_offset": 5.0, "_FillValue": np.float32(-9999)}
    x = (x * 10).astype("int16")
    x[rng.random(shape) < r.choice([0, 0.1, 0.6])] = -32767
    attrs = {"_FillValue": np.int16(-32767)}
    if kind == "packed":
        attrs |= {"scale_factor": r.choice([0.01, 0.5, -0.25]), "add_offset": r.choice([0.0, 273.15])}
    return x, attrs


def make(seed, place, format):
    """Stores a random dataset, and returns a reduction of it and the results of xarray."""
    r, rng = random.Random(seed), np.random.default_rng(seed)
    dims = {"time": r.randint(1, 40), "lat": r.randint(1, 6), "lon": r.randint(1, 7)}
    order = r.choice([["time", "lat", "lon"]] * 3 + [["lat", "time", "lon"], ["lon", "lat", "time"], ["time"], ["time", "lat"]])
    dims = {d: dims[d] for d in order}
    stored, attrs = values(r, rng, [dims[d] for d in order])
    clock, clock_attrs = times(r, dims["time"])
    data = {"time": (["time"], clock, clock_attrs), "v": (order, stored, attrs)}
    if r.random() < 0.1 and clock_attrs["calendar"] == "standard" and dims["time"] > 2:  # a missing time
        clock = clock.copy()
        clock[r.randrange(dims["time"])] = -1
        data["time"] = (["time"], clock, clock_attrs | {"_FillValue": np.int64(-1)})
    for d in ("lat", "lon"):
        if d in dims:
            data[d] = ([d], np.linspace(-80, 80, dims[d]) if d == "lat" else np.arange(dims[d]) * 10.0, {"units": "degrees_" + ("north" if d == "lat" else "east")})
    raw = xr.Dataset({"v": data["v"]}, {k: v for k, v in data.items() if k != "v"})
    chunks = [r.randint(1, n) for n in (dims[d] for d in order)]
    raw.to_zarr(place, mode="w", zarr_format=format, consolidated=True, encoding={"v": {"chunks": chunks}})
    ds = xr.open_zarr(place, decode_timedelta=False)
    v = ds.v.load().astype("float64") if ds.v.dtype == np.float32 else ds.v.load()
    try:
        do, want = reduction(r, v, ds)
    except TypeError:  # xarray has no such operation for the type
        want = None
    if want is None:
        return make(seed + 1_000_000, place, format)
    return do, want


def reduction(r, v, ds):
    """Returns the arguments of a reduction, and the result."""
    op = r.choice(OPS)
    keep = r.random() < 0.2
    skip = {} if op == "count" else {"skipna": not keep}
    kind = r.choice(["over", "over", "period", "period", "period", "period over", "cycle", "cycle", "coarsen", "rolling", "weighted"])
    do = {"op": op, "over": [], "by": [], "keep_missing": keep, "min_count": 0, "weights": ""}
    if op in ("first", "last"):
        kind = r.choice(["period", "cycle"])
    if op == "sum" and kind != "coarsen" and not keep and r.random() < 0.5:  # with skipna=False, xarray ignores min_count
        do["min_count"] = r.randint(1, 3)
        skip["min_count"] = do["min_count"]
    others = [d for d in v.dims if d != "time"]
    if kind in ("period", "period over", "cycle"):
        v = v.sel(time=v.time.notnull())  # xarray does not resample missing times, and has a season of them
    if kind == "over":
        do["over"] = r.sample(list(v.dims), r.randint(1, len(v.dims)))
        return do, getattr(v, op)(do["over"], **skip)
    if kind in ("period", "period over"):
        period = r.choice(list(RESAMPLE))
        span = v.time.values.max() - v.time.values.min()
        days = span.days if hasattr(span, "days") else span / np.timedelta64(1, "D")
        if days > 4000 and period in ("day", "hour") or days > 300 and period == "hour":
            period = "month"
        do["by"] = ["time=" + period]
        if kind == "period over" and others:
            do["over"] = r.sample(others, r.randint(1, len(others)))
        groups = v.resample(time=RESAMPLE[period])
        if do["over"]:
            return do, getattr(groups, op)(["time", *do["over"]], **skip)
        return do, getattr(groups, op)(**skip)
    if kind == "cycle":
        cycle = r.choice(list(CYCLES))
        do["by"] = ["time=" + cycle]
        groups = v.groupby("time." + CYCLES[cycle])
        return do, getattr(groups, op)(**skip)
    if kind == "coarsen":
        windows, boundary = {}, r.choice(["trim", "pad"])
        for d in r.sample(list(v.dims), r.randint(1, len(v.dims))):
            windows[d] = r.randint(1, v.sizes[d])
        if op == "count" or do["min_count"] or boundary == "pad" and (keep or op in ("sum",)):
            boundary = "trim"
        do["min_count"] = 0
        skip.pop("min_count", None)
        do["by"] = [f"{d}={n}:{boundary}" for d, n in windows.items()]
        if boundary == "pad" and v.dtype.kind in "iu" and op in ("mean", "sum", "std"):
            v = v.astype("float64")  # xarray pads int16 as float32
        c = v.drop_vars("time").coarsen(windows, boundary=boundary)
        if v.dtype.kind != "f" or not keep or op not in ("mean", "sum"):  # the others have no skipna
            skip = {}
            do["keep_missing"] = False
        return do, getattr(c, op)(**skip)
    if kind == "rolling":
        if op not in ("mean", "sum", "min", "max", "std", "count"):
            return do, None
        d = r.choice(list(v.dims))
        n = r.randint(1, v.sizes[d])
        least = r.randint(1, n)
        do |= {"by": [f"{d}=rolling:{n}"], "min_count": least, "keep_missing": False}
        x = v.astype("float64") if v.dtype != bool else v.astype("float64")
        if op == "count":
            do["min_count"] = 0
            return do, x.notnull().rolling({d: n}, min_periods=1).sum().astype("int64")
        return do, getattr(x.rolling({d: n}, min_periods=least), op)()
    if "lat" not in v.dims or op not in ("mean", "sum", "std"):
        return do, None
    do |= {"weights": "cos(lat)", "over": ["lat"] + (["lon"] if "lon" in v.dims and r.random() < 0.5 else []), "min_count": 0}
    skip.pop("min_count", None)
    w = np.cos(np.deg2rad(ds.lat.astype("float64")))
    return do, getattr(v.weighted(w), op)(do["over"], **skip)


def save(folder, format, seed):
    """Stores a random dataset below a folder, and returns reductions of it and their results."""
    warnings.simplefilter("ignore")
    do, want = make(seed, os.path.join(folder, "data"), format)
    do["dims"], do["shape"] = list(want.dims), list(want.shape)
    do["values"] = [None if x != x else float(x) for x in want.values.ravel().tolist()]
    do["labels"] = {}
    for d in want.dims:
        if d in want.coords and not any(by.startswith(d + "=") and (":" in by) for by in do["by"]):
            do["labels"][d] = [str(x)[:19].replace(" ", "T") if d == "time" else str(x) for x in want[d].values]
    return {"values": [json.dumps(do)]}
