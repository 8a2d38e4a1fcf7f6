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
write("struct-nested", np.array([(((1.5, -2.0), [1, 2]), "é😀", b"ab", np.datetime64("2020-02-29", "s"), True)] * 2, dtype=[
    ("p", [("x'y", ">f4", (2,)), ("n", "<u2", (2,))]), ("u", ">U2"), ("s", "S3"), ("t", "<M8[s]"), ("b", "?")]))
write("struct-latin1", np.zeros(1, dtype=[("é", "<i4")]))
write("struct-unicode", np.zeros(1, dtype=[("漢\t", "<i4")]))
write("struct-titled", np.zeros(1, dtype=[(("title", "a"), "<i4")]))
write("struct-padded", np.zeros(1, dtype=np.dtype([("a", "u1"), ("b", "<i4")], align=True)))
write("bytes", np.array([b"a", b"bcd"]))
write("void", np.array([b"abc"], dtype="V3"))
write("text-big", np.array(["a", "bc"], dtype=">U2"))
write("delta", np.array([5, "NaT"], dtype="m8[25s]"))
