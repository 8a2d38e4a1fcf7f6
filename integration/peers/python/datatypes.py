"""datatypes.py write|read FILE FOLDER: every peer makes every array of the file at FOLDER/<peer>/<name> and writes its boxes, or
reads all of what is at FOLDER/<name>. One line of JSON for each. Elements are in hex, in little-endian order; a data type is
told as numpy has it, and as v3 has it where TensorStore makes an array."""

import base64
import json
import os
import sys

import ml_dtypes
import numpy as np
import tensorstore as ts
import zarr
from zarr.codecs import BytesCodec, TransposeCodec

zarr.config.set({"async.concurrency": 4, "threading.max_workers": 2})


def numpy_type(told):
    if isinstance(told, list):
        return np.dtype([(name, numpy_type(t), *(tuple(s) for s in shape)) for name, t, *shape in told])
    return np.dtype(getattr(ml_dtypes, told, told))


def same(a, b):
    """The same but for the byte order."""
    return a == b or a.newbyteorder("<") == b.newbyteorder("<")


class Array:
    """One array of the file."""

    def __init__(self, file, told):
        self.__dict__.update(told)
        self.shape, self.chunks, self.shards = file["shape"], file["chunks"], file["shards"] if told["sharded"] else None
        self.boxes = [tuple(slice(lo, hi) for lo, hi in box) for box in file["boxes"]]
        kind = file["kinds"][self.kind]
        self.numpy, self.v3 = kind["numpy"], kind["v3"]
        self.fill_hex = kind["fill"]
        self.values, self.fill = self.elements(kind["values"]).reshape(self.shape), self.elements([kind["fill"]])[0]

    def varies(self):
        return self.numpy in ("string", "bytes")

    def elements(self, hexes):
        raw = [bytes.fromhex(h) for h in hexes]
        if self.varies():
            out = np.empty(len(raw), object)
            out[:] = [b.decode() for b in raw] if self.numpy == "string" else raw
            return out
        dtype = numpy_type(self.numpy)
        return np.frombuffer(b"".join(raw), little(dtype)).astype(dtype)

    def hexes(self, got):
        if got.shape != tuple(self.shape):
            raise TypeError(f"gives the shape {got.shape}")
        if self.varies():
            for v in got.flat:
                if not isinstance(v, {"string": str, "bytes": bytes}[self.numpy]):
                    raise TypeError(f"gives an element of type {type(v)}")
            return [(v.encode() if self.numpy == "string" else v).hex() for v in got.flat]
        dtype = little(numpy_type(self.numpy))
        if not same(got.dtype, dtype):
            raise TypeError(f"gives the data type {got.dtype}")
        return split(got.astype(dtype).tobytes(), dtype.itemsize)


def little(dtype):
    return dtype.newbyteorder("<") if dtype.isbuiltin != 2 else dtype


def split(raw, size):
    return [raw[i:i + size].hex() for i in range(0, len(raw), size)]


class ZarrPython:
    name = "zarr-python"

    def create(self, a, path):
        kw = dict(shape=a.shape, chunks=a.chunks, shards=a.shards, zarr_format=a.format, compressors=None, fill_value=a.fill,
                  chunk_key_encoding={"name": "default" if a.format == 3 else "v2", "separator": a.separator})
        if a.varies():
            kw["dtype"] = a.numpy if a.numpy == "string" else zarr.dtype.VariableLengthBytes()
        else:
            kw["dtype"] = a.values.dtype.newbyteorder(">") if a.endian == "big" and a.format == 2 else a.values.dtype
        if a.format == 2:
            return zarr.create_array(path, order=a.memory, **kw)
        if a.memory == "F":
            kw["filters"] = [TransposeCodec(order=(1, 0))]
        if not a.varies():
            kw["serializer"] = BytesCodec(endian=a.endian or None)
        return zarr.create_array(path, **kw)

    def write(self, a, path):
        made = self.create(a, path)
        for box in a.boxes:
            made[box] = a.values[box]

    def read(self, a, path):
        opened = zarr.open_array(path, mode="r", zarr_format=a.format)
        return a.hexes(np.asarray(opened[...]))


class TensorStore:
    name = "tensorstore"
    context = ts.Context({"file_io_sync": False})
    copies = 0  # in memory

    def open(self, a, path, **kw):
        spec = {"driver": {2: "zarr", 3: "zarr3"}[a.format], "kvstore": {"driver": "file", "path": path + "/"}}
        fill = {"fill_value": kw.pop("fill")} if "fill" in kw else {}
        return ts.open({**spec, **kw}, context=self.context, **fill).result()

    def dtype(self, a):
        return a.values.dtype.newbyteorder(">") if a.endian == "big" else a.values.dtype

    def metadata(self, a):
        dtype = self.dtype(a)
        if a.format == 2:
            told = dtype.descr if dtype.names else dtype.str if dtype.isbuiltin != 2 else a.numpy
            return {"shape": a.shape, "chunks": a.chunks, "dtype": told, "order": a.memory, "compressor": None, "filters": None,
                    "dimension_separator": a.separator}
        codecs = [{"name": "transpose", "configuration": {"order": [1, 0]}}] if a.memory == "F" else []
        codecs.append({"name": "bytes", "configuration": {"endian": a.endian}} if a.endian else {"name": "bytes"})
        if a.shards:
            codecs = [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": a.chunks, "codecs": codecs, "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}]
        return {"shape": a.shape, "data_type": a.v3, "codecs": codecs,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": a.shards or a.chunks}},
                "chunk_key_encoding": {"name": "default", "configuration": {"separator": a.separator}}}

    def write(self, a, path):
        meta = self.metadata(a)
        names, kind = a.values.dtype.names, a.values.dtype.kind
        own = a.values.dtype.isbuiltin == 2  # of ml_dtypes, which are V too
        if names and a.format == 3:
            meta["fill_value"] = dict(zip(names, a.fill.tolist()))
        elif names:
            meta["fill_value"] = base64.b64encode(np.array([a.fill]).astype(self.dtype(a)).tobytes()).decode()
        elif kind in "SV" and not own:
            meta["fill_value"] = base64.b64encode(bytes.fromhex(a.fill_hex)).decode()
        if names:
            for name in names:
                made = self.open(a, path, metadata=meta, field=name, open=True, create=True)
                for box in a.boxes:
                    made[box].write(a.values[name][box]).result()
        elif kind in "SV" and not own:
            made = self.made(a, path, meta)
            source = self.memory(made, a.values.tobytes())
            for box in a.boxes:
                made[box].write(source[box]).result()
        else:
            made = self.open(a, path, metadata=meta, create=True, fill=a.fill)
            for box in a.boxes:
                made[box].write(a.values[box]).result()

    def made(self, a, path, meta):
        if a.format == 3:  # a specification of raw_bytes with a shape ends the whole process
            os.makedirs(path)
            with open(os.path.join(path, "zarr.json"), "w") as f:
                json.dump({"zarr_format": 3, "node_type": "array", **meta}, f)
            return self.open(a, path)
        return self.open(a, path, metadata=meta, create=True)

    def read(self, a, path):
        if isinstance(a.numpy, list):
            dtype = numpy_type(a.numpy)
            out = np.empty(a.shape, dtype)
            for name in dtype.names:
                out[name] = self.open(a, path, field=name).read().result()
            return a.hexes(out)
        opened = self.open(a, path)
        if opened.dtype not in (ts.char, ts.byte):
            return a.hexes(opened.read().result())
        if opened.shape[:-1] != tuple(a.shape):
            raise TypeError(f"gives the shape {opened.shape}")
        copy = self.memory(opened)
        copy.write(opened).result()
        return split(copy.kvstore.read(b"0.0").result().value, opened.shape[-1])

    def memory(self, like, raw=None):
        """One chunk in memory, as numpy has no elements of TensorStore's char and byte: they come in and go out by it."""
        *shape, size = like.shape
        self.copies += 1
        place = {"driver": "memory", "path": f"{self.copies}/"}
        kv = ts.KvStore.open(place, context=self.context).result()
        dtype = {ts.char: "|S", ts.byte: "|V"}[like.dtype] + str(size)
        kv.write(b".zarray", json.dumps({"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": dtype, "order": "C", "compressor": None,
                                         "filters": None, "fill_value": None}).encode()).result()
        if raw is not None:
            kv.write(b"0.0", raw).result()
        return ts.open({"driver": "zarr", "kvstore": place}, context=self.context).result()


def one(peer, a, folder, verb):
    said = dict(peer=peer.name, name=a.name)
    try:
        if verb == "read":
            return dict(said, values=peer.read(a, os.path.join(folder, a.name)))
        peer.write(a, os.path.join(folder, peer.name, a.name))
        return said
    except Exception as e:
        return dict(said, error=f"{type(e).__name__}: {e}".replace("\n", " ")[:1000])


def main(verb, path, folder):
    with open(path) as f:
        file = json.load(f)
    for peer in (ZarrPython(), TensorStore()):
        for told in file["arrays"]:
            print(json.dumps(one(peer, Array(file, told), folder, verb)))


main(*sys.argv[1:])
