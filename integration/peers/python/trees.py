"""Random trees: what zargo's walks find in them, and what zarr-python finds.

trees.py ZARGO COUNT SEED builds COUNT trees and prints one line for each contradiction, with the seed of
its tree. The trees have names of every kind that zarr-python, xarray and a file system create, links,
unreadable directories, files that do not belong to Zarr, nodes without their group, and consolidated
metadata that is fresh or out of date. If TensorStore and netCDF4 are installed, they write nodes too,
and TensorStore reads the arrays that zarr-python does not.

A tree holds if for each command the copy equals its source in all nodes that zarr-python and xarray read, or
an error or a warning names the difference.
"""

import hashlib
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unicodedata
import warnings

import numpy as np
import xarray as xr
import zarr

try:
    import tensorstore
except ImportError:
    tensorstore = None
try:
    import netCDF4
except ImportError:
    netCDF4 = None

warnings.simplefilter("ignore")
logging.getLogger("asyncio").setLevel(logging.CRITICAL)

NAMES = [
    "a", "A", "b", "x y", " lead", "trail ", "\ttab", "line\n", "\x1b[31m", "\x7f", "\u009b0m", "\u202eabc", "\u2066x", "a\u200bb", "\ufeffx", "\ue000", "\U000e0041",
    "é", "e\u0301", "É", "E\u0301", "ﬁ", "\u212b", "日本", "😀", "👩‍👩‍👧", "\u0430", "ß", "SS", "İ", "i\u0307", "__x__", "__xarray_dataarray_variable__", "_x", "__", "__zargo",
    ".hidden", "...", "..a", "a..", "a.b", "a.b.c", "c", "c.0", "0", "0.0", "1", "00", "-1", "-rf", "--help", "*", "?", "[a]", "%2F", "%41", "%", "a%b", "#", "a#b", "&", "=", "a=b", "a:b", "C:", "|zip:",
    "a|b", "~", "$HOME", "'", '"', "`", "meta", "attrs", "zarr", "zarr.jso", "Zarr.json", ".zarrays", ".zgrou", "n" * 200, "é" * 100, "NaN", "null", "true", "con", "a,b", ";", "@", "!", "(", "{x}", "\u2028", "\xa0", "\u3000x",
]
RAW = ["zarr.json", ".zarray", ".zgroup", ".zattrs", "back\\slash", "\\", "n" * 255, ".zmetadata", ".git", "@eaDir", ".DS_Store", "Thumbs.db", "lost+found", "bad\udcff", "\udcc3"]
TYPES = ["int8", "int32", "float32", "float64", "bool", "uint16", "complex64", "datetime64[s]", "S3"]
NOBODY = 65534


def local(at):
    """Returns a store. zarr-python takes some paths for URLs."""
    return zarr.storage.LocalStore(at)


class Tree:
    """A random tree in a directory."""

    def __init__(self, r, top):
        self.r, self.top = r, top
        self.closed, self.pipes = [], []
        self.format = r.choice([2, 3, 3])
        zarr.open_group(local(top), mode="w", zarr_format=self.format, attributes=self.attrs())
        self.fill(top, 0)
        self.consolidate()
        for at in self.pipes:  # after zarr-python, which would block in them
            dir = os.path.dirname(at)
            if not os.path.lexists(at) and (os.path.isdir(dir) or not os.path.lexists(dir)):
                os.makedirs(dir, exist_ok=True)
                os.mkfifo(at)

    def attrs(self):
        return {n: self.r.choice([1, "text", [1, None], {"x": 1.5}]) for n in self.r.sample(["units", "é", "x\u202e", "scale", "n"], self.r.randint(0, 2))}

    def fill(self, dir, depth):
        r = self.r
        for _ in range(r.randint(1, 5 if depth < 2 else 2)):
            self.member(dir, depth, r.choice(NAMES))

    def member(self, dir, depth, name):
        r, at = self.r, os.path.join(dir, name)
        if os.path.lexists(at):
            return
        kind = r.choices(
            ["array", "group", "implied", "xarray", "raw", "file", "empty", "chunks", "document", "both", "link", "unreadable", "special", "broken", "inside", "moved"]
            + ["datatree", "tensor", "foreign", "netcdf", "lock"],
            [30, 14, 3, 6, 4, 4, 2, 2, 2, 2, 6, 1.5, 2, 1.5, 2, 2, 1, 10, 2, 3, 2],
        )[0]
        getattr(self, kind)(at, depth)

    def other(self):
        return self.format if self.r.random() < 0.8 else 5 - self.format

    def array(self, at, depth=0, format=None):
        r = self.r
        shape = tuple(r.randint(0, 4) for _ in range(r.choice([0, 1, 1, 2])))
        dtype = np.dtype(r.choice(TYPES))
        values = np.array([r.randint(0, 100) for _ in range(int(np.prod(shape)))]).astype(dtype).reshape(shape)
        format = format or self.other()
        more = {}
        if format == 2 or r.random() < 0.3:
            more["chunk_key_encoding"] = {"name": "v2", "separator": r.choice([".", "/"])}
        if format == 3 and r.random() < 0.5:
            more["dimension_names"] = [r.choice(["x", "y", None, "x\u202e"]) for _ in shape]
        if format == 3 and shape and r.random() < 0.3:
            more["shards"] = tuple(4 for _ in shape)
        fill = None if format == 2 and r.random() < 0.3 else 0
        if dtype.kind in "SM":
            fill = None
        a = zarr.create_array(local(at), shape=shape, dtype=dtype, chunks=tuple(2 for _ in shape), zarr_format=format, attributes=self.attrs(), fill_value=fill, **more)
        a[...] = values

    def group(self, at, depth):
        zarr.open_group(local(at), mode="w", zarr_format=self.other(), attributes=self.attrs())
        if depth < 3:
            self.fill(at, depth + 1)

    def implied(self, at, depth):
        self.array(os.path.join(at, self.r.choice(["sub", "0", "c"])))

    def xarray(self, at, depth):
        r = self.r
        da = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("y", "x"), coords={"y": [1, 2]}, name=r.choice([None, "v", "data var", "c"]), attrs={"units": "K"})
        if r.random() < 0.5:
            da = da.assign_coords(time=xr.DataArray(np.datetime64("2000-01-01", "ns")))
        da.to_zarr(local(at), mode="w", zarr_format=self.other(), consolidated=r.random() < 0.5)

    def datatree(self, at, depth):
        x = xr.Dataset({"v": ("x", np.arange(3.0))}, coords={"x": [1, 2, 3]})
        xr.DataTree.from_dict({"/": x, "/sub": x, f"/{os.path.basename(at)}/deep": x}).to_zarr(local(at), mode="w", zarr_format=self.other(), consolidated=self.r.random() < 0.5)

    def tensor(self, at, depth):
        """An array as TensorStore writes it, without groups above it."""
        r = self.r
        if tensorstore is None:
            return self.array(at)
        shape = [r.randint(0, 4) for _ in range(r.choice([0, 1, 1, 2]))]
        kind = r.choice(["int32", "uint64", "float16", "bfloat16", "complex64", "bool", "int4", "float8_e4m3fn", "float64"])
        chunks = [2 for _ in shape]
        if self.other() == 2:
            v2 = {"int32": ">i4", "uint64": "<u8", "float16": "<f2", "bfloat16": "bfloat16", "complex64": "<c8", "bool": "|b1", "int4": "int4", "float8_e4m3fn": "float8_e4m3fn", "float64": "<f8"}[kind]
            if r.random() < 0.2:
                kind, v2 = "int32", [["a", "<i4"], ["b", "|u1", [2]]]
            metadata = {"shape": shape, "chunks": chunks, "dtype": v2, "dimension_separator": r.choice([".", "/"]), "order": r.choice(["C", "F"]), "fill_value": None}
            metadata["compressor"] = r.choice([None, {"id": "zlib", "level": 1}, {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}, {"id": "zstd", "level": 1}, {"id": "bz2", "level": 1}])
            spec = {"driver": "zarr", "metadata": metadata}
            if isinstance(v2, list):
                spec["field"] = "a"
            if r.random() < 0.1:
                spec["metadata_key"] = r.choice([".zarray.bak", "zarray"])
        else:
            inner = [{"name": "bytes", **({} if kind in ("bool", "int4", "float8_e4m3fn") else {"configuration": {"endian": r.choice(["little", "big"])}})}]
            if shape and r.random() < 0.3:
                inner.insert(0, {"name": "transpose", "configuration": {"order": list(range(len(shape)))[::-1]}})
            inner += r.choice([[], [{"name": "gzip", "configuration": {"level": 1}}], [{"name": "zstd", "configuration": {"level": 1}}], [{"name": "crc32c"}]])
            if shape and r.random() < 0.3:
                inner = [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunks, "codecs": inner, "index_location": r.choice(["start", "end"])}}]
                chunks = [4 for _ in shape]
            metadata = {"shape": shape, "data_type": kind, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}}, "codecs": inner, "attributes": self.attrs()}
            metadata["chunk_key_encoding"] = {"name": r.choice(["default", "v2"]), "configuration": {"separator": r.choice([".", "/"])}}
            if r.random() < 0.5:
                metadata["dimension_names"] = [r.choice(["x", "y", None, ""]) for _ in shape]
            spec = {"driver": "zarr3", "metadata": metadata}
        try:
            t = tensorstore.open({**spec, "kvstore": {"driver": "file", "path": at}, "create": True}).result()
            t[...] = np.array([r.randint(0, 6) for _ in range(int(np.prod(shape)))]).reshape(shape).astype(t.dtype.numpy_dtype)
        except (ValueError, IndexError, OSError, UnicodeError):
            pass  # a name that TensorStore refuses

    def foreign(self, at, depth):
        """Another format of TensorStore."""
        r = self.r
        if tensorstore is None:
            return self.file(os.path.join(at, "attributes.json"), depth)
        file = {"driver": "file", "path": at}
        spec = r.choice([
            {"driver": "n5", "kvstore": file, "metadata": {"dimensions": [3], "blockSize": [2], "dataType": "uint8", "compression": {"type": "raw"}}},
            {"driver": "zarr3", "kvstore": {"driver": "ocdbt", "base": file}, "metadata": {"shape": [3], "data_type": "uint8"}},
            {"driver": "neuroglancer_precomputed", "kvstore": file, "multiscale_metadata": {"data_type": "uint8", "num_channels": 1, "type": "image"}, "scale_metadata": {"size": [2, 2, 2], "encoding": "raw", "chunk_size": [2, 2, 2], "resolution": [1, 1, 1]}},
        ])
        try:
            tensorstore.open({**spec, "create": True}).result()[...] = 1
        except (ValueError, OSError, UnicodeError):
            pass

    def netcdf(self, at, depth):
        r = self.r
        if netCDF4 is None:
            return self.file(at + ".nc", depth)
        name = r.choice(["v", "v v", "é", "a.b", "_x", "0", "a%b", "__v", "-", "日本"])
        if r.random() < 0.3 or any(c in at for c in "#?&%[]=|\\\n") or not at.isprintable() or not at.isascii() or at[-1] == " " or "//" in at:
            path, at = os.path.join(os.path.dirname(at), "data.nc"), ""
        else:
            path = f"file://{at}#mode={r.choice(['nczarr', 'zarr'])},file"
        try:
            with netCDF4.Dataset(path, "w") as d:
                d.createDimension("x", 3)
                d.createVariable(name, r.choice(["i4", "f8", "u1"]), ("x",))[:] = [1, 2, 3]
                d.createVariable("x", "f4", ("x",), fill_value=False)[:] = [1, 2, 3]
                d.createGroup("g").createVariable("w", "f8", ("x",))
        except (OSError, RuntimeError, ValueError, TypeError):
            pass  # a name that netCDF refuses

    def lock(self, at, depth):
        """What writers leave behind that were killed."""
        r = self.r
        self.array(at)
        files = [os.path.join(d, f) for d, _, fs in os.walk(at) for f in fs]
        self.write(r.choice(files) + r.choice([".__lock", ".partial", ".0123abcd.tmp", "~", ".lock", "." + "a" * 32]), b"x")

    def raw(self, at, depth):
        at = os.path.join(os.path.dirname(at), self.r.choice(RAW))
        if not os.path.lexists(at):
            self.array(at) if "\\" not in at and "\\udc" not in ascii(at) else self.copied(at)

    def copied(self, at):
        """Writes an array with a name that zarr-python changes or refuses."""
        with tempfile.TemporaryDirectory() as tmp:
            self.array(os.path.join(tmp, "a"))
            shutil.copytree(os.path.join(tmp, "a"), at)

    def file(self, at, depth):
        self.write(at, b"not Zarr")

    def empty(self, at, depth):
        os.makedirs(os.path.join(at, self.r.choice(["", "deep"])))

    def chunks(self, at, depth):
        self.write(os.path.join(at, "c", "0"), b"\1\2")

    def document(self, at, depth):
        self.array(at)
        for name in os.listdir(at):
            if name not in ("zarr.json", ".zarray", ".zattrs"):
                p = os.path.join(at, name)
                shutil.rmtree(p) if os.path.isdir(p) else os.remove(p)

    def both(self, at, depth):
        self.array(at, format=3)
        with tempfile.TemporaryDirectory() as tmp:
            zarr.create_array(os.path.join(tmp, "a"), shape=(2,), dtype="int8", zarr_format=2)
            shutil.copytree(os.path.join(tmp, "a"), at, dirs_exist_ok=True)

    def link(self, at, depth):
        r = self.r
        kind = r.choice(["array", "group", "file", "loop", "self", "dangling", "document"])
        out = os.path.join(os.path.dirname(self.top), "out" + str(r.random())[2:])
        if kind == "array":
            self.array(out)
        elif kind == "group":
            zarr.open_group(local(out), mode="w", zarr_format=self.other())
            self.array(os.path.join(out, r.choice(NAMES)))
        elif kind == "file":
            self.write(out, b"a file")
        elif kind == "document":
            self.array(out)
            os.makedirs(at)
            for name in os.listdir(out):
                os.symlink(os.path.join(out, name), os.path.join(at, name))
            return
        os.symlink({"loop": ".", "self": os.path.basename(at), "dangling": "nowhere"}.get(kind, out), at)

    def unreadable(self, at, depth):
        self.group(at, 3)
        self.closed.append(at)

    def special(self, at, depth):
        self.pipes.append(at if self.r.random() < 0.5 else os.path.join(at, self.r.choice(["zarr.json", ".zarray", "x"])))

    def broken(self, at, depth):
        self.array(at)
        doc = os.path.join(at, "zarr.json" if os.path.exists(os.path.join(at, "zarr.json")) else ".zarray")
        text = open(doc).read()
        self.write(doc, self.r.choice(["", "{", "null", "{}", text.replace('"bytes"', '"acme"').replace('"compressor": {', '"compressor": {"id": "acme", '), text[:-2]]).encode())

    def inside(self, at, depth):
        """An array or a file inside an array."""
        self.array(at)
        if self.r.random() < 0.5:
            self.write(os.path.join(at, "notes.txt"), b"x")
        else:
            self.copied(os.path.join(at, "inner"))

    def moved(self, at, depth):
        """A directory in the place of a document."""
        os.makedirs(os.path.join(at, self.r.choice(["zarr.json", ".zarray", ".zgroup"])))

    def write(self, at, text):
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "wb") as f:
            f.write(text)

    def consolidate(self):
        r = self.r
        if r.random() < 0.4:
            try:
                zarr.consolidate_metadata(local(self.top))
            except Exception:
                return
            if r.random() < 0.6:  # out of date
                for _ in range(r.randint(1, 3)):
                    self.member(self.top, 3, r.choice(NAMES))
                for at, n in list(reachable(self.top).items()):
                    if at and n and n[0] == "array" and r.random() < 0.2:
                        shutil.rmtree(os.path.join(self.top, at), ignore_errors=True)


DOCS = ("zarr.json", ".zarray", ".zgroup")


def reachable(top):
    """Returns what zarr-python reads of each node below groups: kind, format, attributes and values, or None."""
    found, seen = {}, set()

    def visit(at, format):
        dir = os.path.join(top, at) if at else top
        real = os.path.realpath(dir)
        if at.count("/") > 12:
            return
        found[at] = state(dir, format)
        if found[at] is None or found[at][0] != "group":
            return
        for name in sorted(os.listdir(dir)):
            p = os.path.join(dir, name)
            if os.path.isdir(p) and any(os.path.lexists(os.path.join(p, d)) and not os.path.isdir(os.path.join(p, d)) for d in DOCS) and os.path.realpath(p) != real:
                visit(f"{at}/{name}" if at else name, found[at][1])

    visit("", None)
    return found


def state(dir, format):
    """Returns what zarr-python reads of a node in a group of a format. It opens members in the format of the group."""
    if format == 2 and os.path.isfile(os.path.join(dir, "zarr.json")) and any(os.path.isfile(os.path.join(dir, d)) for d in (".zarray", ".zgroup")):
        return opened(dir, zarr_format=2)
    return opened(dir)


def opened(dir, **more):
    for d in DOCS:
        p = os.path.join(dir, d)
        if os.path.lexists(p) and not os.path.isfile(p) and not os.path.isdir(p):  # it would block
            return None
    with tempfile.TemporaryDirectory() as tmp:  # zarr-python changes some names
        p = os.path.join(tmp, "n")
        os.symlink(dir, p)
        try:
            n = zarr.open(p, mode="r", use_consolidated=False, **more)
            if isinstance(n, zarr.Group):
                return ("group", n.metadata.zarr_format, json.dumps(dict(n.attrs), sort_keys=True))
            v = np.asarray(n[...])
            v = v.astype(v.dtype.newbyteorder("<"))
            return ("array", n.metadata.zarr_format, json.dumps(dict(n.attrs), sort_keys=True), str(v.dtype), n.shape, hashlib.sha256(np.ascontiguousarray(v).tobytes()).hexdigest())
        except Exception:
            return tensored(p, **more)


def tensored(p, zarr_format=None):
    """Returns what TensorStore reads of an array."""
    driver = "zarr3" if zarr_format != 2 and os.path.isfile(os.path.join(p, "zarr.json")) else "zarr"
    if tensorstore is None:
        return None
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": p}}
    try:
        fields = [None]
        if driver == "zarr":
            dtype = json.load(open(os.path.join(p, ".zarray")))["dtype"]
            fields = [f[0] for f in dtype] if isinstance(dtype, list) else fields
        hash, said = hashlib.sha256(), []
        for f in fields:
            t = tensorstore.open({**spec, **({"field": f} if f else {})}, open=True, read=True).result()
            hash.update(np.ascontiguousarray(t.read().result()).tobytes())
            said.append((f, t.dtype.name, t.shape))
        return ("array", 3 if driver == "zarr3" else 2, "TensorStore", str(said), hash.hexdigest())
    except Exception:
        return None


def foreign(known):
    """Reports whether zarr-python does not read all nodes."""
    return any(n is None or n[2] == "TensorStore" for n in known.values())


def variables(dir):
    """Returns the variables that xarray opens at each group."""
    found = {}
    for at, n in reachable(dir).items():
        if n is None or n[0] != "group":
            continue
        try:
            with tempfile.TemporaryDirectory() as tmp:
                p = os.path.join(tmp, "n")
                os.symlink(os.path.join(dir, at), p)
                with xr.open_zarr(p, consolidated=False, chunks=None, decode_times=False) as ds:
                    found[at] = {str(k): (v.dims, str(v.dtype), np.asarray(v.values).tobytes()) for k, v in ds.variables.items()}
        except Exception:
            found[at] = None
    return found


def nodes(top):
    """Returns the relative paths of all directories with a document, also those that no group leads to, and of all other files of groups."""
    found = set()
    for dir, dirs, files in os.walk(top):
        rel = os.path.relpath(dir, top)
        if any(d in files for d in DOCS):
            found.add("" if rel == "." else rel)
    return found


def consolidated(top):
    """Reports whether a group of a tree has consolidated metadata."""
    for dir, _, files in os.walk(top, followlinks=False):
        if ".zmetadata" in files:
            return True
        p = os.path.join(dir, "zarr.json")
        if os.path.isfile(p) and "consolidated_metadata" in open(p, errors="replace").read():
            return True
    return False


def strays(top, known):
    """Returns the entries of groups that are neither nodes nor documents."""
    found = set()
    for at, n in known.items():
        if n is None or n[0] != "group":
            continue
        dir = os.path.join(top, at) if at else top
        for name in os.listdir(dir):
            rel = f"{at}/{name}" if at else name
            if rel in known or name in DOCS + (".zattrs", ".zmetadata", ".DS_Store", "Thumbs.db", "desktop.ini"):
                continue
            if os.path.isdir(os.path.join(dir, name)) and not any(files for _, _, files in os.walk(os.path.join(dir, name))):
                continue  # stores have no empty directories
            found.add(rel)
    return found


def escaped(name):
    """Returns the forms in which messages print a name."""
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
    def one(c, quote):
        if c in short:
            return short[c]
        if "\udc80" <= c <= "\udcff":
            return "\\x%02x" % (ord(c) - 0xDC00)
        if quote and c in '"\\':
            return "\\" + c
        if unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp") or quote and c != " " and unicodedata.category(c) == "Zs":
            return "\\u%04x" % ord(c) if ord(c) < 0x10000 else "\\U%08x" % ord(c)
        return c
    plain, quoted = "".join(one(c, False) for c in name), "".join(one(c, True) for c in name)
    def utf16(s):
        return "".join(c if ord(c) < 0x10000 or unicodedata.category(c) not in ("Cf", "Co", "Cn") else "\\u%04x\\u%04x" % (0xD800 + ((ord(c) - 0x10000) >> 10), 0xDC00 + ((ord(c) - 0x10000) & 0x3FF)) for c in s)
    return {name, plain, quoted, quoted.replace("\\", "\\\\"), plain.replace("\\u00", "\\x"), quoted.replace("\\u00", "\\x"), "".join(one(c, False) for c in utf16(name)), ascii(name)[1:-1],
            "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in name)}


def named(rel, text):
    """Reports whether a message names an entry or a directory above it."""
    parts = rel.split("/")
    if "and " in text and " more" in text:
        return True
    return any(e and e in text for i in range(len(parts)) for e in escaped("/".join(parts[: i + 1]))) or any(e and len(e) > 3 and e in text for e in escaped(parts[-1]))


class Judge:
    def __init__(self, zargo, seed, work):
        self.zargo, self.seed, self.work, self.bad = zargo, seed, work, []
        self.user = {}
        r = random.Random(seed)
        self.src = os.path.join(work, "src")
        self.tree = Tree(r, self.src)
        self.format = self.tree.format

    def say(self, what):
        self.bad.append(f"seed {self.seed}: {what}")

    def run(self, *args):
        p = subprocess.run([self.zargo, *args], capture_output=True, cwd=self.work, timeout=120, **self.user)
        out, err = p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")
        if "panic" in err or p.returncode < 0 or p.returncode == 2:
            self.say(f"{args} ends with {p.returncode}: {err[:300]}")
        for c in out + err:
            if unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") and c not in "\n\t":
                self.say(f"{args} prints {c!r}")
                break
        return p.returncode, out, err

    def judge(self):
        for at in self.tree.closed:
            if os.path.isdir(at):
                os.chmod(at, 0)
        if self.tree.closed and os.geteuid() == 0:  # root may read everything
            self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            os.chown(self.work, NOBODY, NOBODY)
        want = reachable(self.src)
        odd = {at for at in nodes(self.src) if at not in want and not any(n is not None and n[0] == "array" and at.startswith(p + "/") for p, n in want.items())}
        loose = strays(self.src, want)
        closed = {os.path.relpath(p, self.src) for p in self.tree.closed}
        if not consolidated(self.src):  # otherwise it lists the consolidated view
            self.list(want)
        copied = self.copy(want, odd | loose)
        self.validate(want, odd | loose, copied)
        self.change("consolidate", want, closed)
        if self.format == 2:
            self.change("migrate", want, closed)

    def list(self, want):
        code, out, err = self.run("ls", "-r", "--json", "src")
        if code != 0:
            if not err.strip():
                self.say("ls fails without a message")
            return
        got = {n["path"] for n in json.loads(out)}
        for at in sorted(set(want) - {""} - got):
            self.say(f"ls lacks {at!r}: {want[at]}, {err[:200]!r}")
        for at in sorted(got - set(want)):
            self.say(f"ls has {at!r}, which is not below a group")

    def copy(self, want, rest):
        code, out, err = self.run("copy", "src", "dst")
        if code != 0:
            if not err.strip():
                self.say("copy fails without a message")
            return False
        got = reachable(os.path.join(self.work, "dst"))
        for at, n in want.items():
            if got.get(at) != n and not named(at, err):
                self.say(f"copy: {at!r} is {got.get(at)}, not {n}, and no message names it: {err[:300]!r}")
        for at in rest:
            if at not in got and not named(at, err):
                self.say(f"copy: {at!r} is left out, and no message names it: {err[:300]!r}")
        if not any(n is None for n in want.values()):
            a, b = variables(self.src), variables(os.path.join(self.work, "dst"))
            if a != b and not err.strip():
                self.say(f"copy: xarray sees {a} and {b}")
        code, out, err = self.run("diff", "--json", "src", "dst")
        if code == 5 and any(n is None for n in want.values()):
            return True  # the source has a corrupt chunk
        if code not in (0, 14):
            self.say(f"copy succeeds, and diff fails with {code}: {err[:300]!r}")
            return True
        r = json.loads(out)
        if self.seed % 4 == 0:
            self.zip(r, err)
        only = {n["path"] for n in r["nodes"] if n.get("only")}
        if code == 14 and any(not n.get("only") or n["path"] in want for n in r["nodes"]):
            self.say(f"the copy differs: {r['nodes']}")
        for at in rest:
            if at in only or any(k["key"] == at or at.startswith(k["key"] + "/") or k["key"].startswith(at + "/") for k in r.get("not_compared", [])) or named(at, err):
                continue
            self.say(f"diff says nothing of {at!r}: {code} {err[:300]!r}")
        return True

    def zip(self, want, said):
        """Copies the tree into a zip archive too, and compares it."""
        code, out, err = self.run("copy", "src", "dst.zip|zip:")
        if code != 0:
            self.say(f"copy to a zip archive fails with {code}: {err[:300]!r}")
            return
        code, out, err = self.run("diff", "--json", "src", "dst.zip|zip:")
        if code not in (0, 14):
            self.say(f"diff with a zip archive fails with {code}: {err[:300]!r}")
            return
        got = json.loads(out)
        if got["nodes"] != want["nodes"] or got["nodes_compared"] != want["nodes_compared"]:
            self.say(f"a zip archive differs: {got['nodes']} and {want['nodes']}")

    def validate(self, want, rest, copied):
        code, out, err = self.run("validate", "--json", "--data", "src")
        try:
            r = json.loads(out)
        except ValueError:
            self.say(f"validate: {code}: {err[:200]!r}")
            return
        text = out + err + "\n".join(f"{f.get('path', '')}\n{f.get('key', '')}" for f in r["findings"])
        for at in rest:
            if not named(at, text):
                self.say(f"validate says nothing of {at!r}")
        for at, n in want.items():
            if n is None and not named(at, text):
                self.say(f"validate says nothing of {at!r}, which zarr-python does not open")
        if not copied and code == 0 and not any(f["severity"] != "note" for f in r["findings"]):
            self.say(f"copy fails, and validate finds nothing: {out[:300]}")

    def change(self, what, want, closed):
        """Runs a command that changes a tree, on a copy of it."""
        at = os.path.join(self.work, what)
        for p in self.tree.closed:
            os.chmod(p, 0o755)
        shutil.copytree(self.src, at, symlinks=True, ignore=lambda d, names: [n for n in names if os.path.lexists(os.path.join(d, n)) and not os.path.islink(os.path.join(d, n)) and not os.path.isfile(os.path.join(d, n)) and not os.path.isdir(os.path.join(d, n))])
        for p in self.tree.closed:
            os.chmod(p, 0)
            os.chmod(os.path.join(at, os.path.relpath(p, self.src)), 0)
        if self.user:
            for dir, dirs, files in os.walk(self.work):
                for n in dirs + files:
                    os.lchown(os.path.join(dir, n), NOBODY, NOBODY)
        code, out, err = self.run(what, what)
        if code != 0:
            if not err.strip():
                self.say(f"{what} fails without a message")
            return
        got = reachable(at)
        for p, n in want.items():
            if n is None:
                continue
            m = got.get(p)
            if m is None and n[2] == "TensorStore" and "numcodecs." in open(os.path.join(at, p, "zarr.json")).read():
                continue  # TensorStore has these codecs in v2 only
            if what == "migrate" and m is not None:
                n, m = n[:1] + n[2:], m[:1] + m[2:]
                if n[0] == "array":
                    n, m = (n[0],) + n[2:], (m[0],) + m[2:]
            if m != n and not named(p, err):
                self.say(f"{what}: {p!r} was {n}, is {m}, and no message names it: {err[:300]!r}")
        if what == "consolidate" and not foreign(want):
            g = zarr.open_group(at, mode="r", use_consolidated=True)
            try:
                listed = {k for k, _ in g.members(max_depth=None)}
            except Exception as e:
                self.say(f"consolidate: zarr-python: {e!r}")
                return
            for p in set(want) - {""} - listed:
                if not named(p, err):
                    self.say(f"consolidate: zarr-python's consolidated group lacks {p!r}: {err[:200]!r}")


def late(*_):
    raise TimeoutError("the tree took too long")


def main(zargo, count, seed):
    bad = 0
    signal.signal(signal.SIGALRM, late)
    for i in range(count):
        work = tempfile.mkdtemp(prefix="trees-")
        os.chmod(work, 0o755)
        signal.alarm(180)
        try:
            j = Judge(zargo, seed + i, work)
            j.judge()
            for line in j.bad:
                print(line.encode("utf-8", "backslashreplace").decode(), flush=True)
                bad += 1
        except Exception as e:
            print(f"seed {seed + i}: {type(e).__name__}: {e}".encode("utf-8", "backslashreplace").decode(), flush=True)
        finally:
            signal.alarm(0)
            subprocess.run(["chmod", "-R", "u+rwx", work], stderr=subprocess.DEVNULL)
            if not os.environ.get("KEEP"):
                shutil.rmtree(work, ignore_errors=True)
            else:
                print(work)
    print(f"{count} trees", flush=True)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
