"""vectors.py: what numcodecs makes of small arrays, one case to a line of JSON, for zarr/codec/testdata/filters.json.

    python vectors.py > ../../../zarr/codec/testdata/filters.json

Left out is what numpy leaves open: floats out of the range of uint32, and sums of two NaNs."""

import json
import warnings

import numpy as np
from numcodecs.compat import ensure_bytes
from numcodecs.registry import get_codec

TYPES = "|b1 |i1 <i2 >i4 <i8 |u1 >u2 <u4 >u8 <f2 >f4 <f8 <c8 >c16".split()


def values(told, other="", special=True):
    t = np.dtype(told)
    if t.kind == "b":
        return np.array([1, 1, 0, 1, 0], t)
    if t.kind in "iu":
        info = np.iinfo(t)
        return np.array([0, 1, 7, 100, info.max, info.min, info.max // 2 + 1], t)
    if other[1:] == "u4":
        return np.array([0, 1.5, -2.5, 100.99, 30000], t)
    list = [0, -0.0, 1.5, 2.5, -2.5, 127.5, -129, 255.9, 20000, 5e-8, 1 / 3]
    if special:
        list += [65519, -3e9, 1e5, 1e19, 1e300, np.inf, -np.inf, np.nan]
    made = np.array(list).astype(t)
    return made + np.array(1j, t) * made[::-1] if t.kind == "c" and not special else made


def case(id, array, **config):
    codec = get_codec(dict(config, id=id))
    stored = ensure_bytes(codec.encode(array))
    back = ensure_bytes(codec.decode(stored))
    print(json.dumps({"id": id, "config": config, "dtype": array.dtype.str, "array": array.tobytes().hex(), "stored": stored.hex(), "back": back.hex()}))


def main():
    warnings.simplefilter("ignore")
    for a in TYPES:
        for b in TYPES:
            if a[1:] != "u4" or b[1] not in "fc":
                case("astype", values(a, b), decode_dtype=a, encode_dtype=b)
            if (a[1:] != "u4" or b[1] not in "fc") and (b[1:] != "u4" or a[1] not in "fc"):
                case("delta", values(a, b, special=False), dtype=a, astype=b)
    for a in ["|i1", "<i2", "<i8", "|u1", ">u2", "<f2", ">f4", "<f8"]:
        for b in ["|u1", "<i4", "<f4", ">f8"]:
            case("fixedscaleoffset", values(a), offset=0.5, scale=10.0, dtype=a, astype=b)
            case("fixedscaleoffset", values(a), offset=3, scale=2, dtype=a, astype=b)
    for a in ["<f2", ">f4", "<f8"]:
        for b in ["<f2", "<f4", ">f8"]:
            for digits in [-2, 0, 1, 3, 12]:
                case("quantize", values(a), digits=digits, dtype=a, astype=b)
    for a, most in [("<f2", 10), ("<f4", 23), ("<f8", 52)]:
        for keep in [0, 1, 5, most - 1, most]:
            case("bitround", values(a), keepbits=keep)
    for n in range(1, 18):
        case("packbits", np.arange(n) % 3 == 0)


main()
