"""Writes isclose.json: pairs of float64 numbers and what numpy.isclose (NumPy 2.4.6) returns for them
with several tolerances and equal_nan=True.

usage: python isclose.py > isclose.json
"""

import itertools
import json

import numpy as np

values = [0.0, -0.0, 1.0, 1 + 1e-9, 1 + 1e-5, 1.00001, -1.0, 1e300, 1.0000001e300, -1e300, 1e308, -1.7e308, 5e-324, 1e-8, np.nan, np.inf, -np.inf]
tolerances = [(0, 0), (1e-5, 1e-8), (0, 1e-5), (1e-7, 0), (0.5, 0), (0, 1e308)]
np.seterr(all="ignore")
cases = []
for rtol, atol in tolerances:
    for a, b in itertools.product(values, values):
        cases.append([str(a), str(b), rtol, atol, bool(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True))])
print(json.dumps(cases).replace("], [", "],\n["))
