"""zarrs, by its package for Python. That is a pipeline of codecs: it takes metadata as text, reads and writes whole chunks and
shards or parts of them, and fills in what is missing. It has no arrays, so the keys of chunks, and which of them a region
meets, are worked out here; zarr-python has no part in it but for the class by which a folder is told."""

import base64
import itertools
import json
import os

import numpy as np
from zarr.storage import LocalStore
from zarrs._internal import ChunkItem, CodecPipelineImpl

import chains
import datatypes
import rows


class Array:
    def __init__(self, folder):
        for name in ("zarr.json", ".zarray"):
            if os.path.exists(os.path.join(folder, name)):
                with open(os.path.join(folder, name)) as f:
                    text = f.read()
        self.meta = meta = json.loads(text)
        self.pipeline = CodecPipelineImpl(text, store_config=LocalStore(folder), validate_checksums=True, num_threads=1)
        self.shape = meta["shape"]
        self.edges = [edges(n, cut) for n, cut in zip(self.shape, lengths(meta))]

    def key(self, at):
        at = [str(i) for i in at]
        if self.meta["zarr_format"] == 2:
            return self.meta.get("dimension_separator", ".").join(at or ["0"])
        encoding = self.meta["chunk_key_encoding"]
        if encoding["name"] == "v2":
            return encoding.get("configuration", {}).get("separator", ".").join(at or ["0"])
        return encoding.get("configuration", {}).get("separator", "/").join(["c"] + at)

    def items(self, box):
        """Each chunk that a box meets: the part of the chunk, and where that is in the box."""
        within = [b.stop - b.start for b in box]
        grid = [[(i, *e) for i, e in enumerate(cut) if e[0] < b.stop and e[1] > b.start] for b, cut in zip(box, self.edges)]
        for chunk in itertools.product(*grid) if all(within) else []:
            lo = [max(b.start, first) for b, (_, first, _) in zip(box, chunk)]
            hi = [min(b.stop, end) for b, (_, _, end) in zip(box, chunk)]
            part = [slice(l - first, h - first) for l, h, (_, first, _) in zip(lo, hi, chunk)]
            shape = [end - first for _, first, end in chunk]
            yield ChunkItem(self.key([i for i, _, _ in chunk]), part, shape, [slice(l - b.start, h - b.start) for l, h, b in zip(lo, hi, box)], within)

    def put(self, box, values):
        self.pipeline.store_chunks_with_indices(list(self.items(box)), np.ascontiguousarray(values), False)

    def all(self, dtype):
        out = np.empty(self.shape, dtype)
        self.pipeline.retrieve_chunks_and_apply_index(list(self.items([slice(0, n) for n in self.shape])), out)
        return out


def lengths(meta):
    """For each axis the length of every chunk, or a list of them."""
    if meta["zarr_format"] == 2:
        return meta["chunks"]
    cut = meta["chunk_grid"]["configuration"]
    return cut["chunk_shape"] if "chunk_shape" in cut else cut["chunk_shapes"]


def edges(n, cut):
    """Where each chunk along an axis begins and ends."""
    if isinstance(cut, int):
        return [(i, i + cut) for i in range(0, n, cut)]
    out, at = [], 0
    for one in cut:
        length, count = one if isinstance(one, list) else (one, 1)
        for _ in range(count):
            out.append((at, at + length))
            at += length
    return out


def create(folder, format, meta):
    os.makedirs(folder)
    with open(os.path.join(folder, {2: ".zarray", 3: "zarr.json"}[format]), "w") as f:
        json.dump({"zarr_format": format, **({"node_type": "array"} if format == 3 else {}), **meta}, f)
    return Array(folder)


class Rows:
    """The rows of the matrix, in a directory."""

    def __init__(self, place, via):
        self.folder = place

    def write(self, row, path):
        folder = os.path.join(self.folder, path)
        meta = rows.metadata(row)
        for c in meta.get("codecs", []):
            if c["name"] == "blosc":  # TensorStore finds these out by itself
                c["configuration"].update(typesize=np.dtype(row["dtype"]).itemsize, blocksize=0)
        a = create(folder, row["format"], meta)
        if row["attrs"] and row["format"] == 2:
            with open(os.path.join(folder, ".zattrs"), "w") as f:
                json.dump(row["attrs"], f)
        data = rows.full(row).astype(np.dtype(row["dtype"]))
        for region in rows.chunks(row):
            a.put(region, data[region])

    def read(self, row, path):
        return Array(os.path.join(self.folder, path)).all(np.dtype(row["dtype"]))


class Types:
    """The arrays of TestTypes."""

    def write(self, a, path):
        meta = {**datatypes.metadata(a), "fill_value": fill(a)}
        if a.varies():
            codec = {"string": "vlen-utf8", "bytes": "vlen-bytes"}[a.numpy]
            if a.format == 2:
                meta["filters"] = [{"id": codec}]
            else:
                meta = json.loads(json.dumps(meta).replace('{"name": "bytes"}', '{"name": "%s"}' % codec))
        made = create(path, a.format, meta)
        for box in a.boxes:
            made.put(box, a.values[box])

    def read(self, a, path):
        made = Array(path)
        return a.hexes(made.all(np.dtype(object) if a.varies() else datatypes.numpy_type(a.numpy)))


def fill(a):
    """As metadata has it; the bits of what numpy has not of its own."""
    if a.varies() or isinstance(a.numpy, list):
        return ""
    dtype, raw = a.values.dtype, bytes.fromhex(a.fill_hex)
    if dtype.isbuiltin == 2 and a.numpy not in ("bfloat16", "int2", "int4", "uint4"):
        return "0x" + raw.hex()
    if dtype.kind == "c":
        return [float(a.fill.real), float(a.fill.imag)]
    if dtype.kind in "mM":
        return int(a.fill.astype("i8"))
    if dtype.kind in "SUV" and dtype.isbuiltin != 2:
        return base64.b64encode(raw).decode() if a.format == 2 else list(raw)
    return a.fill.item()


class Chains:
    """The arrays of TestCodecs."""

    def write(self, a, path):
        create(path, a.format, chains.told(a.meta)).put(a.box, a.values)

    def read(self, a, path):
        return a.hexes(Array(path).all(np.dtype(object) if a.varies() else np.dtype(a.kind)))


class Boxes:
    """The arrays of TestShards and TestRectilinear."""

    def open(self, path):
        return Array(path)

    def create(self, a, path):
        return create(path, 3, {"shape": a["shape"], "data_type": a["dtype"], "fill_value": 3, "codecs": a["codecs"], "chunk_grid":
                                {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": a["edges"]}},
                                "chunk_key_encoding": {"name": "default"}})

    def put(self, a, box, part):
        a.put(box, part)

    def all(self, a):
        return a.all(np.dtype(a.meta["data_type"]))
