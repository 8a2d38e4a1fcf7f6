// views.mjs: reads views over HTTP with zarrita. It is run by node --eval in the folder of zarrita, so that the import finds it.
//
// Each line of standard input is a view in JSON: url, format and names. For each it prints one line in JSON: by name, the values of the
// array as float64, in base64.

import readline from "node:readline";
import * as zarr from "zarrita";

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { url, format, names } = JSON.parse(line);
  const root = zarr.root(new zarr.FetchStore(url));
  const open = format === 3 ? zarr.open.v3 : zarr.open.v2;
  const out = {};
  for (const name of names) {
    const { data } = await zarr.get(await open(root.resolve("/" + name), { kind: "array" }));
    out[name] = Buffer.from(Float64Array.from(data, Number).buffer).toString("base64");
  }
  console.log(JSON.stringify(out));
}
