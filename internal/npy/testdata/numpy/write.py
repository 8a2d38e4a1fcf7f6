"""Writes the .npy files beside it. Run with the numpy that MANIFEST names."""
import os
import numpy as np
from numpy.lib import format as npf

here = os.path.dirname(os.path.abspath(__file__))
names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64", "complex64", "complex128"]


def values(name):
    t = np.dtype(name)
    if t.kind == "b":
        v = [True, False, True, True, False, False]
    elif t.kind in "iu":
        i = np.iinfo(t)
        v = [i.min, i.max, 0, 1, 2, 3]
    elif t.kind == "f":
        v = [0.5, -0.0, np.inf, -np.inf, 1.5, -2.25]
    else:
        v = [0.5 + 1j, -0.25j, complex(np.inf, 2), 3, 4 - 5j, -6]
    return np.array(v, dtype=t).reshape(2, 3)


def write(name, a, version=None):
    with open(os.path.join(here, name + ".npy"), "wb") as f:
        if version is None:
            np.save(f, a)
        else:
            npf.write_array(f, a, version)


for n in names:
    a = values(n)
    write(n, a)
    if a.dtype.itemsize > 1:
        write(n + "-big", a.astype(a.dtype.newbyteorder(">")))
write("int16-fortran", np.asfortranarray(values("int16")))
write("float32-big-fortran", np.asfortranarray(values("float32").astype(">f4")))
write("int32-v2", values("int32"), (2, 0))
write("int32-v3", values("int32"), (3, 0))
write("scalar", np.array(42, dtype="int64"))
write("empty", np.zeros((0, 3), dtype="float32"))
write("line", np.arange(5, dtype="uint16"))
write("cube-fortran", np.asfortranarray(np.arange(24, dtype="uint8").reshape(2, 3, 4)))
write("object", np.array([None, 1], dtype=object))
write("struct", np.zeros(2, dtype=[("a", "<i4"), ("b", "<f8")]))
write("text", np.array(["a", "bc"]))
write("time", np.array(["2020-01-01"], dtype="datetime64[ns]"))
