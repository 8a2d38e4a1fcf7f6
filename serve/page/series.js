// The series of a point: a plot and a table.
import { short } from "./labels.js";

// The maximum number of rows of the table.
const most = 1000;

// table returns the rows of CSV as a table. The first row has the names.
export function table(rows, title) {
  const out = document.createElement("table");
  const line = (kind, cells, head) => {
    const tr = document.createElement("tr");
    cells.forEach((text, k) => {
      const cell = document.createElement(head || k === 0 ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = head ? "col" : "row";
      cell.textContent = text;
      tr.append(cell);
    });
    kind.append(tr);
  };
  const more = rows.length - 1 - most;
  out.createCaption().textContent = title + (more > 0 ? `. The first ${most} rows; the command prints the other ${more}.` : "");
  line(out.createTHead(), rows[0], true);
  const body = out.createTBody();
  for (const row of rows.slice(1, most + 1)) line(body, row, false);
  return out;
}

function svg(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

const width = 720, height = 260, left = 70, right = 20, top = 14, bottom = 34;

// plot returns a plot of values by position, or null if none is a number. mark is the position of the map.
export function plot(labels, values, mark, title) {
  const numbers = values.map((text) => (text === "" ? NaN : Number(text)));
  const finite = numbers.filter(Number.isFinite);
  if (finite.length === 0) return null;
  let low = finite.reduce((a, b) => Math.min(a, b)), high = finite.reduce((a, b) => Math.max(a, b));
  const name = `${title}: ${values.length} values, ${finite.length} of them numbers from ${low} to ${high}`;
  if (low === high) [low, high] = [low - (Math.abs(low) / 1000 || 0.5), high + (Math.abs(high) / 1000 || 0.5)];
  const x = (i) => left + ((width - left - right) * (i + 0.5)) / values.length;
  const y = (v) => top + (height - top - bottom) * (1 - (v - low) / (high - low));
  const out = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name });
  for (let k = 0; k <= 4; k++) {
    const v = low + ((high - low) * k) / 4;
    out.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }));
    out.append(svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, String(Number(v.toPrecision(6)))));
  }
  const every = Math.max(1, Math.ceil(values.length / 6));
  for (let i = 0; i < values.length; i += every) {
    out.append(svg("text", { x: x(i), y: height - 12, "text-anchor": "middle" }, short(labels[i])));
  }
  if (mark !== null) out.append(svg("line", { class: "mark", x1: x(mark), x2: x(mark), y1: top, y2: height - bottom }));
  out.append(svg("path", { class: "line", d: path(numbers, x, y) }));
  if (values.length <= 100) {
    numbers.forEach((v, i) => Number.isFinite(v) && out.append(svg("circle", { cx: x(i), cy: y(v), r: 2.5 })));
  }
  return out;
}

// path returns the line through the numbers, with gaps. Of many numbers it has the smallest and the
// largest of each pixel.
function path(numbers, x, y) {
  const of = Math.max(1, Math.ceil(numbers.length / (2 * width)));
  let out = "", pen = "M";
  for (let i = 0; i < numbers.length; i += of) {
    const some = numbers.slice(i, i + of).filter(Number.isFinite);
    if (some.length === 0) pen = "M";
    for (const v of some.length > 2 ? [Math.min(...some), Math.max(...some)] : some) {
      out += `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
      pen = "L";
    }
  }
  return out;
}
