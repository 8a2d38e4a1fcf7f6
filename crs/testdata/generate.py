"""Writes nodes.json, codes.json and cases.json.

python 3.11, rasterio 1.4.4 (GDAL 3.10.3), rioxarray 0.19.0, pyproj 3.7.2, xarray 2026.9.0, zarr 3.1.6,
jsonschema 4.26.0, and the sources of zarr-cm 0.5.0 in the directory SCHEMAS.

nodes.json has arrays that GDAL and rioxarray wrote, and published examples, with the values that
rasterio, rioxarray and pyproj read.
"""

import copy
import json
import os
import pathlib
import tempfile
import warnings

import jsonschema
import numpy as np
import pyproj
import rasterio
import rasterio.transform
import referencing
import referencing.jsonschema
import rioxarray  # noqa: F401
import xarray as xr

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).parent
SCHEMAS = pathlib.Path(os.environ["SCHEMAS"]) / ".github/upstream-schemas"
nodes = []


def crs_of(crs):
    """The name and the identifier that the system itself contains; pyproj could also search for one."""
    i = crs.to_json_dict().get("id")
    return {"code": f"{i['authority']}:{i['code']}" if i else "", "name": crs.name}


def grid_of(transform, height, width):
    """The coordinates of the centers of four elements, by rasterio."""
    at = [(0, 0), (height - 1, width - 1), (1, 0), (0, 1)]
    return {"transform": list(transform)[:6], "at": [[r, c, *map(float, rasterio.transform.xy(transform, r, c))] for r, c in at], "bounds": list(rasterio.transform.array_bounds(height, width, transform))}


def stored(dir):
    """The attributes, dimensions and shape in the metadata documents of a node."""
    p = pathlib.Path(dir)
    if (p / "zarr.json").exists():
        doc = json.loads((p / "zarr.json").read_text())
        return doc.get("attributes", {}), doc.get("dimension_names"), doc.get("shape")
    attrs = json.loads((p / ".zattrs").read_text()) if (p / ".zattrs").exists() else {}
    shape = json.loads((p / ".zarray").read_text())["shape"] if (p / ".zarray").exists() else None
    return attrs, attrs.get("_ARRAY_DIMENSIONS"), shape


def node(name, dir, array, crs, grid):
    attrs, dims, shape = stored(f"{dir}/{array}")
    others = {p.name: stored(p)[0] for p in sorted(pathlib.Path(dir).iterdir()) if p.is_dir() and p.name != array}
    nodes.append({"name": name, "attrs": attrs, "dims": dims, "shape": shape, "parent": stored(dir)[0], "vars": others, "crs": crs, "grid": grid})


def gdal(name, epsg, transform, fmt):
    with tempfile.TemporaryDirectory() as dir:
        path = dir + "/a.zarr"
        profile = dict(driver="Zarr", height=6, width=4, count=1, dtype="uint8", crs=epsg, transform=transform, FORMAT=fmt)
        with rasterio.open(path, "w", **profile) as d:
            d.write(np.zeros((1, 6, 4), "u1"))
        with rasterio.open(path) as d:
            crs = pyproj.CRS.from_user_input(d.crs)
        # GDAL stores the transformation as the coordinates X and Y.
        node(name, path, "a", crs_of(crs), None)


north_up = rasterio.transform.from_origin(440720.0, 3751320.0, 60.0, 60.0)
gdal("GDAL, v2, EPSG:26711", "EPSG:26711", north_up, "ZARR_V2")
gdal("GDAL, v3, EPSG:32633", "EPSG:32633", north_up, "ZARR_V3")
gdal("GDAL, v2, EPSG:4326", "EPSG:4326", rasterio.transform.from_origin(-10.0, 60.0, 0.25, 0.5), "ZARR_V2")
gdal("GDAL, v3, without code", pyproj.CRS.from_proj4("+proj=laea +lat_0=10 +lon_0=20 +datum=WGS84 +units=m").to_wkt(), north_up, "ZARR_V3")


def rio(name, epsg, transform, zarr_format, grid_mapping="spatial_ref", keep=True):
    with tempfile.TemporaryDirectory() as dir:
        ds = xr.Dataset({"band": (("y", "x"), np.zeros((6, 4), "u1"))})
        ds = ds.rio.write_crs(epsg, grid_mapping_name=grid_mapping).rio.write_transform(transform, grid_mapping_name=grid_mapping)
        if not keep:
            for v in ds.variables.values():
                v.attrs.pop("grid_mapping", None)
                v.encoding.pop("grid_mapping", None)
        ds.to_zarr(dir, zarr_format=zarr_format, consolidated=False)
        back = xr.open_dataset(dir, engine="zarr", decode_coords="all", consolidated=False)
        crs = pyproj.CRS.from_user_input(back.rio.crs)
        node(name, dir, "band", crs_of(crs), grid_of(back.rio.transform(), 6, 4))


rio("rioxarray, v3", "EPSG:32633", north_up, 3)
rio("rioxarray, v2", "EPSG:3857", rasterio.Affine(10.0, 0.5, 100.0, -0.25, -20.0, 200.0), 2)
rio("rioxarray, other name", "EPSG:4326", rasterio.transform.from_origin(-180.0, 90.0, 1.0, 1.0), 3, "crs")
rio("rioxarray, without grid_mapping", "EPSG:27700", north_up, 3, keep=False)

# The CF attributes of pyproj, without WKT. Its name of the mapping is that of the CF conventions.
for epsg in (4326, 32633, 3995):
    with tempfile.TemporaryDirectory() as dir:
        cf = {k: v for k, v in pyproj.CRS.from_epsg(epsg).to_cf().items() if k != "crs_wkt"}
        ds = xr.Dataset({"t": (("y", "x"), np.zeros((2, 2))), "crs": ((), 0)})
        ds["t"].attrs["grid_mapping"] = "crs: x y" if epsg == 32633 else "crs"
        ds["crs"].attrs.update(cf)
        ds.to_zarr(dir, zarr_format=3, consolidated=False)
        name = cf.get("projected_crs_name") or cf.get("geographic_crs_name") or cf["grid_mapping_name"]
        node(f"CF without WKT, {epsg}", dir, "t", {"code": "", "name": name, "parameters": cf}, None)


def published(name, attrs, crs, dims=("Y", "X"), shape=(6, 4), parent=None, **more):
    t = attrs.get("spatial:transform") or (parent or {}).get("spatial:transform")
    grid = grid_of(rasterio.Affine(*t), *shape) if t else None
    nodes.append({"name": name, "attrs": attrs, "dims": list(dims), "shape": list(shape), "parent": parent or {}, "vars": {}, "crs": crs, "grid": grid, **more})


examples = json.loads((HERE / "examples.json").read_text())
for name, doc in examples.items():
    a = doc["attributes"]
    p = doc.get("parent", {})
    source = a if any(k.startswith("proj:") for k in a) else p
    crs = None
    if "proj:code" in source:
        crs = crs_of(pyproj.CRS.from_user_input(source["proj:code"]))
        crs["name"] = source["proj:code"]  # Name does not look up codes
    elif "proj:wkt2" in source:
        crs = crs_of(pyproj.CRS.from_wkt(source["proj:wkt2"]))
    more = {}
    if "vars" in doc:
        more["vars"] = doc["vars"]
        cf = next(iter(doc["vars"].values()))
        crs = {"code": "", "name": cf["grid_mapping_name"], "parameters": cf}
    published(name, a, crs, doc.get("dims", ["Y", "X"]), doc.get("shape", [6, 4]), p, **more)

for epsg in (4326, 32633, 27700):
    c = pyproj.CRS.from_epsg(epsg)
    published(f"proj:projjson, {epsg}", {"proj:projjson": c.to_json_dict()}, crs_of(c))
    published(f"proj:wkt2, {epsg}", {"proj:wkt2": c.to_wkt("WKT2_2019", pretty=True)}, crs_of(c))
    published(f"_CRS with WKT 1, {epsg}", {"_CRS": {"wkt": c.to_wkt("WKT1_GDAL")}}, crs_of(c))
    published(f"_CRS with a URL, {epsg}", {"_CRS": {"url": f"http://www.opengis.net/def/crs/EPSG/0/{epsg}"}}, {"code": f"EPSG:{epsg}", "name": f"EPSG:{epsg}"})
(HERE / "nodes.json").write_text("[\n" + ",\n".join(json.dumps(n) for n in nodes) + "\n]\n")

# Codes: what pyproj understands.
codes = {}
for text in """EPSG:4326
epsg:3857
ESRI:54009
OGC:CRS84
IAU_2015:30100
urn:ogc:def:crs:EPSG::4326
urn:ogc:def:crs:EPSG:9.8:32633
URN:OGC:DEF:CRS:EPSG::3857
urn:ogc:def:crs:OGC:1.3:CRS84
urn:ogc:def:crs:OGC::CRS84
http://www.opengis.net/def/crs/EPSG/0/4326
https://www.opengis.net/def/crs/EPSG/0/27700
http://www.opengis.net/def/crs/OGC/1.3/CRS84
http://www.opengis.net/def/crs/IAU/2015/30100
http://www.opengis.net/gml/srs/epsg.xml#4326
EPSG:4326+5773
urn:ogc:def:crs,crs:EPSG::27700,crs:EPSG::5701
EPSG
EPSG:
http://example.com/EPSG/4326
+proj=longlat +datum=WGS84
WGS 84""".splitlines():
    try:
        c = pyproj.CRS.from_user_input(text)
        # A text that names a system by its words or parameters, or a compound one, is not a code.
        authority = None if c.is_compound or "+" in text or ":" not in text else c.to_authority(min_confidence=100)
        codes[text] = ":".join(authority) if authority else ""
    except pyproj.exceptions.CRSError:
        codes[text] = ""
(HERE / "codes.json").write_text(json.dumps(codes, indent=1) + "\n")

# Variants that the published schemas judge.
registry = referencing.Registry(retrieve=lambda uri: referencing.Resource.from_contents({"type": "object", "required": ["type"]}, default_specification=referencing.jsonschema.DRAFT7))


def valid(attrs):
    for name, commit in (("spatial", "54d81b7ced0376e63ee10f34db31db7d08dcc28d"), ("proj", "5ca5b2f92e5c7245f957d9128b289ee535f0720d")):
        schema = json.loads((SCHEMAS / name / f"{commit}.json").read_text())
        # $ref hides its siblings in draft 7, so that the schema would not check zarr_conventions.
        a = schema["properties"]["attributes"]
        a["allOf"] = [{"$ref": a.pop("$ref")}]
        doc = {"zarr_format": 3, "node_type": "array", "attributes": attrs}
        if not jsonschema.Draft7Validator(schema, registry=registry).is_valid(doc):
            return False
    return True


import zarr_cm  # noqa: E402

base = {"zarr_conventions": [zarr_cm.proj.CMO, zarr_cm.spatial.CMO], "proj:code": "EPSG:32633", "spatial:dimensions": ["y", "x"], "spatial:transform": [10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0], "spatial:shape": [6, 4], "spatial:bbox": [500000.0, 4999940.0, 500040.0, 5000000.0], "spatial:registration": "pixel"}
edits = [
    ("unchanged", {}), ("no CRS", {"proj:code": None}), ("code without colon", {"proj:code": "32633"}), ("code is a number", {"proj:code": 32633}), ("code with two colons", {"proj:code": "EPSG:1:2"}),
    ("wkt2 is an object", {"proj:wkt2": {}}), ("projjson is a string", {"proj:projjson": "x"}), ("projjson without type", {"proj:projjson": {"name": "x"}}), ("projjson", {"proj:projjson": pyproj.CRS.from_epsg(32633).to_json_dict()}),
    ("no dimensions", {"spatial:dimensions": None}), ("three dimensions", {"spatial:dimensions": ["z", "y", "x"]}), ("dimensions is a string", {"spatial:dimensions": "yx"}), ("dimensions of numbers", {"spatial:dimensions": [0, 1]}),
    ("five coefficients", {"spatial:transform": [1, 0, 0, 0, 1]}), ("coefficients are strings", {"spatial:transform": ["1", "0", "0", "0", "1", "0"]}), ("transform is null", {"spatial:transform": [None] * 6}), ("no transform", {"spatial:transform": None}),
    ("three lengths", {"spatial:shape": [1, 6, 4]}), ("length of zero", {"spatial:shape": [0, 4]}), ("length is a fraction", {"spatial:shape": [6.5, 4]}), ("length is a string", {"spatial:shape": ["6", 4]}),
    ("box of six", {"spatial:bbox": [0, 0, 0, 1, 1, 1]}), ("box of strings", {"spatial:bbox": ["0", "0", "1", "1"]}), ("no box", {"spatial:bbox": None}), ("node", {"spatial:registration": "node", "spatial:bbox": None}), ("registration center", {"spatial:registration": "center"}),
    ("registration is a number", {"spatial:registration": 1}), ("type affine", {"spatial:transform_type": "affine"}), ("type rpc", {"spatial:transform_type": "rpc"}), ("type is a number", {"spatial:transform_type": 1}),
    ("no conventions", {"zarr_conventions": None}), ("only proj", {"zarr_conventions": [zarr_cm.proj.CMO]}), ("only uuid", {"zarr_conventions": [{"uuid": zarr_cm.proj.UUID}, {"uuid": zarr_cm.spatial.UUID}]}), ("only schema_url", {"zarr_conventions": [{"schema_url": zarr_cm.proj.SCHEMA_URL}, {"schema_url": zarr_cm.spatial.SCHEMA_URL}]}),
    ("only spec_url", {"zarr_conventions": [{"spec_url": zarr_cm.proj.SPEC_URL}, {"spec_url": zarr_cm.spatial.SPEC_URL}]}), ("only name", {"zarr_conventions": [{"name": "proj"}, {"name": "spatial"}]}), ("unpublished URL", {"zarr_conventions": [{"schema_url": "https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v1/schema.json"}, zarr_cm.spatial.CMO]}),
    ("additional attribute", {"spatial:comment": "x"}),
]
cases = []
for name, edit in edits:
    attrs = copy.deepcopy(base)
    for k, v in edit.items():
        attrs.pop(k, None) if v is None else attrs.__setitem__(k, v)
    cases.append({"name": name, "attrs": json.loads(json.dumps(attrs)), "valid": valid(attrs)})
(HERE / "cases.json").write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
