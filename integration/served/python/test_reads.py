"""Reads through a server are equal to reads of the same stores without it."""

import json
import os
import pathlib

import fsspec
import numpy as np
import pytest
import xarray as xr
import zarr
from zarr.storage import FsspecStore, LocalStore, ZipStore

import zargo

URL = os.environ["SERVED_READS"] + "/datasets"
ROOT = pathlib.Path(os.environ["SERVED_ROOT"])
WRITTEN = pathlib.Path(os.environ["SERVED_WRITTEN"])
CASES = json.loads((ROOT / "data" / "manifest.json").read_text())["cases"]


def direct(case):
    path = ROOT / "data" / case["path"]
    if case["store"] == "zip":
        return ZipStore(path, mode="r"), case.get("inner", "").strip("/")
    return LocalStore(path, read_only=True), ""


def nodes(store, path=""):
    """Every node below a store, as text with its metadata and the bytes of its elements, or the error
    of reading it."""
    found = {}

    def visit(name, node):
        found[name] = [type(node).__name__, json.dumps(dict(node.attrs), sort_keys=True, default=str)]
        if isinstance(node, zarr.Array):
            found[name] += [str(node.dtype), node.shape, node.chunks]
            try:
                values = np.asarray(node[...])
                found[name].append(values.tobytes() if values.dtype.kind not in "OT" else values.tolist())
            except Exception as why:
                found[name].append(type(why).__name__)

    try:
        node = zarr.open(store, path=path, mode="r")
    except Exception as why:
        return {"": type(why).__name__}
    visit("", node)
    if isinstance(node, zarr.Group):
        for name, member in node.members(max_depth=None):
            visit(name, member)
    return found


def test_fixtures():
    """All stores of the fixtures that zarr-python reads."""
    read = hierarchies = 0
    for i, case in enumerate(CASES):
        store, path = direct(case)
        want = nodes(store, path)
        got = nodes(zargo.Store(f"{URL}/{i}/zarr", read_only=True))
        assert repr(sorted(got.items())) == repr(sorted(want.items())), case["name"]
        read += any(isinstance(node, list) for node in want.values())
        if case["kind"] == "hierarchy":
            hierarchies += 1
            assert len(got) > 3, case["name"]
            listed = nodes(FsspecStore.from_url(f"{URL}/{i}/zarr", read_only=True))
            assert repr(sorted(listed.items())) == repr(sorted(want.items())), case["name"]
    assert read >= 700 and hierarchies == 12, (read, hierarchies)


def dataset():
    rng = np.random.default_rng(0)
    return xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), rng.normal(280, 10, (6, 4, 5)).astype("f4"), {"units": "K"}),
            "packed": (("time", "lat"), np.array([[0.5, np.nan, 2, 3.5]] * 6)),
            "name": (("lat",), np.array(["a", "bc", "", "é"])),
        },
        {"time": np.arange("2020-01-01", "2020-01-07", dtype="M8[D]").astype("M8[ns]"), "lat": [50.0, 40, 30, 20], "lon": np.arange(5.0)},
        {"title": "a <b> & c"},
    )


FORMS = {
    "v2": dict(zarr_format=2, consolidated=True),
    "v2-plain": dict(zarr_format=2, consolidated=False),
    "v3": dict(zarr_format=3, consolidated=True),
    "v3-plain": dict(zarr_format=3, consolidated=False),
}


@pytest.fixture(scope="module", params=FORMS)
def form(request):
    encoding = {"packed": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1, "chunks": (2, 3)}, "t2m": {"chunks": (4, 2, 5)}}
    dataset().to_zarr(WRITTEN / request.param, encoding=encoding, **FORMS[request.param])
    return request.param


def test_xarray(form):
    """xarray reads a dataset by its URL, by a mapper as clients of Xpublish do, and by zargo.Store."""
    want = xr.open_zarr(WRITTEN / form).load()
    url = f"{URL}/{form}/zarr"
    for source in (url, fsspec.get_mapper(url), zargo.Store(url, read_only=True)):
        with xr.open_zarr(source) as got:
            xr.testing.assert_identical(got.load(), want)
    with xr.open_zarr(url, consolidated=form != "v3-plain") as got:
        xr.testing.assert_identical(got.sel(time="2020-01-03", lat=40).load(), want.sel(time="2020-01-03", lat=40))


def test_writes():
    """xarray writes and appends to a dataset, which it reads as a local one."""
    store = zargo.Store(os.environ["SERVED_URL"] + "/xarray")
    local = WRITTEN / "appended"
    for target in (store, local):
        dataset().isel(time=slice(4)).drop_vars("name").to_zarr(target, zarr_format=3)
        dataset().isel(time=slice(4, 6)).drop_vars("name").to_zarr(target, append_dim="time")
    xr.testing.assert_identical(xr.open_zarr(store).load(), xr.open_zarr(local).load())
    zarr.open_group(store, mode="w")
    assert list(zarr.open_group(store).members()) == []
