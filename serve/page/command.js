// Commands that reproduce what the page shows. They read through this server, whose address is not that
// of the source.

// quote returns a word of a POSIX shell.
export function quote(word) {
  return /^[\w./:=@%,+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// place returns the URL of an array.
export function place(id, variable) {
  const escape = (s) => encodeURIComponent(s).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
  return new URL(`datasets/${escape(id)}/zarr/${escape(variable)}`, document.baseURI).href.split("#")[0];
}

// selection returns --isel for a position along each dimension but those of except. Names that an array
// may lack, or that the command cannot parse, are left out.
function selection(v, at, except) {
  const named = v.dims.every((dim) => /^[A-Za-z_][\w.-]*$/.test(dim) && !/^dim_\d+$/.test(dim));
  const items = v.dims.flatMap((dim, k) => {
    if (except.includes(k)) return named ? [] : [":"];
    return [named ? `${dim}=${at[k]}` : String(at[k])];
  });
  return items.every((item) => item === ":") ? [] : ["--isel", items.join(",")];
}

// picture returns the command that draws the map. how are the parameters of the request.
export function picture(s, v, how) {
  const words = ["zargo", "picture", place(s.dataset, v.name), ...selection(v, s.at, [s.rows, s.cols])];
  if (how.palette !== "viridis") words.push("--palette", how.palette);
  if (how.range) words.push("--range=" + how.range);
  if (how.size !== "1024") words.push("--size", how.size);
  if (how.method === "nearest") words.push("--method", how.method);
  words.push("--first-row", how["first-row"], "--no-axes", "-o", "map.png");
  return words.map(quote).join(" ");
}

// cat returns the command that prints the series.
export function cat(s, v) {
  return ["zargo", "cat", place(s.dataset, v.name), ...selection(v, s.at, [s.along]), "--format", "csv", "--labels"].map(quote).join(" ");
}
