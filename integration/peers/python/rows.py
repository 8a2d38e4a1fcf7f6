"""A row of the matrix: what one array is, and every value in it. The Go tests compute the same values on their own."""

import hashlib
import itertools
import math

import numpy as np

U = np.uint64


def mix(x):
    """The finaliser of splitmix64."""
    x = (x + U(0x9E3779B97F4A7C15)).astype(U)
    x = (x ^ (x >> U(30))) * U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U(27))) * U(0x94D049BB133111EB)
    return x ^ (x >> U(31))


def numbers(dtype, count, seed):
    """The first count elements: bit patterns, in stretches of 32 that are slow, slow, random, constant."""
    dt = np.dtype(dtype)
    parts = 2 if dt.kind == "c" else 1
    width = dt.itemsize // parts
    i = np.arange(count * parts, dtype=U)
    stretch = (i >> U(5)) & U(3)
    v = np.where(stretch < 2, i * U(3) + U(seed), np.where(stretch == 2, mix(i + U(seed)), mix(np.array([seed], U))))
    if dt.kind == "b":
        v = v & U(1)
    bits = v.astype(f"<u{width}")  # keeps the low bits
    return bits.view(dt.newbyteorder("<"))


def endian(row):
    return {"little": "<", "big": ">"}[row["order"]]


def fill_bytes(row):
    """The fill value in little-endian bytes; zero where it is undefined."""
    size = np.dtype(row["dtype"]).itemsize
    return bytes.fromhex(row["fill"]) if row["fill"] is not None else bytes(size)


def fill_scalar(row):
    if row["fill"] is None:
        return None
    dt = np.dtype(row["dtype"])
    return np.frombuffer(fill_bytes(row), dt.newbyteorder("<")).astype(dt)[0]


def fill_json(row):
    """The fill value as metadata spells it."""
    v = fill_scalar(row)
    if v is None:
        return None
    kind = np.dtype(row["dtype"]).kind
    if kind == "b":
        return bool(v)
    if kind in "iu":
        return int(v)
    if kind == "c":
        return [spell(float(v.real)), spell(float(v.imag))]
    return spell(float(v))


def spell(f):
    if math.isnan(f):
        return "NaN"
    if math.isinf(f):
        return "Infinity" if f > 0 else "-Infinity"
    return f


def metadata(row):
    """What .zarray says, or zarr.json but for the two members that every one of them has."""
    if row["format"] == 2:
        c = [codec_v2(c) for c in row["codecs"]]
        assert len(c) < 2
        return {"shape": row["shape"], "chunks": row["chunks"], "dtype": np.dtype(row["dtype"]).newbyteorder(endian(row)).str,
                "compressor": c[0] if c else None, "filters": None, "order": "F" if row["transpose"] else "C",
                "fill_value": fill_json(row), "dimension_separator": row["separator"]}
    codecs = [{"name": "transpose", "configuration": {"order": row["transpose"]}}] if row["transpose"] else []
    codecs.append({"name": "bytes", "configuration": {"endian": row["order"]}})
    codecs += [codec_v3(c) for c in row["codecs"]]
    meta = {"shape": row["shape"], "data_type": row["dtype"], "codecs": codecs, "fill_value": fill_json(row),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": row["chunks"]}},
            "chunk_key_encoding": {"name": row["keys"], "configuration": {"separator": row["separator"]}}}
    if row["attrs"]:
        meta["attributes"] = row["attrs"]
    if row["dims"]:
        meta["dimension_names"] = row["dims"]
    return meta


def codec_v2(c):
    c = dict(c)
    c["id"] = c.pop("name")
    if c["id"] == "blosc":
        c["shuffle"] = ["noshuffle", "shuffle", "bitshuffle"].index(c["shuffle"])
    return c


def codec_v3(c):
    kind = {k: v for k, v in c.items() if k != "name"}
    name = {"zlib": "numcodecs.zlib"}.get(c["name"], c["name"])
    return {"name": name, "configuration": kind} if kind else {"name": name}


def chunks(row):
    """Each chunk's region, as slices, that is to be written."""
    grid = [range(0, n, c) for n, c in zip(row["shape"], row["chunks"])]
    for k, start in enumerate(itertools.product(*grid)):
        if row["missing"] and k % 3 == 1:
            continue
        yield tuple(slice(s, min(s + c, n)) for s, c, n in zip(start, row["chunks"], row["shape"]))


def full(row):
    """Every element as it was written, as if no chunk were missing."""
    n = math.prod(row["shape"])
    return numbers(row["dtype"], n, row["seed"]).reshape(row["shape"])


def expected(row):
    """Every element as it must be read."""
    data = full(row)
    if not row["missing"]:
        return data
    out = np.frombuffer(fill_bytes(row) * data.size, data.dtype).reshape(data.shape).copy()
    for region in chunks(row):
        out[region] = data[region]
    return out


def raw(a):
    """Little-endian bytes in C order."""
    a = np.asarray(a)
    return np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"), copy=False)).tobytes()


def digest(b):
    return hashlib.sha256(b).hexdigest()


def reason(e):
    return f"{type(e).__name__}: {e}".replace("\n", " ")[:1000]
