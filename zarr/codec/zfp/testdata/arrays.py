"""Write arrays with zarr-python, for the tests.

    pip install zarr==3.1.6 numcodecs==0.16.6 zfpy==1.0.1
    python arrays.py arrays.zip

Each array is a directory of the file: its metadata, its chunks, and "values", the elements that
zarr-python reads, in little-endian order.
"""

import os
import sys
import tempfile
import warnings
import zipfile

import numcodecs
import numpy as np
import zarr
from numcodecs import ZFPY
from numcodecs import zarr3

warnings.simplefilter("ignore")

A = np.sin(np.arange(60.0) / 7).reshape(6, 10) * 100
V2 = {"zarr_format": 2, "chunks": (4, 5)}
V3 = {"chunks": (4, 5), "compressors": None}
CASES = {
    "v2_accuracy": (A, V2 | {"compressors": ZFPY(mode=4, tolerance=0.001)}),
    "v2_reversible": (A.astype("f4"), V2 | {"compressors": ZFPY()}),
    "v2_delta": (A, V2 | {"filters": [numcodecs.Delta("<f8")], "compressors": ZFPY(mode=4, tolerance=0.001)}),
    "v2_scaled": (A, V2 | {"filters": [numcodecs.FixedScaleOffset(0, 1000, "<f8", "<i4")], "compressors": ZFPY(mode=3, precision=20)}),
    "v2_times": (A.astype("i8").astype("M8[s]"), V2 | {"compressors": ZFPY()}),
    "v3_accuracy": (A, V3 | {"serializer": zarr3.ZFPY(mode=4, tolerance=0.001)}),
    "v3_rate": (A.astype("i4"), V3 | {"serializer": zarr3.ZFPY(mode=2, rate=9.5)}),
    "v3_zstd": (A, {"chunks": (4, 5), "serializer": zarr3.ZFPY(mode=3, precision=9)}),
    "v3_sharded": (A, {"chunks": (2, 5), "shards": (4, 10), "compressors": None, "serializer": zarr3.ZFPY(mode=3, precision=9)}),
}

with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for name, (data, options) in CASES.items():
        with tempfile.TemporaryDirectory() as root:
            a = zarr.create_array(root, shape=data.shape, dtype=data.dtype, **options)
            a[...] = data
            for parent, _, files in sorted(os.walk(root)):
                for file in sorted(files):
                    path = os.path.join(parent, file)
                    key = f"{name}/{os.path.relpath(path, root)}"
                    z.writestr(zipfile.ZipInfo(key), open(path, "rb").read(), zipfile.ZIP_DEFLATED)
            z.writestr(zipfile.ZipInfo(f"{name}/values"), zarr.open_array(root)[...].tobytes(), zipfile.ZIP_DEFLATED)
