"""views.py READER…: reads views of a dataset over HTTP, and compares them with the dataset, which is read from its folder.

Each line of standard input is a view in JSON: url, source (the folder), format, isel (the selected positions by dimension), decoded (the
variables that the view decodes), and names (all variables). READER is "zarr", "xarray" or "tensorstore". For each line it prints one line in JSON: the differences, as texts.
"""

import json
import os
import sys
import traceback

import numpy as np
import zarr
import zarr.storage


def served(url):
    from obstore.store import HTTPStore

    return zarr.storage.ObjectStore(HTTPStore(url, client_options={"allow_http": True}), read_only=True)


def differ(got, want, what):
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return [f"{what}: shape {got.shape}, want {want.shape}"]
    if got.dtype.kind != want.dtype.kind or got.dtype.itemsize != want.dtype.itemsize and got.dtype.kind in "iuf":
        return [f"{what}: data type {got.dtype}, want {want.dtype}"]
    if want.dtype.kind == "f":
        return [] if np.array_equal(got, want, equal_nan=True) else [f"{what}: the values differ"]
    return [] if np.array_equal(got, want) else [f"{what}: the values differ"]


def positions(view, dims):
    return tuple(np.asarray(view["isel"].get(d)) if d in view["isel"] else slice(None) for d in dims)


def dims_of(array):
    return array.metadata.dimension_names if array.metadata.zarr_format == 3 else array.attrs["_ARRAY_DIMENSIONS"]


def by_zarr(view):
    """Reads the stored values with zarr-python, with and without consolidated metadata."""
    out = []
    source = zarr.open_group(view["source"], mode="r", use_consolidated=False)
    for consolidated in (True, False):
        group = zarr.open_group(served(view["url"]), mode="r", use_consolidated=consolidated, zarr_format=view["format"])
        for name in view["names"]:
            if name in view["decoded"]:
                continue
            want = source[name]
            out += differ(group[name][...], want.oindex[positions(view, dims_of(want))], f"zarr {consolidated} {name}")
    return out


def by_xarray(view):
    """Reads decoded values with xarray. Values that the view has decoded are read without decoding, too."""
    import xarray as xr

    out = []
    want = xr.open_zarr(view["source"], consolidated=False).isel(**{d: np.asarray(i) for d, i in view["isel"].items()})
    got = xr.open_zarr(served(view["url"]), consolidated=True)  # without it, xarray lists the group
    if set(got.variables) != set(view["names"]):
        out.append(f"xarray: the variables are {sorted(got.variables)}")
    if set(got.coords) != set(want.coords) & set(view["names"]):
        out.append(f"xarray: the coordinates are {sorted(got.coords)}")
    for name in view["names"]:
        out += differ(got[name].values, want[name].values, f"xarray {name}")
        if got[name].dims != want[name].dims:
            out.append(f"xarray {name}: dimensions {got[name].dims}")
    raw = xr.open_zarr(served(view["url"]), mask_and_scale=False, decode_times=False)
    for name in view["decoded"]:
        out += differ(raw[name].values, want[name].values, f"decoded {name}")
        if raw[name].attrs.get("units") != want[name].attrs.get("units"):
            out.append(f"decoded {name}: units {raw[name].attrs.get('units')}")
    return out


def by_tensorstore(view):
    """Reads stored values with TensorStore, which reads the documents of each array itself."""
    import tensorstore as ts

    out = []
    source = zarr.open_group(view["source"], mode="r", use_consolidated=False)
    for name in view["names"]:
        want = source[name]
        if name in view["decoded"] or want.dtype.kind not in "iuf":
            continue
        got = ts.open({"driver": "zarr3" if view["format"] == 3 else "zarr", "kvstore": {"driver": "http", "base_url": f"{view['url']}/{name}/"}}, read=True).result()
        out += differ(got.read().result(), want.oindex[positions(view, dims_of(want))], f"tensorstore {name}")
    return out


READERS = {"zarr": by_zarr, "xarray": by_xarray, "tensorstore": by_tensorstore}


def main():
    os.environ.setdefault("TENSORSTORE_VERBOSE_LOGGING", "")
    for line in sys.stdin:
        view, out = json.loads(line), []
        for reader in sys.argv[1:]:
            try:
                out += READERS[reader](view)
            except Exception:
                out.append(reader + ": " + traceback.format_exc())
        print(json.dumps(out), flush=True)


if __name__ == "__main__":
    main()
