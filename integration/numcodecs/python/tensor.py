"""tensor.py: TensorStore as a codec of judge.py's: one chunk in memory, which is copied to or from one that is not compressed, so that
the bytes of any data type come in and go out. With a "typesize" it is v3, where blosc's elements need not be the array's, which
are bytes then; else it is v2."""

import json

import numpy as np
import tensorstore as ts

SHUFFLES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}


class Chunk:
    """An array that is one chunk, in a memory of its own."""

    def __init__(self, dtype, size, config=None):
        v3 = config and "typesize" in config
        driver, name, self.key, meta = ("zarr3", b"zarr.json", b"c/0", v3_metadata(size, config)) if v3 else (
            "zarr", b".zarray", b"0", v2_metadata(dtype, size, config))
        context, place = ts.Context(), {"driver": "memory"}
        self.store = ts.KvStore.open(place, context=context).result()
        self.store.write(name, json.dumps(meta).encode()).result()
        self.array = ts.open({"driver": driver, "kvstore": place, "store_data_equal_to_fill_value": True}, context=context).result()

    def bytes(self):
        return self.store.read(self.key).result().value

    def holds(self, data):
        self.store.write(self.key, data).result()
        return self

    def takes(self, other):
        self.array.write(other.array).result()
        return self


def v2_metadata(dtype, size, config):
    n = size // np.dtype(dtype).itemsize
    return {"zarr_format": 2, "shape": [n], "chunks": [n], "dtype": dtype, "order": "C", "compressor": config, "filters": None, "fill_value": None}


def v3_metadata(size, config):
    config = {k: v for k, v in config.items() if k != "id"}
    auto = "bitshuffle" if config["typesize"] == 1 else "shuffle"  # as numcodecs has -1, which is not in v3
    config["shuffle"] = SHUFFLES.get(config["shuffle"], auto)
    return {"zarr_format": 3, "node_type": "array", "shape": [size], "data_type": "uint8", "fill_value": 0, "chunk_key_encoding": {"name": "default"},
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [size]}},
            "codecs": [{"name": "bytes"}, {"name": "blosc", "configuration": config}]}


def encode(config, dtype, data):
    plain = Chunk(dtype, len(data)).holds(data)
    return Chunk(dtype, len(data), config).takes(plain).bytes()


def decode(config, dtype, stored):
    size = int.from_bytes(stored[4:8], "little")  # as the header of a frame of blosc says
    coded = Chunk(dtype, size, config).holds(stored)
    return Chunk(dtype, size).takes(coded).bytes()
