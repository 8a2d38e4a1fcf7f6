// The map on its canvas, with its color bar, its axes and its cursor.
import { short } from "./labels.js";

const element = (id) => document.getElementById(id);

// show draws a PNG picture, one pixel of the canvas for each of the picture, and enlarges the canvas by
// an integer if there is space.
export async function show(blob) {
  const image = await createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const canvas = element("map");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(image, 0, 0);
  const space = element("drawn").clientWidth - 260;
  const times = Math.max(1, Math.floor(Math.min(space / image.width, 480 / image.height)));
  canvas.style.width = `${image.width * times}px`;
  canvas.style.height = `${image.height * times}px`;
  image.close();
  bar(palette(new DataView(await blob.arrayBuffer())));
}

// palette returns the colors of a PNG picture. The first 16 are those of missing values and texts.
function palette(png) {
  for (let at = 8; at + 12 <= png.byteLength; at += 12 + png.getUint32(at)) {
    if (png.getUint32(at + 4) !== 0x504c5445) continue; // PLTE
    const colors = [];
    for (let i = 48; i < png.getUint32(at); i += 3) {
      colors.push(`rgb(${png.getUint8(at + 8 + i)} ${png.getUint8(at + 9 + i)} ${png.getUint8(at + 10 + i)})`);
    }
    return colors;
  }
  return [];
}

function bar(colors) {
  const canvas = element("colors"), to = canvas.getContext("2d");
  canvas.height = Math.max(colors.length, 1);
  colors.forEach((color, i) => {
    to.fillStyle = color;
    to.fillRect(0, colors.length - 1 - i, 1, 1);
  });
}

// limits shows the values of the first and the last color, as "LOW:HIGH", or "" if all are missing.
export function limits(range, units) {
  const ends = range.split(":").map(Number), texts = range ? [ends[1], (ends[0] + ends[1]) / 2, ends[0]].map((x) => String(Number(x.toPrecision(6)))) : ["no values"];
  const box = element("limits");
  box.replaceChildren(...texts.map(span));
  if (units) box.firstChild.textContent += " " + units;
  element("scale").setAttribute("aria-label", range ? `Colors from ${texts[2]} to ${texts[0]} ${units}` : "Colors: no values");
}

// axes writes the labels of the rows and the columns beside the map. current reports whether the map
// is still the one that is shown.
export async function axes(rows, cols, up, current) {
  element("y-title").textContent = rows.name;
  element("x-title").textContent = cols.name;
  const canvas = element("map");
  const [y, x] = await Promise.all([ticks(rows, canvas.clientHeight, 45), ticks(cols, canvas.clientWidth, 90)]);
  if (!current()) return;
  place("y-ticks", y, (t) => ["top", (up ? 1 - t.at : t.at) * canvas.clientHeight]);
  place("x-ticks", x, (t) => ["left", t.at * canvas.clientWidth]);
  element("y-ticks").style.width = `${Math.max(...y.map((t) => t.label.length)) * 0.55 + 1}rem`;
}

function place(id, all, where) {
  element(id).replaceChildren(...all.map((t) => {
    const s = span(t.label), [side, at] = where(t);
    s.style[side] = `${at}px`;
    return s;
  }));
}

function span(text) {
  const s = document.createElement("span");
  s.textContent = text;
  return s;
}

// ticks returns labels at round positions, at least space pixels apart, with their places from 0 to 1.
async function ticks(labels, length, space) {
  const n = labels.length, out = [];
  let step = 1;
  for (let k = 0; (length / n) * step < space && step < n; k++) step = [1, 2, 5][k % 3] * 10 ** Math.floor(k / 3);
  for (let i = 0; i < n; i += step) out.push(i);
  return Promise.all(out.map(async (i) => ({ at: (i + 0.5) / n, label: short(await labels.at(i)) })));
}

// cross moves the lines of the cursor to a place from 0 to 1.
export function cross(y, x) {
  const canvas = element("map"), [across, down] = element("cross").children;
  across.style.top = `${Math.floor(y * canvas.clientHeight)}px`;
  down.style.left = `${Math.floor(x * canvas.clientWidth)}px`;
}
