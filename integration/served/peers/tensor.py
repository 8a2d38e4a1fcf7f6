"""Reads arrays from a directory and through a server with TensorStore. Standard input is a JSON list of
arrays with path, url and format. Prints how many are the same in both, how many TensorStore refuses
in both, and the names of the others."""

import json
import sys

import numpy as np
import tensorstore as ts


def read(format, kvstore):
    driver = {2: "zarr", 3: "zarr3"}[format]
    try:
        a = ts.open({"driver": driver, "kvstore": kvstore}, open=True, read=True).result()
        return str(a.dtype), a.shape, np.asarray(a.read().result()).tobytes()
    except Exception as why:
        return type(why).__name__


same = refused = 0
others = []
for case in json.load(sys.stdin):
    file = read(case["format"], {"driver": "file", "path": case["path"] + "/"})
    web = read(case["format"], {"driver": "http", "base_url": case["url"] + "/"})
    if file != web:
        others.append(case["path"])
    elif isinstance(file, str):
        refused += 1
    else:
        same += 1
print(json.dumps({"same": same, "refused": refused, "others": others}))
