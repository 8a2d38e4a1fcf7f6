// The state of the page, which the fragment of its URL contains, so that a link reopens what is seen.

export const palettes = ["viridis", "magma", "inferno", "plasma", "cividis", "coolwarm", "gray"];
export const sizes = ["256", "512", "1024", "2048"];
export const methods = ["auto", "box", "nearest"];
export const orders = ["auto", "top", "bottom"];

// read returns the state of a fragment. Values that the page does not know are replaced by defaults.
export function read(hash) {
  const q = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name) => (/^\d{1,9}$/.test(q.get(name) ?? "") ? Number(q.get(name)) : null);
  const one = (name, all, usual) => (all.includes(q.get(name)) ? q.get(name) : usual);
  const at = q.get("at") ?? "";
  return {
    dataset: q.get("dataset"), variable: q.get("var"),
    at: /^\d{1,15}(,\d{1,15})*$/.test(at) ? at.split(",").map(Number) : [],
    rows: number("rows"), cols: number("cols"), along: number("along"), plot: q.get("plot") === "1",
    palette: one("palette", palettes, "viridis"), range: q.get("range") ?? "", size: one("size", sizes, "512"),
    method: one("method", methods, "auto"), first: one("first", orders, "auto"),
  };
}

// write returns the fragment of a state.
export function write(s) {
  const q = new URLSearchParams();
  const set = (name, value, usual) => { if (value !== null && value !== usual) q.set(name, value); };
  set("dataset", s.dataset);
  set("var", s.variable);
  if (s.variable === null) return "#" + q;
  set("at", s.at.join(","), "");
  for (const name of ["rows", "cols", "along"]) set(name, s[name]);
  if (s.plot) q.set("plot", "1");
  set("palette", s.palette, "viridis");
  set("range", s.range, "");
  set("size", s.size, "512");
  set("method", s.method, "auto");
  set("first", s.first, "auto");
  return "#" + q;
}

// fit completes the state for a variable: a position along each dimension, the two that are drawn, and
// that of the series, which is time by default.
export function fit(s, v) {
  const n = v.dims.length;
  s.at = v.shape.map((length, k) => Math.min(s.at[k] ?? (k >= n - 2 ? length >> 1 : 0), Math.max(length - 1, 0)));
  if (!(s.rows < s.cols && s.cols < n)) [s.rows, s.cols] = [n - 2, n - 1];
  if (n < 2) s.rows = s.cols = null;
  if (s.along === null || s.along >= n) {
    const time = v.dims.findIndex((dim) => v.times.has(dim));
    s.along = Math.max(time, v.shape.findIndex((length, k) => time < 0 && length > 1), n > 0 ? 0 : -1);
  }
  if (n === 0) s.along = null;
}
