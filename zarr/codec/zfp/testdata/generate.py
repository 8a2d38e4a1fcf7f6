"""Write streams of the reference library, for the tests.

    pip install numpy==2.4.6 zfpy==1.0.1
    python generate.py streams.zip
    python generate.py FILE COUNT SEED    # random cases, to compare more

zfpy contains libzfp 1.0.1, which the script calls itself, because zfpy neither has the expert mode
nor writes 0 bits. Each case is in index.json: its type and shape, the configuration of the codec "zfp",
and whether the stream has a header, as numcodecs writes it. NAME.zfp is the stream. NAME.bin has the
numbers that the library decodes from it, in little-endian order.
"""

import ctypes as c
import glob
import json
import os
import sys
import zipfile

import numpy as np
import zfpy

CODES = {"int32": 1, "int64": 2, "float32": 3, "float64": 4}
NARROW = {"int8": (23, 0), "uint8": (23, 0x80), "int16": (15, 0), "uint16": (15, 0x8000)}
HEADER = 7  # magic number, type and shape, mode


def library():
    """Load libzfp and declare its functions."""
    path = glob.glob(os.path.join(os.path.dirname(zfpy.__file__), "zfpy.libs", "libzfp-*.so*"))
    lib = c.CDLL(path[0])
    p, u, i, z, d = c.c_void_p, c.c_uint, c.c_int, c.c_size_t, c.c_double
    for name, result, *args in (
        ("stream_open", p, p, z), ("stream_close", None, p), ("zfp_stream_open", p, p), ("zfp_stream_close", None, p),
        ("zfp_stream_set_params", i, p, u, u, u, i), ("zfp_stream_set_rate", d, p, d, i, u, i), ("zfp_stream_set_precision", u, p, u),
        ("zfp_stream_set_accuracy", d, p, d), ("zfp_stream_set_reversible", None, p), ("zfp_stream_rewind", None, p),
        ("zfp_field_1d", p, p, i, z), ("zfp_field_2d", p, p, i, z, z), ("zfp_field_3d", p, p, i, z, z, z),
        ("zfp_field_4d", p, p, i, z, z, z, z), ("zfp_field_free", None, p), ("zfp_compress", z, p, p), ("zfp_decompress", z, p, p),
        ("zfp_write_header", z, p, p, u), ("zfp_read_header", z, p, p, u),
    ):
        f = getattr(lib, name)
        f.restype, f.argtypes = result, args
    return lib


LIB = library()


def pipe(a, config, header, dims, buffer, decode):
    """Encode a to buffer and return the length, or decode buffer to a."""
    bits = LIB.stream_open(buffer.ctypes.data, buffer.nbytes)
    stream = LIB.zfp_stream_open(bits)
    code, mode = CODES[a.dtype.name], config["mode"]
    if mode == "reversible":
        LIB.zfp_stream_set_reversible(stream)
    elif mode == "fixed_rate":
        LIB.zfp_stream_set_rate(stream, config["rate"], code, dims, 0)
    elif mode == "fixed_precision":
        LIB.zfp_stream_set_precision(stream, config["precision"])
    elif mode == "fixed_accuracy":
        LIB.zfp_stream_set_accuracy(stream, config["tolerance"])
    else:
        assert LIB.zfp_stream_set_params(stream, *(config[k] for k in ("minbits", "maxbits", "maxprec", "minexp")))
    field = getattr(LIB, f"zfp_field_{a.ndim}d")(a.ctypes.data, code, *a.shape[::-1])
    LIB.zfp_stream_rewind(stream)
    if decode:
        assert not header or LIB.zfp_read_header(stream, field, HEADER)
        n = LIB.zfp_decompress(stream, field)
    else:
        assert not header or LIB.zfp_write_header(stream, field, HEADER)
        n = LIB.zfp_compress(stream, field)
    LIB.zfp_field_free(field)
    LIB.zfp_stream_close(stream)
    LIB.stream_close(bits)
    return n


def stored(a, config, header, dims):
    """Return a stream and the array that it decodes to."""
    buffer = np.zeros(a.size * 4096 + 8192, "u1")
    n = pipe(a, config, header, dims, buffer, False)
    out = np.empty_like(a)
    pipe(out, config, header, dims, buffer, True)
    return buffer.tobytes()[:n], out


def promoted(a):
    """Return an array as the codec stores it, of one of the four types."""
    if a.dtype.name in NARROW:
        shift, bias = NARROW[a.dtype.name]
        return (a.astype("i4") - bias) << shift
    if a.dtype.name in ("uint32", "uint64"):
        signed = a.dtype.name[1:]
        return np.minimum(a, np.iinfo(signed).max).astype(signed)
    return a


def demoted(a, dtype):
    """Invert promoted."""
    if dtype in NARROW:
        shift, bias = NARROW[dtype]
        return np.clip((a >> shift) + bias, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
    if dtype in ("uint32", "uint64"):
        return np.maximum(a, 0).astype(dtype)
    return a


def modes(dtype):
    """Yield names of modes and their configurations."""
    is_float = dtype.startswith("float")
    yield "exact", {"mode": "reversible"}
    yield "rate5", {"mode": "fixed_rate", "rate": 5.3}
    yield "rate20", {"mode": "fixed_rate", "rate": 20}
    yield "prec3", {"mode": "fixed_precision", "precision": 3}
    yield "prec19", {"mode": "fixed_precision", "precision": 19}
    yield "prec64", {"mode": "fixed_precision", "precision": 64}
    if is_float:
        yield "acc", {"mode": "fixed_accuracy", "tolerance": 0.01}
        yield "acc0", {"mode": "fixed_accuracy", "tolerance": 0}
    yield "expert", {"mode": "expert", "minbits": 70, "maxbits": 300, "maxprec": 30, "minexp": -9}


SHAPES = (11,), (5, 6), (3, 5, 6), (2, 5, 3, 4)


def smooth(rng, shape, dtype):
    """Return a smooth array with noise and a block of zeros."""
    x = sum(np.sin(g * 0.3) for g in np.indices(shape)) + rng.normal(0, 0.02, shape)
    x *= 1000 if dtype.startswith("float") else min(np.iinfo(dtype).max // 5, 2**40)
    if dtype.startswith("u"):
        x = np.abs(x)
    x[(slice(0, 4),) * len(shape)] *= rng.integers(0, 2)
    return x.astype(dtype)


def special(dtype):
    """Yield names and arrays of numbers at the limits of the type."""
    t = np.dtype(dtype)
    if t.kind != "f":
        lo, hi = np.iinfo(t).min, np.iinfo(t).max
        yield "limits", np.array([lo, hi, 0, 1, hi, hi, lo, lo, hi - 1, lo + 1, 5, 7], t)
        return
    f = np.finfo(t)
    yield "zeros", np.zeros((7, 6), t)
    yield "tiny", (np.arange(-10, 20) * f.smallest_subnormal).astype(t).reshape(5, 6)
    yield "small", (np.arange(-10, 20) * f.tiny).astype(t).reshape(5, 6)
    yield "huge", (np.linspace(-1, 1, 30) * f.max).astype(t).reshape(5, 6)
    yield "mixed", np.array([f.max, 1, f.tiny, -f.smallest_subnormal, 0, 2, -3, 1e-20] * 3, t).reshape(4, 6)


def weird(dtype):
    """Return numbers for the reversible mode only: it keeps NaN, infinities and the sign of 0."""
    f = np.finfo(dtype)
    return np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, f.smallest_subnormal, -f.max, 1.5, -np.nan, 7], dtype).reshape(2, 5)


def cases():
    """Yield a name, an array, a configuration, whether a header is stored, and the axes of a rate."""
    rng = np.random.default_rng(8)
    for dtype in CODES:
        for shape in SHAPES:
            for name, config in modes(dtype):
                header = bool(rng.integers(0, 2))
                yield f"{dtype}_{len(shape)}d_{name}", smooth(rng, shape, dtype), config, header, len(shape)
        for name, a in special(dtype):
            for mode, config in modes(dtype):
                if mode in ("exact", "rate20", "prec64", "acc"):
                    yield f"{dtype}_{name}_{mode}", a, config, False, a.ndim
        if dtype.startswith("float"):
            yield f"{dtype}_weird", weird(dtype), {"mode": "reversible"}, True, 2
    for dtype in [*NARROW, "uint32", "uint64"]:
        for name, config in modes(dtype):
            if name in ("exact", "rate20", "prec3"):
                yield f"{dtype}_{name}", smooth(rng, (6, 5), dtype), config, False, 2
        for name, a in special(dtype):
            yield f"{dtype}_{name}", a, {"mode": "reversible"}, False, 1
    a = smooth(rng, (6, 5), "float32")
    for i, maxbits in enumerate((0, 5, 9, 12, 40)):
        for minexp in (-1074, -1075):
            config = {"mode": "expert", "minbits": 0, "maxbits": maxbits, "maxprec": 64, "minexp": minexp}
            yield f"float32_maxbits{maxbits}_{-minexp}", a, config, False, 2
            yield f"int32_maxbits{maxbits}_{-minexp}", a.astype("i4"), config, False, 2
    yield "float32_header_rate", smooth(rng, (2, 5, 3, 4), "float32"), {"mode": "fixed_rate", "rate": 16}, True, 4
    for shape in (11,), (5, 6), (2, 5, 3, 4):
        # zarrs converts every rate as if the array had three axes.
        yield f"float32_zarrs_{len(shape)}d", smooth(rng, shape, "float32"), {"mode": "fixed_rate", "rate": 6}, False, 3
        yield f"int32_zarrs_{len(shape)}d", smooth(rng, shape, "int32"), {"mode": "fixed_rate", "rate": 6}, False, 3


def randoms(count, seed):
    """Yield random cases."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        dtype = str(rng.choice([*CODES, *NARROW, "uint32", "uint64"]))
        rank = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(1, (200, 30, 12, 8)[rank - 1], rank))
        is_float, t = dtype.startswith("float"), np.dtype(dtype)
        kind = rng.integers(0, 6)
        if kind < 3:
            a = smooth(rng, shape, dtype)
        elif kind < 5 or not is_float:
            a = np.frombuffer(rng.bytes(int(np.prod(shape)) * t.itemsize), t).reshape(shape).copy()
        else:
            a = np.ldexp(rng.normal(0, 1, shape), rng.integers(-1070, 1000) if t.itemsize == 8 else rng.integers(-145, 120)).astype(dtype)
        config = [
            {"mode": "reversible"},
            {"mode": "fixed_rate", "rate": float(rng.uniform(0.5, 70))},
            {"mode": "fixed_precision", "precision": int(rng.integers(0, 70))},
            {"mode": "fixed_accuracy", "tolerance": float(2.0 ** rng.integers(-30, 20))},
            {"mode": "expert", "minbits": int(rng.integers(0, 200)), "maxbits": int(rng.integers(200, 3000)), "maxprec": int(rng.integers(1, 65)), "minexp": int(rng.choice([-1075, -1074, -20, 0]))},
        ][rng.integers(0, 5)]
        if config["mode"] == "fixed_accuracy" and not is_float:
            continue
        if is_float and config["mode"] != "reversible" and config.get("minexp", 0) != -1075:
            a = np.where(np.isfinite(a), a, 0).astype(dtype)
        if config.get("minexp") == -1075:
            config["minbits"] = 0  # libzfp cannot decode what it encodes with another minimum
        header = bool(rng.integers(0, 2)) and config["mode"] != "expert"
        yield f"{i}_{dtype}", a, config, header, rank if rng.integers(0, 2) or header else 3


def main(path, count=0, seed=0):
    index = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, a, config, header, dims in randoms(int(count), int(seed)) if count else cases():
            stream, out = stored(np.ascontiguousarray(promoted(a)), config, header, dims)
            if not stream:
                continue
            out = demoted(out, a.dtype.name)
            if config["mode"] == "reversible" and not a.dtype.name.startswith("uint"):
                assert out.tobytes() == a.tobytes(), name
            index.append({"name": name, "type": a.dtype.name, "shape": a.shape, "config": config, "header": header})
            for suffix, data in (".zfp", stream), (".bin", out.tobytes()):
                z.writestr(zipfile.ZipInfo(name + suffix), data, zipfile.ZIP_DEFLATED)
        z.writestr(zipfile.ZipInfo("index.json"), json.dumps(index), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main(*sys.argv[1:])
