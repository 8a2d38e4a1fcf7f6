"""Write files of the installed version of pcodec, for the tests.

    pip install numpy pcodec==VERSION
    python generate.py

It adds entries to files.zip: VERSION/NAME.pco for each case that the version supports, and
values/NAME.bin, the numbers of the case in little-endian order, which do not depend on the version.
The stored entries are of the versions 0.0.0, 0.1.0, 0.2.0, 0.3.6 and 1.1.0.
"""

import importlib.metadata
import os
import zipfile

import numpy as np
import pcodec

VERSION = importlib.metadata.version("pcodec")
HERE = os.path.dirname(os.path.abspath(__file__))
RNG = np.random.default_rng(20)


def cases():
    """Yield name, numbers and settings: mode and delta as names of constructors and arguments."""
    bell = RNG.normal(0, 1, 300)
    for dtype in "uint8 int8 uint16 int16 uint32 int32 uint64 int64".split():
        dt = np.dtype(dtype)
        x = np.clip(bell * 30 + (128 if dt.kind == "u" else 0), np.iinfo(dt).min, np.iinfo(dt).max)
        x[:2] = np.iinfo(dt).min, np.iinfo(dt).max if dt.itemsize < 8 else 2**40
        yield f"classic_{dtype}", x.astype(dt), "classic", None
    for dtype in "float16 float32 float64".split():
        x = bell.astype(dtype)
        x[10:16] = np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dtype).smallest_subnormal
        yield f"classic_{dtype}", x, "classic", None
        dime = (np.round(bell * 50) * np.dtype(dtype).type(0.1)).astype(dtype)
        dime[5:9] = np.nan, np.inf, -0.0, np.finfo(dtype).max
        yield f"mult_{dtype}", dime, ("try_float_mult", 0.1), None
    yield "quant_float32", np.append((bell[:200] * 10).astype("f2").astype("f4"), bell[200:].astype("f4")), ("try_float_quant", 13), None
    yield "quant_float64", bell.astype("f4").astype("f8"), ("try_float_quant", 29), ("try_consecutive", 1)
    yield "quant_float16", (np.round(bell * 8) / 4).astype("f2"), ("try_float_quant", 5), None
    yield "mult_int32", (np.round(bell * 100) * 77 + 3).astype("i4"), ("try_int_mult", 77), None
    yield "mult_uint16", (np.arange(300) * 100 + (np.arange(300) % 50 == 0)).astype("u2"), ("try_int_mult", 100), ("try_consecutive", 1)
    for order in 1, 2, 7:
        walk = bell
        for _ in range(order):
            walk = np.cumsum(walk)
        yield f"order{order}_int64", np.round(walk).astype("i8"), "classic", ("try_consecutive", order)
    yield "lookback_uint32", np.tile(RNG.integers(0, 2**32, 10), 30).astype("u4"), "classic", ("try_lookback",)
    yield "lookback_mult_float64", np.tile(np.round(bell[:37] * 100) * 0.01, 9), ("try_float_mult", 0.01), ("try_lookback",)
    wave = 3000 * np.sin(np.arange(300) / 9) + bell
    yield "conv2_int32", wave.astype("i4"), "classic", ("try_conv1", 2)
    yield "conv6_int16", wave.astype("i2"), "classic", ("try_conv1", 6)
    yield "conv32_float32", wave.astype("f4"), "classic", ("try_conv1", 32)
    yield "conv1_uint8", (wave / 30 + 128).astype("u1"), "classic", ("try_conv1", 1)
    yield "dict_uint64", RNG.choice(RNG.integers(0, 2**60, 9), 300).astype("u8"), ("try_dict",), None
    yield "dict_float16", RNG.choice(bell[:9], 300).astype("f2"), ("try_dict",), None
    yield "constant_float32", np.full(300, 1.5, "f4"), "auto", None
    yield "one_int32", np.array([-5], "i4"), "auto", None
    yield "empty_float64", np.array([], "f8"), "auto", None
    yield "chunks_int32", np.round(np.cumsum(bell) * 9).astype("i4"), "auto", "pages"


def config(mode, delta, itemsize):
    """Return the configuration, or None if the version does not support it."""
    if not hasattr(pcodec, "ChunkConfig"):
        return None
    args, pages = {"compression_level": 8}, delta == "pages"
    if pages:
        delta, args["paging_spec"] = None, pcodec.PagingSpec.equal_pages_up_to(250)
    if isinstance(mode, str):
        mode = (mode,)
    if not hasattr(pcodec, "ModeSpec"):
        if mode[0] not in ("auto", "classic"):
            return None
    elif not hasattr(pcodec.ModeSpec, mode[0]):
        return None
    else:
        args["mode_spec"] = getattr(pcodec.ModeSpec, mode[0])(*mode[1:])
    if not hasattr(pcodec, "DeltaSpec"):
        if delta and delta[0] != "try_consecutive":
            return None
        args["delta_encoding_order"] = delta[1] if delta else (None if pages else 0)
    elif not pages and mode[0] != "auto":
        none = "no_op" if hasattr(pcodec.DeltaSpec, "no_op") else "none"
        delta = delta or (none,)
        if not hasattr(pcodec.DeltaSpec, delta[0]):
            return None
        args["delta_spec"] = getattr(pcodec.DeltaSpec, delta[0])(*delta[1:])
    if itemsize == 1:
        args["enable_8_bit"] = True
    try:
        return pcodec.ChunkConfig(**args)
    except TypeError:
        return None


def compress(a, mode, delta):
    """Return the file, or None if the version does not support the case."""
    try:
        if hasattr(pcodec, "auto_compress"):
            return pcodec.auto_compress(a) if mode in ("auto", "classic") and delta is None else None
        c = config(mode, delta, a.itemsize)
        api = getattr(pcodec, "standalone", None) or getattr(pcodec, "pcodec.standalone")
        return None if c is None else api.simple_compress(a, c)
    except (TypeError, RuntimeError) as e:
        print(VERSION, a.dtype, mode, delta, str(e)[:60])
        return None


with zipfile.ZipFile(os.path.join(HERE, "files.zip"), "a", zipfile.ZIP_DEFLATED) as z:
    present = set(z.namelist())
    for name, a, mode, delta in cases():
        stored = compress(a, mode, delta)
        if stored is not None:
            for entry, data in (f"{VERSION}/{name}.pco", bytes(stored)), (f"values/{name}.bin", a.tobytes()):
                if entry not in present:
                    z.writestr(zipfile.ZipInfo(entry), data, zipfile.ZIP_DEFLATED)
