"""judge.py: numcodecs, asked over a pipe. A question is a line of JSON and then as many bytes as its "size" says; so is an
answer. {"do": "encode", "config": {"id": ...}, "dtype": "<i4", "size": n} views the bytes as an array and encodes it,
"decode" decodes the bytes and gives the array's. With the dtype "|O" the array's bytes are a list in JSON. An answer that has
"error" has no bytes."""

import json
import sys

import numpy as np
from numcodecs.compat import ensure_bytes
from numcodecs.registry import get_codec


def array(told, data):
    if told == "|O":
        items = json.loads(data)
        made = np.empty(len(items), dtype=object)
        made[:] = items
        return made
    return np.frombuffer(data, dtype=np.dtype(told))


def contents(told, made):
    if told == "|O":
        return json.dumps(np.asarray(made).tolist()).encode()
    return ensure_bytes(made)


def answer(question, data):
    config = question["config"]
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
            out, head = answer(question, data), {}
        except Exception as why:  # whatever it says, it is an answer
            out, head = b"", {"error": "%s: %s" % (type(why).__name__, why)}
        head["size"] = len(out)
        said.write(json.dumps(head).encode() + b"\n")
        said.write(out)
        said.flush()


main()
