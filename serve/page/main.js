// The page draws the variables of the datasets of a server.
import { address, get, isel, json, text } from "./api.js";
import { begin, build, choices, update } from "./controls.js";
import { parse } from "./csv.js";
import { Labels } from "./labels.js";
import { axes, cross, erase, limits, show } from "./map.js";
import { plot, table } from "./series.js";
import { fit, read, write } from "./state.js";
import { Task, fail, say } from "./status.js";
import { describe, list, load } from "./variables.js";
import * as command from "./command.js";

const element = (id) => document.getElementById(id);

let state, dataset = null;
let variable = null; // of the dataset
let labels = []; // of its dimensions
let up = false; // the first row of the map is at the bottom

const opening = new Task("dataset", 0), drawing = new Task("map", 80), plotting = new Task("series", 80), placing = new Task("place", 150);

// open makes the page show the state of its URL.
function open() {
  state = read(location.hash);
  if (dataset?.id !== state.dataset) dataset = null;
  choose();
  if (dataset) return;
  opening.cancel();
  opening.start("", async (signal) => {
    const ids = await json("datasets", signal);
    if (signal.aborted) return;
    choices("dataset", ["", ...ids], ["Choose a dataset", ...ids]);
    if (state.dataset === null && ids.length === 1) state.dataset = ids[0];
    element("dataset").value = state.dataset ?? "";
    if (state.dataset === null) return;
    const loaded = await load(state.dataset, signal);
    if (signal.aborted) return;
    dataset = loaded;
    choose();
  });
}

// choose shows the variable of the state, or only the list of variables.
function choose() {
  variable = dataset?.variables.get(state.variable) ?? null;
  list([...(dataset?.variables.values() ?? [])], variable, (name) => {
    history.pushState(null, "", write({ ...state, variable: name, at: [], rows: null, cols: null, along: null, plot: false, range: "" }));
    open();
  });
  element("view").hidden = !variable;
  element("hint").hidden = !!variable;
  element("hint").textContent = dataset ? "Choose a variable." : "Choose a dataset.";
  document.title = [variable?.name, dataset?.id, "zargo"].filter(Boolean).join(" · ");
  for (const task of [drawing, plotting, placing]) task.cancel();
  fail("labels", null);
  fail("variable", dataset && state.variable !== null && !variable ? `The dataset has no variable ${state.variable}.` : null);
  say("");
  erase();
  for (const id of ["plot", "table", "series-place", "picture-command"]) element(id).replaceChildren();
  if (!variable) return;
  labels = variable.dims.map((dim, k) => new Labels(dataset.id, dim, variable.shape[k], dataset.index(dim)));
  up = false;
  fit(state, variable);
  if (variable.dims.length < 2) state.plot = true;
  describe(variable);
  build(state, variable, labels, move);
  render();
}

// change sets a field of the state.
function change(field, value) {
  state[field] = value;
  if (field === "rows" || field === "cols") {
    if (state.rows >= state.cols) state[field === "rows" ? "cols" : "rows"] = field === "rows" ? value + 1 : value - 1;
    build(state, variable, labels, move);
  }
  render();
}

// move sets the position along a dimension.
function move(k, at) {
  state.at[k] = Math.min(Math.max(at, 0), Math.max(variable.shape[k] - 1, 0));
  render();
}

// render shows the state. Requests are sent only for what has changed.
function render() {
  history.replaceState(null, "", write(state));
  update(state, variable, labels);
  if (variable.dims.length >= 2) {
    draw();
    point();
  }
  element("cat-command").textContent = command.cat(state, variable);
  element("table-box").hidden = !state.plot;
  if (state.plot) series();
}

// firstRow returns where the first row is drawn: at the bottom if the rows are increasing latitudes, as
// in the pictures of the command.
async function firstRow(s, rows) {
  if (s.first !== "auto") return s.first;
  if (!rows.latitude || rows.length < 2) return "top";
  const [a, b] = await Promise.all([rows.at(0), rows.at(rows.length - 1)]);
  return Number(b) > Number(a) ? "bottom" : "top";
}

// draw draws the map.
function draw() {
  const s = { ...state, at: [...state.at] }, v = variable, [rows, cols] = [labels[s.rows], labels[s.cols]];
  const chosen = isel(v, s.at, [s.rows, s.cols]);
  const key = JSON.stringify([chosen, s.rows, s.cols, s.palette, s.range, s.size, s.method, s.first]);
  if (key === drawing.key) return;
  say("Drawing…");
  element("plane").setAttribute("aria-busy", "true");
  element("picture-command").textContent = "";
  element("map").setAttribute("aria-label", `Map of ${v.name}. Rows: ${rows.name}. Columns: ${cols.name}.`);
  drawing.start(key, async (signal) => {
    const how = { palette: s.palette, range: s.range, size: s.size, "first-row": await firstRow(s, rows) };
    const request = (method) => {
      how.method = method;
      const set = Object.entries(how).filter(([, value]) => value !== "");
      return get(address(dataset.id, "slice", [["var", v.name], ["f", "png"], ["axes", "no"], ...chosen, ...set]), signal,
        async (r) => ({ blob: await r.blob(), range: r.headers.get("Zargo-Range") ?? "" }));
    };
    try {
      const drawn = await request(s.method === "auto" ? "box" : s.method).catch((e) => {
        if (e.status !== 413 || s.method !== "auto") throw e;
        return request("nearest");
      });
      if (!signal.aborted) await show(drawn.blob);
      if (signal.aborted) return;
      up = how["first-row"] === "bottom";
      limits(drawn.range, v.units);
      element("keep").dataset.range = drawn.range;
      mark();
      await axes(rows, cols, up, signal);
      if (signal.aborted) return;
      element("picture-command").textContent = command.picture(s, v, how);
      say(`Drawn: ${rows.length} × ${cols.length} elements` + (how.method === "nearest" && s.method === "auto" ? ", one for each pixel, because all would exceed the limits of the server." : "."));
    } catch (e) {
      if (signal.aborted) return;
      erase();
      say("");
      throw e;
    } finally {
      if (!signal.aborted) element("plane").removeAttribute("aria-busy");
    }
  });
}

// mark moves the lines of the cursor.
function mark() {
  const at = (k) => (state.at[k] + 0.5) / variable.shape[k];
  cross(up ? 1 - at(state.rows) : at(state.rows), at(state.cols));
}

// places returns the labels of dimensions as a text.
async function places(s, v, own, dims) {
  return (await Promise.all(dims.map(async (k) => `${v.dims[k]} ${await own[k].at(s.at[k])}`))).join(", ");
}

// point shows the labels and the value of the cursor.
function point() {
  const s = { ...state, at: [...state.at] }, v = variable, own = labels;
  mark();
  placing.start(JSON.stringify([s.at, s.rows, s.cols]), async (signal) => {
    const rows = parse(await text(address(dataset.id, "point", [["var", v.name], ["f", "csv"], ...isel(v, s.at)]), signal));
    const place = await places(s, v, own, [s.rows, s.cols]);
    if (!signal.aborted) element("place").textContent = `${place}: ${rows[1][0] === "" ? "missing" : `${rows[1][0]} ${v.units}`.trim()}`;
  });
}

// series plots the values along a dimension at the cursor. If only the cursor has moved along it, the plot
// is drawn with another mark.
function series() {
  const s = { ...state, at: [...state.at] }, v = variable, own = labels;
  const chosen = isel(v, s.at, [s.along]), key = JSON.stringify([chosen, s.along]);
  if (key === plotting.key) {
    plotting.again?.(s.at[s.along]);
    return;
  }
  element("plot").setAttribute("aria-busy", "true");
  plotting.again = null;
  plotting.start(key, async (signal) => {
    try {
      const rows = parse(await text(address(dataset.id, "point", [["var", v.name], ["f", "csv"], ...chosen]), signal));
      const place = await places(s, v, own, v.dims.map((_, k) => k).filter((k) => k !== s.along));
      if (signal.aborted) return;
      const title = place ? `${v.name} at ${place}` : v.name;
      element("series-place").textContent = title;
      element("table-title").textContent = `Table of ${rows.length - 1} values`;
      element("table").replaceChildren(table(rows, title));
      const at = [rows.slice(1).map((row) => row[0]), rows.slice(1).map((row) => row.at(-1))];
      plotting.again = (mark) => {
        const drawn = plot(...at, mark, title, own[s.along]?.name ?? "", [v.name, v.units && `(${v.units})`].join(" "));
        element("plot").replaceChildren(...(drawn ? [drawn] : []));
      };
      plotting.again(state.at[s.along]);
    } catch (e) {
      if (!signal.aborted) for (const id of ["plot", "table", "series-place"]) element(id).replaceChildren();
      throw e;
    } finally {
      if (!signal.aborted) element("plot").removeAttribute("aria-busy");
    }
  });
}

function plotPoint() {
  state.plot = true;
  render();
}

// click moves the cursor to a place of the map and plots.
function click(e) {
  const { shape } = variable, map = e.currentTarget, y = Math.floor((e.offsetY / map.clientHeight) * shape[state.rows]);
  state.at[state.cols] = Math.min(Math.floor((e.offsetX / map.clientWidth) * shape[state.cols]), shape[state.cols] - 1);
  state.at[state.rows] = Math.min(Math.max(up ? shape[state.rows] - 1 - y : y, 0), shape[state.rows] - 1);
  plotPoint();
}

// press moves the cursor, by a pixel of the map or more, or plots.
function press(e) {
  const by = { ArrowUp: [up ? 1 : -1, 0], ArrowDown: [up ? -1 : 1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Enter: [0, 0], " ": [0, 0] }[e.key];
  if (!by || e.ctrlKey || e.altKey || e.metaKey) return;
  e.preventDefault();
  const step = (k) => Math.max(1, Math.round(variable.shape[k] / Number(state.size))) * (e.shiftKey ? 10 : 1);
  if (by[0]) move(state.rows, state.at[state.rows] + by[0] * step(state.rows));
  if (by[1]) move(state.cols, state.at[state.cols] + by[1] * step(state.cols));
  if (!by[0] && !by[1]) plotPoint();
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    say("The command is copied.");
  } catch {
    getSelection().selectAllChildren(code);
    say("The command is selected: copy it with the keyboard.");
  }
}

begin(change);
element("dataset").addEventListener("change", (e) => {
  history.pushState(null, "", write({ ...state, dataset: e.target.value || null, variable: null }));
  open();
});
element("keep").addEventListener("click", () => change("range", element("keep").dataset.range ?? ""));
element("map").addEventListener("click", click);
element("map").addEventListener("keydown", press);
for (const of of ["picture", "cat"]) element(`${of}-copy`).addEventListener("click", () => copy(element(`${of}-command`)));
document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault(); // the fragment is the state
  element(element("view").hidden || element("drawn").hidden ? "dataset" : "map").focus();
});
addEventListener("hashchange", open);
open();
