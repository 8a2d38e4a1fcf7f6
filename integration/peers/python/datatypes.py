"""An array of TestTypes: its values, and its metadata for the libraries that take that. Elements are in hex, in little-endian
order; a data type is told as numpy has it, and as v3 has it where that is asked for."""

import functools

import numpy as np

try:
    import ml_dtypes
except ImportError:  # it is not beside zarr-python 2, which knows none of them
    ml_dtypes = None


def numpy_type(told):
    if isinstance(told, list):
        return np.dtype([(name, numpy_type(t), *(tuple(s) for s in shape)) for name, t, *shape in told])
    return np.dtype(getattr(ml_dtypes, told, told))


def same(a, b):
    """The same but for the byte order."""
    return a == b or a.newbyteorder("<") == b.newbyteorder("<")


class Array:
    """One array."""

    def __init__(self, told):
        self.kind, self.format, self.endian, self.memory, self.separator = (told[k] for k in ("kind", "format", "endian", "memory", "separator"))
        self.shape, self.chunks, self.shards = told["shape"], told["chunks"], told["shards"] if told["sharded"] else None
        self.boxes = [tuple(slice(lo, hi) for lo, hi in box) for box in told["boxes"]]
        self.numpy, self.v3 = told["numpy"], told["v3"]
        self.fill_hex, self.value_hexes = told["fill"], told["values"]

    @functools.cached_property
    def values(self):
        return self.elements(self.value_hexes).reshape(self.shape)

    @functools.cached_property
    def fill(self):
        return self.elements([self.fill_hex])[0]

    def varies(self):
        return self.numpy in ("string", "bytes")

    def stored(self):
        """The values' data type, in the byte order in which v2 stores them."""
        return self.values.dtype.newbyteorder(">") if self.endian == "big" else self.values.dtype

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
            raise TypeError(f"returned the shape {got.shape}")
        if self.varies():
            for v in got.flat:
                if not isinstance(v, {"string": str, "bytes": bytes}[self.numpy]):
                    raise TypeError(f"returned an element of type {type(v)}")
            return [(v.encode() if self.numpy == "string" else v).hex() for v in got.flat]
        dtype = little(numpy_type(self.numpy))
        if not same(got.dtype, dtype):
            raise TypeError(f"returned the data type {got.dtype}")
        return split(got.astype(dtype).tobytes(), dtype.itemsize)


def metadata(a):
    """What .zarray says, or zarr.json but for the two members that every one of them has, without the fill value."""
    if a.format == 2:
        dtype = a.stored()
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


def little(dtype):
    return dtype.newbyteorder("<") if dtype.isbuiltin != 2 else dtype


def split(raw, size):
    return [raw[i:i + size].hex() for i in range(0, len(raw), size)]
