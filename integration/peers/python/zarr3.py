"""zarr-python 3."""

import numcodecs
import numpy as np
import zarr
import zarr.codecs
from zarr.codecs import BytesCodec, TransposeCodec

import rows

zarr.config.set({"async.concurrency": 16, "threading.max_workers": 2, "array.rectilinear_chunks": True})


class Rows:
    """The rows of the matrix."""

    def __init__(self, place, via):
        self.store = place.store(via)

    def create(self, row, path):
        kw = dict(name=path, shape=row["shape"], chunks=row["chunks"], fill_value=rows.fill_scalar(row),
                  zarr_format=row["format"], overwrite=False,
                  chunk_key_encoding={"name": row["keys"], "configuration": {"separator": row["separator"]}})
        if row["attrs"]:
            kw["attributes"] = row["attrs"]
        dt = np.dtype(row["dtype"])
        if row["format"] == 2:
            c = [self.v2(c) for c in row["codecs"]]
            assert len(c) < 2
            return zarr.create_array(self.store, dtype=dt.newbyteorder(rows.endian(row)), filters=None, compressors=c[0] if c else None,
                                     order="F" if row["transpose"] else "C", **kw)
        filters = [zarr.codecs.TransposeCodec(order=row["transpose"])] if row["transpose"] else None
        if row["dims"]:
            kw["dimension_names"] = row["dims"]
        return zarr.create_array(self.store, dtype=dt, filters=filters, compressors=[self.v3(c) for c in row["codecs"]] or None,
                                 serializer=zarr.codecs.BytesCodec(endian=row["order"]), **kw)

    def v2(self, c):
        kind = {k: v for k, v in c.items() if k != "name"}
        match c["name"]:
            case "gzip":
                return numcodecs.GZip(**kind)
            case "zlib":
                return numcodecs.Zlib(**kind)
            case "zstd":
                return numcodecs.Zstd(**kind)
            case "blosc":
                kind["shuffle"] = ["noshuffle", "shuffle", "bitshuffle"].index(kind["shuffle"])
                return numcodecs.Blosc(**kind)
        raise ValueError(c)

    def v3(self, c):
        kind = {k: v for k, v in c.items() if k != "name"}
        match c["name"]:
            case "gzip":
                return zarr.codecs.GzipCodec(**kind)
            case "zlib":
                from zarr.codecs import numcodecs as wrapped

                return wrapped.Zlib(**kind)
            case "zstd":
                return zarr.codecs.ZstdCodec(**kind)
            case "crc32c":
                return zarr.codecs.Crc32cCodec()
            case "blosc":
                return zarr.codecs.BloscCodec(**kind)
        raise ValueError(c)

    def write(self, row, path):
        a = self.create(row, path)
        data = rows.full(row).astype(np.dtype(row["dtype"]))
        if not row["missing"]:
            if data.size:
                a[...] = data
            return
        for region in rows.chunks(row):
            a[region] = data[region]

    def read(self, row, path):
        a = zarr.open_array(self.store, path=path, mode="r")
        if row["attrs"] and dict(a.attrs) != row["attrs"]:
            raise ValueError(f"attributes {dict(a.attrs)}")
        if a.metadata.zarr_format != row["format"]:
            raise ValueError(f"format {a.metadata.zarr_format}")
        return np.asarray(a[...])


class Types:
    """The arrays of TestTypes."""

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


class Chains:
    """The arrays of TestCodecs."""

    def create(self, a, path):
        meta = a.meta
        kw = dict(shape=a.shape, chunks=tuple(a.chunks), fill_value=meta["fill_value"], zarr_format=a.format)
        if a.format == 2:
            dtype = {"string": zarr.dtype.VariableLengthUTF8, "bytes": zarr.dtype.VariableLengthBytes}.get(a.kind, lambda: np.dtype(meta["dtype"]))()
            filters = [numcodecs.get_codec(c) for c in meta["filters"] or []]
            return zarr.create_array(path, dtype=dtype, order=meta["order"], filters=filters or None,
                                     compressors=numcodecs.get_codec(meta["compressor"]) if meta["compressor"] else None,
                                     chunk_key_encoding={"name": "v2", "separator": meta.get("dimension_separator", ".")}, **kw)
        inner, filters, serializer, compressors = a.pipeline()
        if inner:
            kw["chunks"], kw["shards"] = tuple(inner), tuple(a.chunks)
        dtype = {"string": zarr.dtype.VariableLengthUTF8, "bytes": zarr.dtype.VariableLengthBytes}.get(a.kind, lambda: np.dtype(a.kind))()
        return zarr.create_array(path, dtype=dtype, filters=filters or None, serializer=serializer, compressors=compressors or None, **kw)

    def write(self, a, path):
        self.create(a, path)[a.box] = a.values

    def read(self, a, path):
        return a.hexes(np.asarray(zarr.open_array(path, mode="r", zarr_format=a.format)[...]))


class Boxes:
    """The arrays of TestShards and TestRectilinear."""

    def open(self, path):
        return zarr.open_array(path, mode="r+", zarr_format=3)

    def create(self, a, path):
        codecs, inner = a["codecs"], None
        if codecs[0]["name"] == "sharding_indexed":
            inner, codecs = codecs[0]["configuration"]["chunk_shape"], codecs[0]["configuration"]["codecs"]
        at = next(i for i, c in enumerate(codecs) if c["name"] == "bytes")
        cut = dict(chunks=tuple(inner), shards=a["edges"]) if inner else dict(chunks=a["edges"])
        return zarr.create_array(path, shape=a["shape"], dtype=a["dtype"], fill_value=3, filters=codecs[:at] or None, serializer=codecs[at],
                                 compressors=codecs[at + 1:] or None, **cut)

    def put(self, a, box, part):
        a[box] = part

    def all(self, a):
        return np.asarray(a[...])
