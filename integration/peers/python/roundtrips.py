"""Round trips between the formats: v2 -> v3 -> v2, v3 -> v2 -> v3, and the migration of v2.

roundtrips.py ZARGO writes arrays of every data type with zarr-python, copies them with zargo, and prints one
line for each difference that zarr-python finds: in values, data type, fill value, dimension names, order and
attributes. A cell of REFUSED must be refused, with an error that has the words of the table.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import zarr
from zarr.core.dtype import VariableLengthBytes, VariableLengthUTF8

warnings.simplefilter("ignore")

ATTRS = {"units": "K", "n": 1, "f": 1.0, "big": 2**60, "x": [1, None, {"é": True}], "nan": float("nan"), "inf": [float("-inf")], "zero": -0.0, "": "empty", "_FillValue": "AAAAAAAA+H8="}


def cells():
    """Yields name, data type, fill value, and keywords of arrays."""
    for t in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        i = np.iinfo(t)
        for fill in sorted({0, i.min, i.max}):
            yield f"{t}-{fill}", np.dtype(t), fill, {}
    for t in ["float16", "float32", "float64"]:
        for fill in (0, -0.0, float("nan"), float("inf"), float("-inf"), 0.1, np.finfo(t).max, np.finfo(t).smallest_subnormal, 1e-5):
            yield f"{t}-{fill}", np.dtype(t), np.dtype(t).type(fill), {}
        # zarr-python itself loses the payload of a float16.
        for bits in {"float16": ("0xfe00",), "float32": ("0x7fc00001", "0xffc00000"), "float64": ("0x7ff8000000000001", "0xfff8000000000000")}[t]:
            yield f"{t}-hex-{bits}", np.dtype(t), np.dtype(t).type("nan"), {"hex": bits, "v3": True}
    for t in ["complex64", "complex128"]:
        for fill in (0, complex(1.5, -0.0), complex(float("nan"), float("inf")), complex(-0.0, float("-inf"))):
            yield f"{t}-{fill}", np.dtype(t), np.dtype(t).type(fill), {}
    for fill in (False, True):
        yield f"bool-{fill}", np.dtype(bool), fill, {}
    for k in "Mm":
        for unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "10s", "25us"]:
            dt = np.dtype(f"{k}8[{unit}]")
            yield f"{k}8-{unit}", dt, np.array(["NaT"], dt)[0], {}
            if unit in ("D", "ns", "10s"):
                yield f"{k}8-{unit}-5", dt, np.array([5], "i8").view(dt)[0], {}
    for t in ["S1", "S5", "U1", "U4", "V1", "V5"]:
        yield t, np.dtype(t), np.zeros(1, t)[0], {}
    yield "S5-fill", np.dtype("S5"), np.bytes_(b"a\x00\xffb"), {}
    yield "U4-fill", np.dtype("U4"), np.str_("é\u0000😀"), {}
    yield "V5-fill", np.dtype("V5"), np.void(b"a\x00\xffb\x00"), {}
    yield "string", VariableLengthUTF8(), "", {}
    yield "string-fill", VariableLengthUTF8(), "é\u0000😀", {}
    yield "bytes", VariableLengthBytes(), b"", {}
    yield "bytes-fill", VariableLengthBytes(), b"a\x00\xff", {}
    one = np.dtype([("a", "i4"), ("b", "f8")])
    yield "struct", one, np.zeros(1, one)[0], {}
    yield "struct-fill", one, np.array([(-1, np.nan)], one)[0], {}
    many = np.dtype([("é", "i2"), ("s", "S3"), ("u", "U2"), ("t", "M8[s]"), ("c", "c8"), ("z", "?"), ("v", "V2")])
    yield "struct-many", many, np.zeros(1, many)[0], {"codecs": "none"}
    nested = np.dtype([("a", [("x", "u1"), ("y", ">f4")]), ("b", "i8")])
    yield "struct-nested", nested, np.zeros(1, nested)[0], {}
    for t in [">i4", ">f8", ">c16", ">U3", ">M8[D]"]:
        yield t, np.dtype(t), np.zeros(1, t)[0], {}
    big = np.dtype([("a", ">i4"), ("b", "<f8"), ("c", ">U2")])
    yield "struct-big", big, np.zeros(1, big)[0], {}
    for order in "CF":
        for sep in "./":
            yield f"order-{order}{'dot' if sep == '.' else 'slash'}", np.dtype("i4"), 7, {"order": order, "sep": sep, "shape": (5, 4, 3), "chunks": (2, 3, 2)}
    yield "order-F-string", VariableLengthUTF8(), "x", {"order": "F", "shape": (5, 4), "chunks": (2, 3)}
    yield "rank0", np.dtype("f4"), np.float32(1.5), {"shape": (), "chunks": ()}
    yield "empty", np.dtype("f4"), np.float32(1.5), {"shape": (0, 3), "chunks": (2, 2)}
    yield "dims", np.dtype("i4"), 0, {"shape": (3, 2), "chunks": (2, 2), "dims": ["y", "x"]}
    for kind in ("filters", "none", "zlib"):
        yield kind, np.dtype("i4"), 0, {"codecs": kind}
    for t in ["i4", "M8[s]"]:
        yield f"{t}-null".replace("[", "").replace("]", ""), np.dtype(t), None, {}
    yield "f8-null", np.dtype("f8"), None, {}
    yield "bool-null", np.dtype(bool), None, {}
    yield "S3-null", np.dtype("S3"), None, {}
    yield "U3-null", np.dtype("U3"), None, {}
    yield "string-null", VariableLengthUTF8(), None, {}
    yield "struct-null", one, None, {}
    # v3 only
    yield "dims-null", np.dtype("i4"), 0, {"shape": (3, 2), "chunks": (2, 2), "dims": ["y", None], "v3": True}
    yield "shards", np.dtype("i4"), 3, {"shape": (9, 7), "chunks": (2, 3), "shards": (4, 6), "v3": True}
    yield "shards-string", VariableLengthUTF8(), "q", {"shape": (9, 7), "chunks": (2, 3), "shards": (4, 6), "v3": True}
    yield "shards-nested", np.dtype("i4"), 3, {"shape": (9, 8), "nested": True, "chunks": (8, 8), "v3": True}
    yield "keys-v2", np.dtype("i4"), 3, {"shape": (9, 8), "chunks": (4, 4), "keys": {"name": "v2", "separator": "/"}, "v3": True}
    yield "keys-v2-rank0", np.dtype("i4"), 3, {"shape": (), "chunks": (), "keys": {"name": "v2", "separator": "."}, "v3": True}
    yield "crc", np.dtype("i4"), 3, {"codecs": "crc", "v3": True}
    yield "transpose", np.dtype("i4"), 3, {"shape": (5, 4, 3), "chunks": (2, 3, 2), "transpose": (1, 2, 0), "v3": True}


def numpy_type(dtype):
    return np.dtype(object) if not isinstance(dtype, np.dtype) else dtype


def values(dtype, shape, name):
    """Returns elements, also the special ones of the type."""
    n = int(np.prod(shape))
    if isinstance(dtype, VariableLengthUTF8):
        return np.array(["", "é", "😀a", "a\u0000b"] * n, object)[:n].reshape(shape)
    if isinstance(dtype, VariableLengthBytes):
        out = np.empty(n, object)
        out[:] = ([b"", b"\xff\x00", b"abc"] * n)[:n]
        return out.reshape(shape)
    r = np.random.default_rng(sum(name.encode()))
    if dtype.kind in "iufcMm":
        raw = np.frombuffer(r.bytes(n * dtype.itemsize), np.uint8).copy()
        out = raw.view(dtype)
        if dtype.kind in "fc":
            flat = out.view(dtype.base if dtype.kind == "f" else f"{dtype.byteorder.replace('=', '<').replace('|', '<')}f{dtype.itemsize // 2}")
            flat[:: 3] = [np.nan, np.inf, -np.inf, -0.0][: 1] * len(flat[::3])
            flat[1::5] = -0.0
        return out.reshape(shape)
    if dtype.kind == "b":
        return r.integers(0, 2, n).astype(bool).reshape(shape)
    if dtype.kind in "SU":
        return np.array((["", "a", "bc"] if dtype.kind == "S" else ["", "é", "😀a"]) * n).astype(dtype)[:n].reshape(shape)
    if dtype.kind == "V" and dtype.names is None:
        return np.frombuffer(r.bytes(n * dtype.itemsize), dtype).reshape(shape)
    out = np.zeros(n, dtype)
    for f in dtype.names:
        out[f] = values(dtype[f], (n,), name + f)
    return out.reshape(shape)


def create(at, format, name, dtype, fill, kw):
    shape, chunks = kw.get("shape", (5,)), kw.get("chunks", (2,))
    more, attrs = {"chunks": chunks}, dict(ATTRS)
    if "dims" in kw or not shape:
        del attrs["_FillValue"]  # xarray's, which a copy in the other format changes; see TestMasked
    if format == 2:
        more |= {"order": kw.get("order", "C"), "chunk_key_encoding": {"name": "v2", "separator": kw.get("sep", ".")}}
        if kw.get("codecs") == "filters":
            import numcodecs

            more |= {"filters": [numcodecs.Delta(dtype="<i4")], "compressors": numcodecs.Blosc("lz4", 5, 1)}
        elif kw.get("codecs") == "zlib":
            import numcodecs

            more |= {"compressors": numcodecs.Zlib(3)}
        elif kw.get("codecs") == "none":
            more |= {"compressors": None}
        if "dims" in kw:
            attrs["_ARRAY_DIMENSIONS"] = kw["dims"]
    else:
        if "dims" in kw:
            more["dimension_names"] = kw["dims"]
        if kw.get("order") == "F":
            more["filters"] = [zarr.codecs.TransposeCodec(order=tuple(range(len(shape)))[::-1])]
        if "transpose" in kw:
            more["filters"] = [zarr.codecs.TransposeCodec(order=kw["transpose"])]
        if "sep" in kw:
            more["chunk_key_encoding"] = {"name": "default", "separator": kw["sep"]}
        if "keys" in kw:
            more["chunk_key_encoding"] = kw["keys"]
        if kw.get("codecs") == "none":
            more["compressors"] = None
        if kw.get("codecs") == "zlib":
            more["compressors"] = zarr.codecs.GzipCodec(level=3)
        if kw.get("codecs") == "filters":
            more["compressors"] = zarr.codecs.BloscCodec(cname="lz4")
        if kw.get("codecs") == "crc":
            more["compressors"] = [zarr.codecs.ZstdCodec(level=1), zarr.codecs.Crc32cCodec()]
        if "shards" in kw:
            more["shards"] = kw["shards"]
        if kw.get("nested"):
            more["serializer"] = zarr.codecs.ShardingCodec(chunk_shape=(4, 4), codecs=[zarr.codecs.ShardingCodec(chunk_shape=(2, 2), codecs=[zarr.codecs.BytesCodec()])])
            more["compressors"] = None
    a = zarr.create_array(zarr.storage.LocalStore(at), shape=shape, dtype=dtype, fill_value=fill, zarr_format=format, attributes=attrs, **more)
    v = values(dtype, shape, name)
    if shape and shape[0] > 2:
        a[2:] = v[2:]  # the chunks of the first rows are absent
    else:
        a[...] = v


def state(at):
    """Returns what zarr-python reads: a dict of facts that a round trip keeps."""
    a = zarr.open_array(zarr.storage.LocalStore(at), mode="r")
    v = np.asarray(a[...])
    attrs = dict(a.attrs)
    dims = list(a.metadata.dimension_names or []) if a.metadata.zarr_format == 3 else attrs.get("_ARRAY_DIMENSIONS", [])
    attrs.pop("_ARRAY_DIMENSIONS", None)
    if dims or not a.shape:
        attrs.pop("_FillValue", None)
    out = {
        "shape": a.shape,
        "dtype": "text" if v.dtype.kind in "OT" else str(v.dtype.newbyteorder("<")),
        "values": repr(v.tolist()) if v.dtype.kind in "OT" else v.astype(v.dtype.newbyteorder("<")).tobytes().hex(),
        "attrs": json.dumps(attrs, sort_keys=True),
        "dims": [d or "" for d in dims],  # v2 has no null
        "fill": bits(a.fill_value, v.dtype),
    }
    return out


def bits(fill, dtype):
    if fill is None:
        return None
    if dtype.kind in "OT":
        return repr(fill)
    if isinstance(fill, np.generic) and fill.dtype == dtype:
        return np.array([fill]).astype(dtype.newbyteorder("<")).tobytes().hex()
    a = np.empty(1, dtype.newbyteorder("<"))
    a[0] = fill
    return a.tobytes().hex()


# The cells that must be refused, and words of the error. A v3 array has one byte order.
REFUSED = {"struct-nested": "both byte orders", "struct-big": "both byte orders"}


class Judge:
    def __init__(self, zargo, work):
        self.zargo, self.work, self.said = zargo, work, ""

    def run(self, *args):
        p = subprocess.run([self.zargo, *args], capture_output=True, cwd=self.work, timeout=300)
        return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")

    def must(self, *args):
        code, out, err = self.run(*args)
        if code != 0:
            self.say(f"{args} fails: {err.strip()}")
        self.said += out + err

    def say(self, *what):
        print("differs:", *what, flush=True)

    def create(self, format):
        """Writes a group with the cells of a format, and returns what zarr-python reads of each."""
        top, want = f"v{format}", {}
        zarr.open_group(zarr.storage.LocalStore(os.path.join(self.work, top)), mode="w", zarr_format=format)
        for name, dtype, fill, kw in cells():
            if kw.get("v3") and format == 2:
                continue
            at = os.path.join(self.work, f"refused{format}" if format == 2 and name in REFUSED else top, name)
            create(at, format, name, dtype, fill, kw)
            if "hex" in kw:
                with open(os.path.join(at, "zarr.json")) as f:
                    text = f.read()
                with open(os.path.join(at, "zarr.json"), "w") as f:
                    f.write(text.replace('"fill_value": "NaN"', '"fill_value": "%s"' % kw["hex"]))
            if format == 3 or name not in REFUSED:
                want[name] = state(at)
        return want

    def compare(self, step, want, top):
        for name, facts in want.items():
            try:
                got = state(os.path.join(self.work, top, name))
            except Exception as e:
                self.say(name, step, f"zarr-python does not read it: {type(e).__name__}: {str(e)[:200]}")
                continue
            for k, v in facts.items():
                if k == "fill" and (v is None or f"{name}: fill value is undefined" in self.said or "hex" in name):
                    continue  # null is the default of the type in v3; what xarray would mask has no fill value in v2
                if v != got[k]:
                    self.say(name, step, f"{k}: {str(got[k])[:120]}, not {str(v)[:120]}")

    def judge(self):
        for first, second in ((2, 3), (3, 2)):
            want = self.create(first)
            self.said = ""
            self.must("copy", f"v{first}", f"v{first}{second}", "--format", str(second))
            self.compare(f"v{first} -> v{second}", want, f"v{first}{second}")
            self.must("copy", f"v{first}{second}", f"v{first}{second}{first}", "--format", str(first))
            self.compare(f"v{first} -> v{second} -> v{first}", want, f"v{first}{second}{first}")
            if first == 2:
                shutil.copytree(os.path.join(self.work, "v2"), os.path.join(self.work, "m"))
                self.must("migrate", "m", "--remove")
                self.compare("migrated", want, "m")
                self.must("copy", "m", "m2", "--format", "2")
                self.compare("migrated and back", want, "m2")
        for name, words in REFUSED.items():
            for args in (["copy", f"refused2/{name}", f"r-{name}", "--format", "3"], ["migrate", f"refused2/{name}"]):
                code, out, err = self.run(*args)
                if code == 0 or words not in err:
                    self.say(f"{args} ends with {code}: {err.strip()}")


def main(zargo):
    with tempfile.TemporaryDirectory() as work:
        Judge(zargo, work).judge()
    print(f"{len(list(cells()))} cells")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
