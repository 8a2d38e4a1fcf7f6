// Reads arrays from a directory and through a server with zarrita, as tensor.py does with TensorStore. It is run by node --eval in the
// folder of zarrita, so that the imports find it.

import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import * as zarr from "zarrita";

// A directory, with the ranges of HTTP. zarrita's own store ends the process for a range beyond 2^31.
class Directory {
  constructor(path) {
    this.path = path;
  }
  async get(key) {
    try {
      return new Uint8Array(await readFile(this.path + key));
    } catch (why) {
      if (why.code === "ENOENT" || why.code === "ENOTDIR" || why.code === "EISDIR") return undefined;
      throw why;
    }
  }
  async getRange(key, range) {
    const all = await this.get(key);
    if (all === undefined) return undefined;
    const offset = "suffixLength" in range ? all.length - range.suffixLength : range.offset;
    const length = range.suffixLength ?? range.length;
    if (offset < 0 || offset >= all.length) throw new Error("the range is beyond the value");
    return all.slice(offset, offset + length);
  }
}

// zarrita leaves rejections of unknown codecs without a handler.
process.on("unhandledRejection", () => {});

async function read(format, store) {
  try {
    const open = format === 3 ? zarr.open.v3 : zarr.open.v2;
    const { data, shape } = await zarr.get(await open(store, { kind: "array" }));
    const bytes = ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64") : [...data].map(String).join();
    return JSON.stringify([data.constructor.name, shape, bytes]);
  } catch (why) {
    return "refused: " + why.constructor.name;
  }
}

let same = 0, refused = 0;
const others = [];
for (const { path, url, format } of JSON.parse(await text(process.stdin))) {
  const file = await read(format, new Directory(path));
  const web = await read(format, new zarr.FetchStore(url));
  if (file !== web) others.push(path);
  else if (file.startsWith("refused")) refused++;
  else same++;
}
console.log(JSON.stringify({ same, refused, others }));
