"""judge.py: numcodecs and TensorStore, asked over a pipe. A question is a line of JSON and then as many bytes as its "size" says;
so is an answer. {"do": "encode", "config": {"id": ...}, "dtype": "<i4", "size": n} views the bytes as an array and encodes it,
"decode" decodes the bytes and gives the array's. "library" is "tensorstore" or left out, and "split" how c-blosc is to split
blocks. With the dtype "|O" the array's bytes are a list in JSON, with {"b64": ...} for bytes and {"float": "NaN"} for what JSON
lacks. An answer that has "error" has no bytes; others say in "seconds" how long it took. "versions" asks for those of the libraries, in JSON."""

import base64
import json
import os
import sys
import time
import zlib

import numcodecs
import numpy as np
from numcodecs.compat import ensure_bytes
from numcodecs.registry import get_codec


def special(members):
    """What JSON lacks is an object of one member."""
    for name, make in ("b64", base64.b64decode), ("float", float):
        if list(members) == [name]:
            return make(members[name])
    return members


def plain(made):
    if isinstance(made, np.ndarray):
        return plain(made.tolist())
    if isinstance(made, (list, tuple)):
        return [plain(one) for one in made]
    if isinstance(made, dict):
        return {name: plain(one) for name, one in made.items()}
    if isinstance(made, bytes):
        return {"b64": base64.b64encode(made).decode()}
    if isinstance(made, float) and not np.isfinite(made):
        return {"float": {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(made)]}
    return made


def array(told, data):
    if told == "|O":
        items = json.loads(data, object_hook=special)
        made = np.empty(len(items), dtype=object)
        made[:] = items
        return made
    return np.frombuffer(data, dtype=np.dtype(told))


def contents(told, made):
    if told == "|O":
        return json.dumps(plain(made)).encode()
    return ensure_bytes(made)


def versions():
    return json.dumps({"numcodecs": numcodecs.__version__, "zlib": zlib.ZLIB_RUNTIME_VERSION}).encode()


def answer(question, data):
    if question["do"] == "versions":
        return versions()
    config = question["config"]
    os.environ["BLOSC_SPLITMODE"] = question.get("split", "FORWARD_COMPAT")  # c-blosc keeps the last one; this is its default
    if question.get("library") == "tensorstore":
        import tensor

        return (tensor.encode if question["do"] == "encode" else tensor.decode)(config, question["dtype"], data)
    if config["id"] == "lzma" and question["do"] == "decode" and config.get("format") != 3:
        config["filters"] = None  # numcodecs hands them to Python, which refuses them where the stream says them itself
    codec = get_codec(config)
    told = question["dtype"]
    if question["do"] == "encode":
        return ensure_bytes(codec.encode(array(told, data)))
    return contents(told, codec.decode(data))


def main():
    asked, said = sys.stdin.buffer, sys.stdout.buffer
    while line := asked.readline():
        question = json.loads(line)
        data = asked.read(question["size"])
        try:
            begun = time.perf_counter()
            out = answer(question, data)
            head = {"seconds": time.perf_counter() - begun}
        except Exception as why:  # whatever it says, it is an answer
            out, head = b"", {"error": "%s: %s" % (type(why).__name__, why)}
        head["size"] = len(out)
        said.write(json.dumps(head).encode() + b"\n")
        said.write(out)
        said.flush()


main()
