"""Copy the fixtures of numcodecs, for the tests.

    pip install numpy==2.4.6
    pip download --no-deps --no-binary numcodecs numcodecs==0.16.6
    tar xzf numcodecs-0.16.6.tar.gz
    python fixtures.py numcodecs-0.16.6/fixture/pcodec fixtures.zip

index.json lists the type, the elements in the order of memory, and the files that the codecs wrote. Equal
files are stored once.
"""

import glob
import hashlib
import json
import sys
import zipfile

import numpy as np

source, path = sys.argv[1:]
index, stored = [], set()


def store(z, data, suffix):
    name = hashlib.sha256(data).hexdigest()[:16] + suffix
    if name not in stored:
        stored.add(name)
        z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return name


with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
    for file in sorted(glob.glob(f"{source}/array.*.npy")):
        number = file.split(".")[-2]
        a = np.load(file)
        files = {}
        for f in sorted(glob.glob(f"{source}/codec.*/encoded.{number}.dat")):
            codec = f.split("/")[-2].split(".")[-1]
            files[codec] = store(z, open(f, "rb").read(), ".pco")
        values = store(z, (a if a.flags.c_contiguous else a.T).tobytes(), ".bin")
        index.append({"array": number, "type": a.dtype.name, "values": values, "files": files})
    z.writestr(zipfile.ZipInfo("index.json"), json.dumps(index), zipfile.ZIP_DEFLATED)
