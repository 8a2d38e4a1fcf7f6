// CSV of the server (RFC 4180).

// parse returns the rows of a text.
export function parse(text) {
  const rows = [], cell = /("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/y;
  let row = [];
  while (cell.lastIndex < text.length) {
    const [, value, end] = cell.exec(text) ?? ["", "", "\n"];
    if (cell.lastIndex === 0) throw new Error("malformed CSV");
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
