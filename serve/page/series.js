// The series of a point: a plot and a table.
import { number, positions, short, values as rounds } from "./ticks.js";

// The maximum number of rows of the table.
const most = 1000;

// table returns the rows of CSV as a table. The first row has the names.
export function table(rows, title) {
  const out = document.createElement("table"), more = rows.length - 1 - most;
  const line = (section, cells, scope) => {
    const tr = section.insertRow();
    cells.forEach((text, k) => {
      const cell = document.createElement(scope === "col" || k === 0 ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = scope;
      cell.textContent = text;
      tr.append(cell);
    });
  };
  out.createCaption().textContent = title + (more > 0 ? `. The first ${most} rows; the command prints ${more} more.` : "");
  line(out.createTHead(), rows[0], "col");
  const body = out.createTBody();
  for (const row of rows.slice(1, most + 1)) line(body, row, "row");
  return out;
}

function svg(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

const width = 760, height = 270, left = 80, right = 24, top = 16, bottom = 40;

const numberOf = (text) => (text === "" ? NaN : text === "true" ? 1 : text === "false" ? 0 : Number(text));

// plot returns a plot of values, or null if fewer than two values or none of them are numbers. mark is the
// position of the cursor.
export function plot(labels, values, mark, title, axis, units) {
  const numbers = values.map(numberOf), finite = numbers.filter(Number.isFinite);
  if (finite.length === 0 || values.length < 2) return null;
  let low = finite.reduce((a, b) => Math.min(a, b)), high = finite.reduce((a, b) => Math.max(a, b));
  const name = `${title}: ${values.length} values, ${finite.length} of them numbers from ${low} to ${high}`;
  if (low === high) [low, high] = [low - (Math.abs(low) / 1000 || 0.5), high + (Math.abs(high) / 1000 || 0.5)];
  const x = (i) => left + ((width - left - right) * (i + 0.5)) / values.length;
  const y = (v) => top + (height - top - bottom) * (1 - (v - low) / (high - low));
  const out = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name });
  for (const v of rounds(low, high, 5)) {
    out.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }));
    out.append(svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, number(v)));
  }
  for (const i of positions(values.length, 7)) {
    out.append(svg("text", { x: x(i), y: height - bottom + 18, "text-anchor": "middle" }, short(labels[i])));
  }
  out.append(svg("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, axis));
  out.append(svg("text", { x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, units));
  out.append(svg("line", { class: "mark", x1: x(mark), x2: x(mark), y1: top, y2: height - bottom }));
  out.append(svg("path", { class: "line", d: path(numbers, x, y) }));
  if (values.length <= 100) {
    numbers.forEach((v, i) => Number.isFinite(v) && out.append(svg("circle", { cx: x(i), cy: y(v), r: 2.5 })));
  }
  return out;
}

// path returns the line through the numbers, with gaps. Of many numbers it has the smallest and the
// largest of each half of a pixel.
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
