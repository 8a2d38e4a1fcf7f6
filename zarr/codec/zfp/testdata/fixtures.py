"""Copy the fixtures of numcodecs, for the tests.

    pip install numpy==2.4.6
    pip download --no-deps --no-binary numcodecs numcodecs==0.16.6
    tar xzf numcodecs-0.16.6.tar.gz
    python fixtures.py numcodecs-0.16.6/fixture/zfpy fixtures.zip

The streams of the four codecs are equal, so one of each array is copied. All have a flat shape, also of
the arrays with several axes. The elements are in the order of memory, and the shape is from the slowest
axis to the fastest. The format of the file is that of generate.py.
"""

import glob
import json
import sys
import zipfile

import numpy as np

source, path = sys.argv[1:]
index = []
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
    for file in sorted(glob.glob(f"{source}/array.*.npy")):
        number = file.split(".")[-2]
        a = np.load(file)
        streams = {open(f, "rb").read() for f in glob.glob(f"{source}/codec.*/encoded.{number}.dat")}
        assert len(streams) == 1, file
        if not a.flags.c_contiguous:
            a = a.T
        index.append({"name": number, "type": a.dtype.name, "shape": a.shape, "header": True})
        for suffix, data in (".zfp", streams.pop()), (".bin", a.tobytes()):
            z.writestr(zipfile.ZipInfo(number + suffix), data, zipfile.ZIP_DEFLATED)
    z.writestr(zipfile.ZipInfo("index.json"), json.dumps(index), zipfile.ZIP_DEFLATED)
