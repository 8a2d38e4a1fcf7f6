"""An array of TestCodecs: what its metadata says, as zargo wrote it, and its values. Elements are in hex, in little-endian order:
all of them in one, or each by itself where their length is not fixed."""

import functools
import json

import numpy as np

SERIALIZERS = ("bytes", "vlen-utf8", "vlen-bytes", "packbits", "numcodecs.json2", "numcodecs.msgpack2", "numcodecs.categorize")


class Array:
    """One array."""

    def __init__(self, told):
        self.format, self.kind, self.meta, self.hex = (told[k] for k in ("format", "kind", "meta", "values"))
        self.shape = tuple(self.meta["shape"])
        self.box = tuple(slice(0, n) for n in told["written"])

    def varies(self):
        return self.kind in ("string", "bytes", "json", "ragged")

    @functools.cached_property
    def values(self):
        """What is written into the box."""
        shape = [s.stop for s in self.box]
        raw = [bytes.fromhex(h) for h in self.hex]
        if not self.varies():
            return np.frombuffer(raw[0], self.kind).reshape(shape)
        parse = {"string": bytes.decode, "bytes": bytes, "json": json.loads, "ragged": lambda b: np.frombuffer(b, "<i2")}[self.kind]
        out = np.empty(len(raw), object)
        for i, b in enumerate(raw):
            out[i] = parse(b)
        return out.reshape(shape)

    def hexes(self, got):
        if got.shape != self.shape:
            raise TypeError(f"returned the shape {got.shape}")
        if not self.varies():
            dtype = np.dtype(self.kind)
            if got.dtype.newbyteorder("<") != dtype:
                raise TypeError(f"returned the data type {got.dtype}")
            return [got.astype(dtype).tobytes().hex()]
        return [self.item(v).hex() for v in got.flat]

    def item(self, v):
        if self.kind == "json":
            return json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        if not isinstance(v, {"string": str, "bytes": bytes, "ragged": np.ndarray}[self.kind]):
            raise TypeError(f"returned an element of type {type(v)}")
        return v.encode() if self.kind == "string" else v if self.kind == "bytes" else v.astype("<i2").tobytes()

    @property
    def chunks(self):
        """The shape of what is stored as an object."""
        return self.meta["chunks"] if self.format == 2 else self.meta["chunk_grid"]["configuration"]["chunk_shape"]

    def pipeline(self):
        """v3: the shape of an inner chunk, or nothing; the codecs of arrays, the one that makes bytes, and those of bytes."""
        codecs, inner = self.meta["codecs"], None
        if codecs[0]["name"] == "sharding_indexed":
            inner, codecs = codecs[0]["configuration"]["chunk_shape"], codecs[0]["configuration"]["codecs"]
        at = next(i for i, c in enumerate(codecs) if c["name"] in SERIALIZERS)
        return inner, codecs[:at], codecs[at], codecs[at + 1:]


def told(meta):
    """Metadata without the members that every array has."""
    return {k: v for k, v in meta.items() if k not in ("zarr_format", "node_type")}
