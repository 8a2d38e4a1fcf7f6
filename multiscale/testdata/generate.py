"""Writes expected.json, cases.json and attributes.json.

python 3.11, zarr-cm 0.5.0, ome-zarr-models 1.7, ngff-zarr 0.50.0, zarr 3.1.6, jsonschema 4.26.0.

SCHEMAS must name a directory with the sources of zarr-cm 0.5.0 (pip download --no-binary), whose
.github/upstream-schemas has the published schemas of the Zarr conventions. ngff-zarr contains those
of OME-Zarr.
"""

import copy
import json
import os
import pathlib
import tempfile

import jsonschema
import ngff_zarr
import numpy as np
import ome_zarr_models.v04.image
import ome_zarr_models.v05.image
import referencing
import referencing.jsonschema
import zarr
import zarr_cm

HERE = pathlib.Path(__file__).parent
NGFF = pathlib.Path(ngff_zarr.__file__).parent / "spec"
SCHEMAS = pathlib.Path(os.environ["SCHEMAS"]) / ".github/upstream-schemas"


def composed(scale, offset, transforms):
    """Applies scale and translation of OME-Zarr in order."""
    scale, offset = np.array(scale, float), np.array(offset, float)
    for t in transforms or ():
        if t.type == "scale":
            scale, offset = scale * t.scale, offset * t.scale
        else:
            offset = offset + t.translation
    return scale.tolist(), offset.tolist()


def from_models(m):
    """The levels of ome-zarr-models' Multiscale."""
    n = len(m.axes)
    levels = []
    for d in m.datasets:
        s, o = composed(np.ones(n), np.zeros(n), d.coordinateTransformations)
        s, o = composed(s, o, m.coordinateTransformations)
        levels.append({"path": d.path, "scale": s, "translation": o})
    return {"axes": [{"name": a.name, "type": a.type or "", "unit": a.unit or ""} for a in m.axes], "levels": levels}


def from_ngff(doc):
    """The levels that ngff-zarr reads from a group with the attributes and with small arrays."""
    with tempfile.TemporaryDirectory() as dir:
        doc = copy.deepcopy(doc)
        ome = doc["attributes"]["ome"]
        ome["version"] = "0.6"  # ngff-zarr refuses versions of development
        m = ome["multiscales"][0]
        rank = len(m["coordinateSystems"][0]["axes"])
        g = zarr.open_group(dir, mode="w", zarr_format=3, attributes=doc["attributes"])
        for d in m["datasets"]:
            g.create_array(d["path"], shape=(2,) * rank, dtype="u1", dimension_names=[a["name"] for a in m["coordinateSystems"][0]["axes"]])
        got = ngff_zarr.from_ngff_zarr(dir)
        levels = []
        for d, image in zip(m["datasets"], got.images):
            levels.append({"path": d["path"], "scale": [image.scale[x] for x in image.dims], "translation": [image.translation[x] for x in image.dims]})
        axes = [{"name": x, "type": next(a["type"] for a in m["coordinateSystems"][0]["axes"] if a["name"] == x), "unit": (got.images[0].axes_units or {}).get(x) or ""} for x in got.images[0].dims]
        return {"axes": axes, "levels": levels}


def from_layout(m):
    """The convention multiscales defines the transformation from the source. Compose as matrices."""
    by = {}
    levels = []
    for e in m["layout"]:
        t = e.get("transform")
        rank = 2
        own = np.eye(rank + 1)
        if t:
            own[:rank, :rank] = np.diag(t.get("scale", [1.0] * rank))
            own[:rank, rank] = t.get("translation", [0.0] * rank)
        matrix = by[e["derived_from"]] @ own if "derived_from" in e else own
        by[e["asset"]] = matrix
        levels.append({"path": e["asset"], "scale": np.diag(matrix)[:rank].tolist(), "translation": matrix[:rank, rank].tolist()})
    return {"levels": levels}


def registry(version):
    r = referencing.Registry()
    for f in sorted((NGFF / version / "schemas").glob("*.schema")):
        s = json.loads(f.read_text())
        for uri in {s["$id"], f"https://ngff.openmicroscopy.org/{version}/schemas/{f.name}"}:
            r = r.with_resource(uri, referencing.Resource.from_contents(s, default_specification=referencing.jsonschema.DRAFT202012))
    return r


def ngff_valid(version, attrs):
    schema = json.loads((NGFF / version / "schemas/image.schema").read_text())
    return jsonschema.Draft202012Validator(schema, registry=registry(version)).is_valid(attrs)


def convention_valid(name, commit, attrs):
    schema = json.loads((SCHEMAS / name / f"{commit}.json").read_text())
    return jsonschema.Draft7Validator(schema).is_valid({"zarr_format": 3, "node_type": "group", "attributes": attrs})


expected = {}
for f in sorted((HERE / "examples").glob("*.json")):
    doc = json.loads(f.read_text())
    attrs = doc["attributes"]
    if "invalid" in f.name:
        expected[f.name] = None
    elif "ome_0.4" in f.name:
        expected[f.name] = from_models(ome_zarr_models.v04.multiscales.Multiscale.model_validate(attrs["multiscales"][0]))
    elif "ome_0.5" in f.name:
        expected[f.name] = from_models(ome_zarr_models.v05.multiscales.Multiscale.model_validate(attrs["ome"]["multiscales"][0]))
    elif "ome_0.6" in f.name:
        expected[f.name] = from_ngff(doc)
    elif not f.name.startswith("gdal"):
        expected[f.name] = from_layout(attrs["multiscales"])
        zarr_cm.multiscales.validate(attrs["multiscales"])
(HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")

# Groups that ngff-zarr writes.
written = {}
for version, zarr_format in (("0.4", 2), ("0.5", 3), ("0.6", 3)):
    with tempfile.TemporaryDirectory() as dir:
        image = ngff_zarr.to_ngff_image(np.zeros((16, 32), "u1"), dims=["y", "x"], scale={"y": 0.25, "x": 0.5}, translation={"y": 10.0, "x": -3.0}, name="cells", axes_units={"y": "micrometer", "x": "micrometer"})
        ms = ngff_zarr.to_multiscales(image, scale_factors=[2, 4], chunks=8, cache=False)
        ngff_zarr.to_ngff_zarr(dir, ms, version=version)
        attrs = zarr.open_group(dir, mode="r").attrs.asdict()
        written[version] = {"attrs": attrs, "levels": [{"scale": [i.scale["y"], i.scale["x"]], "translation": [i.translation["y"], i.translation["x"]]} for i in ms.images]}
(HERE / "written.json").write_text(json.dumps(written, indent=1) + "\n")

# Attributes that zarr-cm creates.
created = zarr_cm.multiscales.create_convention_attrs(
    layout=[
        {"asset": "0", "transform": {"scale": [1.0, 1.0, 1.0], "translation": [0.0, 0.0, 0.0]}},
        {"asset": "1/data", "derived_from": "0", "transform": {"scale": [1.0, 2.0, 2.0], "translation": [0.0, 0.5, 0.5]}, "resampling_method": "nearest"},
        {"asset": "2/data", "derived_from": "1/data", "transform": {"scale": [1.0, 2.0, 2.0], "translation": [0.0, 0.5, 0.5]}},
    ],
    resampling_method="average",
)
(HERE / "attributes.json").write_text(json.dumps(created, indent=1) + "\n")


# Variants of valid attributes, which the published schemas judge.
def variants(doc, edits):
    yield "unchanged", copy.deepcopy(doc)
    for name, edit in edits:
        d = copy.deepcopy(doc)
        edit(d)
        yield name, d


def put(*path_value):
    *path, value = path_value

    def edit(d):
        for p in path[:-1]:
            d = d[p]
        if value is None:
            del d[path[-1]]
        else:
            d[path[-1]] = value

    return edit


L = ("multiscales", "layout")
layout_edits = [
    ("no layout", put(*L, None)),
    ("empty layout", put(*L, [])),
    ("layout is an object", put(*L, {})),
    ("level is a string", put(*L, 0, "0")),
    ("no asset", put(*L, 1, "asset", None)),
    ("asset is a number", put(*L, 1, "asset", 1)),
    ("absolute asset", put(*L, 1, "asset", "/1")),
    ("asset above", put(*L, 1, "asset", "../1")),
    ("asset above inside", put(*L, 1, "asset", "1/../../2")),
    ("asset with an empty segment", put(*L, 1, "asset", "1//data")),
    ("asset with a slash at the end", put(*L, 1, "asset", "1/")),
    ("empty asset", put(*L, 1, "asset", "")),
    ("derived_from above", put(*L, 1, "derived_from", "../0")),
    ("derived_from is a number", put(*L, 1, "derived_from", 0)),
    ("derived_from without transform", put(*L, 1, "transform", None)),
    ("no transform", put(*L, 0, "transform", None)),
    ("transform is an array", put(*L, 1, "transform", [2, 2])),
    ("scale is a number", put(*L, 1, "transform", "scale", 2)),
    ("scale of strings", put(*L, 1, "transform", "scale", ["2", "2"])),
    ("scale of booleans", put(*L, 1, "transform", "scale", [True, True])),
    ("translation is an object", put(*L, 1, "transform", "translation", {})),
    ("no scale", put(*L, 1, "transform", "scale", None)),
    ("method is a number", put(*L, 1, "resampling_method", 1)),
    ("default method is a list", put("multiscales", "resampling_method", ["average"])),
    ("additional member", put(*L, 1, "comment", "x")),
    ("no multiscales", put("multiscales", None)),
    ("no conventions", put("zarr_conventions", None)),
    ("conventions is an object", put("zarr_conventions", {})),
    ("other convention", put("zarr_conventions", 0, "uuid", "00000000-0000-0000-0000-000000000000")),
    ("unpublished schema_url", put("zarr_conventions", 0, "schema_url", "https://raw.githubusercontent.com/zarr-conventions/multiscales/refs/tags/v1/schema.json")),
    ("unknown schema_url", put("zarr_conventions", 0, "schema_url", "https://example.com/schema.json")),
    ("additional member of the declaration", put("zarr_conventions", 0, "version", "0.1")),
]

cases = []
for name, attrs in variants(json.loads(json.dumps(created)), layout_edits):
    cases.append({"name": "multiscales 0.1: " + name, "attrs": attrs, "valid": convention_valid("multiscales", "9b78efa75fef0fed302d9cf880037c569354d860", attrs)})


def ome_edits(at, newer):
    m = (*at, "multiscales", 0)
    ax = (*m, "coordinateSystems", 0, "axes") if newer else (*m, "axes")
    tr = (*m, "datasets", 0, "coordinateTransformations")
    yield "no datasets", put(*m, "datasets", None)
    yield "empty datasets", put(*m, "datasets", [])
    yield "no path", put(*m, "datasets", 0, "path", None)
    yield "path is a number", put(*m, "datasets", 0, "path", 0)
    yield "no transformations", put(*tr, None)
    yield "empty transformations", put(*tr, [])
    yield "no scale", put(*tr, 0, "scale", None)
    yield "scale of strings", put(*tr, 0, "scale", ["1", "1"])
    yield "unknown transformation", put(*tr, 0, "type", "warp")
    yield "no axes", put(*ax, None)
    yield "empty axes", put(*ax, [])
    yield "axis without name", put(*ax, 0, "name", None)
    yield "one axis", put(*ax, [{"name": "x", "type": "space"}])
    yield "one axis of space", put(*ax, [{"name": "c", "type": "channel"}, {"name": "x", "type": "space"}])
    yield "six axes", put(*ax, [{"name": n, "type": "space" if n in "xyz" else n} for n in "abcxyz"])
    yield "four axes of space", put(*ax, [{"name": n, "type": "space"} for n in "wxyz"])
    yield "name is a number", put(*m, "name", 5)
    yield "additional member", put(*m, "comment", "x")
    yield "empty multiscales", put(*at, "multiscales", [])
    if at:
        yield "no version", put(*at, "version", None)
        yield "unknown version", put(*at, "version", "99.9")
    else:
        yield "no version", put(*m, "version", None)
        yield "unknown version", put(*m, "version", "99.9")
    if newer:
        yield "no coordinate systems", put(*m, "coordinateSystems", None)
        yield "empty coordinate systems", put(*m, "coordinateSystems", [])
        yield "coordinate system without name", put(*m, "coordinateSystems", 0, "name", None)
        yield "no output", put(*tr, 0, "output", None)
        yield "output with path", put(*tr, 0, "output", {"path": "physical"})
        yield "no input", put(*tr, 0, "input", None)
        yield "input with name", put(*tr, 0, "input", {"name": "0"})


for version in ("0.4", "0.5", "0.6"):
    attrs = written[version]["attrs"]
    if version == "0.6":  # ngff-zarr writes sequences; the edits need a scale
        attrs = json.loads((HERE / "examples/ome_0.6-multiscales_transformations.json").read_text())["attributes"]
        attrs["ome"]["version"] = version
    attrs = {k: v for k, v in attrs.items() if k in ("ome", "multiscales")}
    for name, a in variants(attrs, ome_edits(("ome",) if "ome" in attrs else (), version == "0.6")):
        cases.append({"name": f"OME-Zarr {version}: {name}", "attrs": a, "valid": ngff_valid(version, a)})
(HERE / "cases.json").write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
