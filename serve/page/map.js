// The map on its canvas, with its color bar, its axes and its cursor.
import { number, positions, short } from "./ticks.js";

const element = (id) => document.getElementById(id);

// show draws a PNG picture, one pixel of the canvas for each of the picture. If there is space, the page
// enlarges the canvas by an integer.
export async function show(blob) {
  const image = await createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const canvas = element("map");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(image, 0, 0);
  image.close();
  const space = element("drawn").clientWidth - 260;
  const times = Math.max(1, Math.floor(Math.min(space / canvas.width, 640 / canvas.height)));
  canvas.style.width = `${canvas.width * times}px`;
  canvas.style.height = `${canvas.height * times}px`;
  bar(palette(new DataView(await blob.arrayBuffer())));
}

// erase removes the picture and its labels.
export function erase() {
  const canvas = element("map");
  canvas.width = canvas.height = 1;
  canvas.style.width = canvas.style.height = "16rem";
  for (const id of ["limits", "x-ticks", "y-ticks", "x-title", "y-title", "place"]) element(id).replaceChildren();
}

// palette returns the colors of a PNG picture. The first 16 are those of missing values and texts.
function palette(png) {
  for (let at = 8; at + 12 <= png.byteLength; at += 12 + png.getUint32(at)) {
    if (png.getUint32(at + 4) !== 0x504c5445) continue; // PLTE
    return Array.from({ length: png.getUint32(at) / 3 - 16 }, (_, i) => [0, 1, 2].map((k) => png.getUint8(at + 56 + 3 * i + k)));
  }
  return [];
}

function bar(colors) {
  const canvas = element("colors"), to = canvas.getContext("2d");
  canvas.height = Math.max(colors.length, 1);
  colors.forEach((color, i) => {
    to.fillStyle = `rgb(${color})`;
    to.fillRect(0, colors.length - 1 - i, 1, 1);
  });
}

// limits shows the values of the first and the last color, "LOW:HIGH", or "" if there are no values.
export function limits(range, units) {
  const [low, high] = range.split(":").map(Number);
  const texts = range ? [high, low / 2 + high / 2, low].map(number) : ["no values"];
  element("scale").setAttribute("aria-label", range ? `Colors from ${texts[2]} to ${texts[0]} ${units}` : "Colors: no values");
  element("limits").replaceChildren(...texts.map((text, i) => span(i === 0 && range ? `${text} ${units}` : text)));
}

// axes shows the labels of the rows and the columns beside the map, unless the signal is aborted.
export async function axes(rows, cols, up, signal) {
  const { clientHeight: height, clientWidth: width } = element("map");
  const ticks = (labels, most) => Promise.all(positions(labels.length, most).map(async (i) => [(i + 0.5) / labels.length, short(await labels.at(i))]));
  const [y, x] = await Promise.all([ticks(rows, height / 30), ticks(cols, width / 80)]);
  if (signal.aborted) return;
  element("y-title").textContent = rows.name;
  element("x-title").textContent = cols.name;
  place("y-ticks", "top", y.map(([at, label]) => [(up ? 1 - at : at) * height, label]));
  place("x-ticks", "left", x.map(([at, label]) => [at * width, label]));
  element("y-ticks").style.width = `${Math.max(...y.map(([, label]) => label.length)) * 0.5 + 1}rem`;
}

function place(id, side, ticks) {
  element(id).replaceChildren(...ticks.map(([at, label]) => {
    const s = span(label);
    s.style[side] = `${at}px`;
    return s;
  }));
}

function span(text) {
  const s = document.createElement("span");
  s.textContent = text;
  return s;
}

// cross moves the lines of the cursor to a place from 0 to 1.
export function cross(y, x) {
  const canvas = element("map"), [across, down] = element("cross").children;
  across.style.top = `${Math.floor(y * canvas.clientHeight)}px`;
  down.style.left = `${Math.floor(x * canvas.clientWidth)}px`;
}
