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
        self.chunks = meta["chunks"] if meta["zarr_format"] == 2 else meta["chunk_grid"]["configuration"]["chunk_shape"]

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
        grid = [range(b.start // c, -(-b.stop // c)) for b, c in zip(box, self.chunks)]
        for at in itertools.product(*grid) if all(within) else []:
            lo = [max(b.start, i * c) for b, i, c in zip(box, at, self.chunks)]
            hi = [min(b.stop, (i + 1) * c) for b, i, c in zip(box, at, self.chunks)]
            part = [slice(l - i * c, h - i * c) for l, h, i, c in zip(lo, hi, at, self.chunks)]
            yield ChunkItem(self.key(at), part, self.chunks, [slice(l - b.start, h - b.start) for l, h, b in zip(lo, hi, box)], within)

    def put(self, box, values):
        self.pipeline.store_chunks_with_indices(list(self.items(box)), np.ascontiguousarray(values), False)

    def all(self, dtype):
        out = np.empty(self.shape, dtype)
        self.pipeline.retrieve_chunks_and_apply_index(list(self.items([slice(0, n) for n in self.shape])), out)
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
