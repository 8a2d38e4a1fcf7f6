"""Writes what numpy prints of whole numbers counted up in some shapes. Run with the numpy that MANIFEST names."""
import os
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
for shape in [(), (1,), (100,), (3001,), (40, 50), (2, 30), (4, 3, 5), (10, 10, 12), (7, 7, 7, 7), (2, 2, 40)]:
    a = np.arange(np.prod(shape, dtype=int), dtype="int64").reshape(shape)
    name = "x".join(map(str, shape)) or "scalar"
    with open(os.path.join(here, name + ".str"), "w", newline="\n") as f:
        f.write(str(a) + "\n")
