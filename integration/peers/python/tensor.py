"""TensorStore."""

import base64
import itertools
import json
import os

import numpy as np
import tensorstore as ts

import chains
import datatypes
import rows


class Rows:
    """The rows of the matrix."""

    def __init__(self, place, _via):
        self.place = place
        # Nothing here outlives the test, so nothing is synced to the disk.
        self.context = ts.Context({"s3_request_concurrency": {"limit": 16}, "file_io_sync": False})

    def spec(self, row, path):
        return {"driver": {2: "zarr", 3: "zarr3"}[row["format"]], "kvstore": self.place.kvstore(path), "metadata": rows.metadata(row)}

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


class Types:
    """The arrays of TestTypes."""

    context = ts.Context({"file_io_sync": False})
    copies = itertools.count()  # in memory; next is one step for all threads

    def open(self, a, path, **kw):
        spec = {"driver": {2: "zarr", 3: "zarr3"}[a.format], "kvstore": {"driver": "file", "path": path + "/"}}
        fill = {"fill_value": kw.pop("fill")} if "fill" in kw else {}
        return ts.open({**spec, **kw}, context=self.context, **fill).result()

    def write(self, a, path):
        meta = datatypes.metadata(a)
        names, kind = a.values.dtype.names, a.values.dtype.kind
        own = a.values.dtype.isbuiltin == 2  # of ml_dtypes, which are V too
        if names and a.format == 3:
            meta["fill_value"] = dict(zip(names, a.fill.tolist()))
        elif names:
            meta["fill_value"] = base64.b64encode(np.array([a.fill]).astype(a.stored()).tobytes()).decode()
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
            dtype = datatypes.numpy_type(a.numpy)
            out = np.empty(a.shape, dtype)
            for name in dtype.names:
                out[name] = self.open(a, path, field=name).read().result()
            return a.hexes(out)
        opened = self.open(a, path)
        if opened.dtype not in (ts.char, ts.byte):
            return a.hexes(opened.read().result())
        if opened.shape[:-1] != tuple(a.shape):
            raise TypeError(f"returned the shape {opened.shape}")
        copy = self.memory(opened)
        copy.write(opened).result()
        return datatypes.split(copy.kvstore.read(b"0.0").result().value, opened.shape[-1])

    def memory(self, like, raw=None):
        """One chunk in memory, as numpy has no elements of TensorStore's char and byte: they come in and go out by it."""
        *shape, size = like.shape
        place = {"driver": "memory", "path": f"{next(self.copies)}/"}
        kv = ts.KvStore.open(place, context=self.context).result()
        dtype = {ts.char: "|S", ts.byte: "|V"}[like.dtype] + str(size)
        kv.write(b".zarray", json.dumps({"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": dtype, "order": "C", "compressor": None,
                                         "filters": None, "fill_value": None}).encode()).result()
        if raw is not None:
            kv.write(b"0.0", raw).result()
        return ts.open({"driver": "zarr", "kvstore": place}, context=self.context).result()


class Chains:
    """The arrays of TestCodecs."""

    def open(self, a, path, **kw):
        spec = {"driver": {2: "zarr", 3: "zarr3"}[a.format], "kvstore": {"driver": "file", "path": path + "/"}, **kw}
        return ts.open(spec, context=Types.context).result()

    def write(self, a, path):
        self.open(a, path, metadata=chains.told(a.meta), create=True)[a.box].write(a.values).result()

    def read(self, a, path):
        return a.hexes(np.asarray(self.open(a, path).read().result()))


class Boxes:
    """The arrays of TestShards and TestRectilinear."""

    def open(self, path):
        return ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}, context=ts.Context({"file_io_sync": False})).result()

    def put(self, a, box, part):
        a[box].write(part).result()

    def all(self, a):
        return a.read().result()
