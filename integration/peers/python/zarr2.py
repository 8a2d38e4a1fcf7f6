"""zarr-python 2."""

import os

import numcodecs
import numpy as np
import zarr

import rows


class Rows:
    """The rows of the matrix, in a directory."""

    def __init__(self, place, via):
        self.folder = place

    def write(self, row, path):
        c = [numcodecs.get_codec(rows.codec_v2(c)) for c in row["codecs"] if row["format"] == 2]
        a = zarr.create(row["shape"], chunks=row["chunks"], dtype=np.dtype(row["dtype"]).newbyteorder(rows.endian(row)), compressor=c[0] if c else None,
                        fill_value=rows.fill_scalar(row), order="F" if row["transpose"] else "C", store=os.path.join(self.folder, path),
                        dimension_separator=row["separator"], **({} if row["format"] == 2 else {"zarr_version": 3, "path": "a"}))
        if row["attrs"]:
            a.attrs.put(row["attrs"])
        data = rows.full(row).astype(np.dtype(row["dtype"]))
        if row["missing"]:
            for region in rows.chunks(row):
                a[region] = data[region]
        elif data.size:
            a[...] = data

    def read(self, row, path):
        a = zarr.open_array(os.path.join(self.folder, path), mode="r")
        if row["attrs"] and dict(a.attrs) != row["attrs"]:
            raise ValueError(f"attributes {dict(a.attrs)}")
        return np.asarray(a[...])


class Types:
    """The arrays of TestTypes."""

    def write(self, a, path):
        kw = dict(shape=a.shape, chunks=a.chunks, store=path, dimension_separator=a.separator, order=a.memory, compressor=None)
        if a.format == 3:  # whatever the data type
            zarr.create(dtype="i4", zarr_version=3, path="a", **kw)
        if a.varies():
            made = zarr.create(dtype=object, object_codec={"string": numcodecs.VLenUTF8, "bytes": numcodecs.VLenBytes}[a.numpy](), fill_value=a.fill, **kw)
        else:
            made = zarr.create(dtype=a.stored(), fill_value=a.fill, **kw)
        for box in a.boxes:
            made[box] = a.values[box]

    def read(self, a, path):
        return a.hexes(np.asarray(zarr.open_array(path, mode="r")[...]))


class Chains:
    """The arrays of TestCodecs."""

    def write(self, a, path):
        meta = a.meta
        made = zarr.create(a.shape, chunks=a.chunks, dtype=np.dtype(meta["dtype"]), order=meta["order"], fill_value=meta["fill_value"], store=path,
                           compressor=numcodecs.get_codec(meta["compressor"]) if meta["compressor"] else None,
                           filters=[numcodecs.get_codec(c) for c in meta["filters"] or []] or None,
                           dimension_separator=meta.get("dimension_separator", "."))
        made[a.box] = a.values

    def read(self, a, path):
        return a.hexes(np.asarray(zarr.open_array(path, mode="r")[...]))
