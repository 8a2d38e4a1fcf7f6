"""The libraries that write and read the rows, each behind the same two calls."""

import numcodecs
import numpy as np
import tensorstore as ts
import zarr
import zarr.codecs

import rows

zarr.config.set({"async.concurrency": 16, "threading.max_workers": 2})


def endian(row):
    return {"little": "<", "big": ">"}[row["order"]]


class ZarrPython:
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
            return zarr.create_array(self.store, dtype=dt.newbyteorder(endian(row)), filters=None, compressors=c[0] if c else None,
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


class TensorStore:
    def __init__(self, place):
        self.place = place
        # Nothing here outlives the test, so nothing is synced to the disk.
        self.context = ts.Context({"s3_request_concurrency": {"limit": 16}, "file_io_sync": False})

    def spec(self, row, path):
        if row["format"] == 2:
            c = [self.v2(c) for c in row["codecs"]]
            assert len(c) < 2
            dt = np.dtype(row["dtype"]).newbyteorder(endian(row)).str
            meta = {"shape": row["shape"], "chunks": row["chunks"], "dtype": dt, "compressor": c[0] if c else None,
                    "filters": None, "order": "F" if row["transpose"] else "C", "fill_value": rows.fill_json(row),
                    "dimension_separator": row["separator"]}
            return {"driver": "zarr", "kvstore": self.place.kvstore(path), "metadata": meta}
        codecs = [{"name": "transpose", "configuration": {"order": row["transpose"]}}] if row["transpose"] else []
        codecs.append({"name": "bytes", "configuration": {"endian": row["order"]}})
        codecs += [self.v3(c) for c in row["codecs"]]
        meta = {"shape": row["shape"], "data_type": row["dtype"], "codecs": codecs, "fill_value": rows.fill_json(row),
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": row["chunks"]}},
                "chunk_key_encoding": {"name": row["keys"], "configuration": {"separator": row["separator"]}}}
        if row["attrs"]:
            meta["attributes"] = row["attrs"]
        if row["dims"]:
            meta["dimension_names"] = row["dims"]
        return {"driver": "zarr3", "kvstore": self.place.kvstore(path), "metadata": meta}

    def v2(self, c):
        c = dict(c)
        c["id"] = c.pop("name")
        if c["id"] == "blosc":
            c["shuffle"] = ["noshuffle", "shuffle", "bitshuffle"].index(c["shuffle"])
        return c

    def v3(self, c):
        kind = {k: v for k, v in c.items() if k != "name"}
        name = {"zlib": "numcodecs.zlib"}.get(c["name"], c["name"])
        return {"name": name, "configuration": kind} if kind else {"name": name}

    def write(self, row, path):
        a = ts.open(self.spec(row, path), create=True, context=self.context).result()
        data = rows.full(row).astype(np.dtype(row["dtype"]))
        if not row["missing"]:
            if data.size:
                a.write(data).result()
            return
        futures = [a[region].write(data[region]) for region in rows.chunks(row)]
        for f in futures:
            f.result()

    def read(self, row, path):
        driver = {2: "zarr", 3: "zarr3"}[row["format"]]
        a = ts.open({"driver": driver, "kvstore": self.place.kvstore(path)}, open=True, read=True, context=self.context).result()
        return np.asarray(a.read().result())


def peer(name, place):
    """A peer by name: "tensorstore", or "zarr-python/" and the way to the store."""
    library, _, via = name.partition("/")
    return TensorStore(place) if library == "tensorstore" else ZarrPython(place, via)
