"""Prints the digests of TestRoundAsMLDtypes: float32s converted by ml_dtypes. Run with ml_dtypes 0.6.0 and numpy 2.4.6."""
import hashlib
import ml_dtypes
import numpy as np

names = """bfloat16 float16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn""".split()
hi = np.arange(1 << 16, dtype=np.uint32)[:, None] << 16
lo = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], dtype=np.uint32)
f = (hi | lo).ravel().view(np.float32)
f[np.isnan(f)] = np.nan
for name in names:
    t = np.dtype(getattr(ml_dtypes, name, name))
    v = f[~np.isnan(f)] if name[:6] in ("float6", "float4") else f
    if name == "float8_e8m0fnu":  # subnormals above 2^-127 are not rounded to the nearest there
        v = f[(f.view(np.uint32) & 0x7F800000) != 0]
    with np.errstate(all="ignore"):
        bits = v.astype(t).view(np.uint8 if t.itemsize == 1 else np.uint16).astype("<u2")
    print('\t\t{"%s", %s' % (name, hashlib.sha256(bits.tobytes()).hexdigest()[:16]))
