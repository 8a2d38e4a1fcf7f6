"""Writes ../palettes.txt, the tables of the palettes. Used with Python 3.11 and matplotlib 3.11.2.

viridis, magma, inferno and plasma are by N. J. Smith, S. van der Walt and E. Firing, under CC0
(https://github.com/BIDS/colormap). cividis is by J. R. Nuñez, C. R. Anderson and R. S. Renslow
(PLoS ONE 13(7), e0199239); the table is that of matplotlib, under its license (a variant of that of
Python; Copyright (c) 2012- Matplotlib Development Team; All Rights Reserved). coolwarm is computed by the algorithm of K. Moreland, "Diverging Color Maps for Scientific
Visualization" (ISVC 2009), and compared with matplotlib's table.

    python3 palettes.py
"""

import math
import pathlib

import matplotlib

NAMES = ["viridis", "magma", "inferno", "plasma", "cividis"]


def listed(name):
    c = matplotlib.colormaps[name]
    assert c.N == 256
    return [tuple(int(v) for v in row[:3]) for row in c(range(256), bytes=True)]


# Moreland's diverging color maps interpolate in the space Msh, polar coordinates of CIELAB.
WHITE = (0.95047, 1.0, 1.08883)  # D65
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
TO_RGB = [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]]


def times(m, v):
    return [sum(a * b for a, b in zip(row, v)) for row in m]


def msh(rgb):
    linear = [(c / 255 / 12.92) if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    f = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (a / b for a, b in zip(times(TO_XYZ, linear), WHITE))]
    lab = 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])
    m = math.sqrt(sum(v * v for v in lab))
    return m, math.acos(lab[0] / m), math.atan2(lab[2], lab[1])


def rgb(m, s, h):
    lab = m * math.cos(s), m * math.sin(s) * math.cos(h), m * math.sin(s) * math.sin(h)
    y = (lab[0] + 16) / 116
    f = y + lab[1] / 500, y, y - lab[2] / 200
    xyz = [(t**3 if t**3 > 0.008856 else (t - 16 / 116) / 7.787) * w for t, w in zip(f, WHITE)]
    out = []
    for c in times(TO_RGB, xyz):
        c = 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
        out.append(round(255 * min(max(c, 0), 1)))
    return tuple(out)


def adjusted(m, s, h, to):
    """Returns the hue of an unsaturated color, next to a saturated one."""
    if m >= to:
        return h
    spin = s * math.sqrt(to * to - m * m) / (m * math.sin(s))
    return h + spin if h > -math.pi / 3 else h - spin


def coolwarm(t):
    white = 88.0
    a, b = msh((59, 76, 192)), msh((180, 4, 38))
    white = max(a[0], b[0], white)
    if t < 0.5:
        b, t = (white, 0.0, 0.0), 2 * t
    else:
        a, t = (white, 0.0, 0.0), 2 * t - 1
    if a[1] < 0.05 and b[1] > 0.05:
        a = a[0], a[1], adjusted(*b, a[0])
    elif b[1] < 0.05 and a[1] > 0.05:
        b = b[0], b[1], adjusted(*a, b[0])
    return rgb(*((1 - t) * x + t * y for x, y in zip(a, b)))


def main():
    tables = {n: listed(n) for n in NAMES}
    tables["coolwarm"] = [coolwarm(i / 255) for i in range(256)]
    far = max(abs(a - b) for x, y in zip(tables["coolwarm"], listed("coolwarm")) for a, b in zip(x, y))
    print("largest difference of coolwarm from matplotlib's:", far)
    assert far <= 6
    tables["gray"] = [(i, i, i) for i in range(256)]
    out = ["# Written by testdata/palettes.py. A line is the name of a palette and its 256 colors, each as six hexadecimal digits.",
           "#",
           "#   - viridis, magma, inferno, plasma: N. J. Smith, S. van der Walt and E. Firing, CC0",
           "#     (https://github.com/BIDS/colormap)",
           "#   - cividis: J. R. Nuñez, C. R. Anderson and R. S. Renslow, PLoS ONE 13(7), e0199239. The table",
           "#     is from matplotlib, Copyright (c) 2012- Matplotlib Development Team; All Rights Reserved",
           "#     (https://matplotlib.org/stable/project/license.html)",
           "#   - coolwarm: computed by the algorithm of K. Moreland, Diverging Color Maps for Scientific",
           "#     Visualization, ISVC 2009"]
    out += ["%s %s" % (name, "".join("%02x%02x%02x" % c for c in table)) for name, table in tables.items()]
    (pathlib.Path(__file__).parent.parent / "palettes.txt").write_text("\n".join(out) + "\n")


main()
