// The page draws the variables of the datasets of a server.
import { address, isel, json, get, text } from "./api.js";
import { begin, build, choices, update } from "./controls.js";
import { parse } from "./csv.js";
import { Labels } from "./labels.js";
import { axes, cross, limits, show } from "./map.js";
import { plot, table } from "./series.js";
import { fit, read, write } from "./state.js";
import * as command from "./command.js";

const element = (id) => document.getElementById(id);

let state = read(location.hash);
let dataset = null; // { id, variables: Map of names to variables }
let variable = null; // of the dataset
let labels = []; // of its dimensions

// The errors of the parts of the page. They are shown until the part succeeds.
const errors = new Map();
function fail(part, failure) {
  if (failure) errors.set(part, failure.message ?? failure);
  else errors.delete(part);
  element("error").textContent = [...errors.values()].join(" ");
}

const say = (text) => { element("status").textContent = text; };

// Task runs the last of several works that are begun for one part of the page, after a pause, and cancels
// those before. It does not repeat a work with the same key.
class Task {
  constructor(part, pause) {
    Object.assign(this, { part, pause, key: null, stop: new AbortController() });
  }

  start(key, work) {
    if (key === this.key) return;
    this.cancel();
    this.key = key;
    const { signal } = (this.stop = new AbortController());
    setTimeout(async () => {
      try {
        if (signal.aborted) return;
        await work(signal);
        if (!signal.aborted) fail(this.part, null);
      } catch (e) {
        if (!signal.aborted) fail(this.part, e);
      }
    }, this.pause);
  }

  cancel() {
    this.key = null;
    this.stop.abort();
    fail(this.part, null);
  }
}

const opening = new Task("dataset", 0), drawing = new Task("map", 80), plotting = new Task("series", 80), placing = new Task("place", 150);

// open makes the page show the state of its URL.
function open() {
  state = read(location.hash);
  opening.start(`${state.dataset}`, async (signal) => {
    const ids = await json("datasets", signal);
    if (signal.aborted) return;
    choices("dataset", ["", ...ids], ["Choose a dataset", ...ids]);
    if (state.dataset === null && ids.length === 1) state.dataset = ids[0];
    element("dataset").value = state.dataset ?? "";
    dataset = null;
    if (state.dataset !== null) dataset = await load(state.dataset, signal);
    if (!signal.aborted) choose(state.variable);
  });
  if (dataset !== null && dataset.id === state.dataset) choose(state.variable);
}

async function load(id, signal) {
  const d = await json(address(id, "dict"), signal);
  const variables = new Map(), coords = new Map(Object.entries(d.coords));
  const times = new Set([...coords].filter(([, c]) => /^datetime64/.test(c.dtype)).map(([name]) => name));
  for (const all of [d.data_vars, d.coords]) {
    for (const [name, v] of Object.entries(all)) variables.set(name, { name, times, ...v });
  }
  return { id, variables, coords };
}

// choose shows a variable of the dataset, or only the list of variables.
function choose(name) {
  state.variable = name;
  variable = dataset?.variables.get(name) ?? null;
  list();
  element("view").hidden = !variable;
  element("hint").hidden = !!variable;
  element("hint").textContent = dataset ? "Choose a variable." : "Choose a dataset.";
  document.title = [variable?.name, dataset?.id, "zargo"].filter(Boolean).join(" · ");
  fail("variable", dataset && name !== null && !variable ? `The dataset has no variable ${name}.` : null);
  fail("labels", null);
  for (const task of [drawing, plotting, placing]) task.cancel();
  say("");
  if (!variable) return;
  erase();
  for (const id of ["plot", "table", "series-place", "place", "x-title", "y-title"]) element(id).replaceChildren();
  labels = variable.dims.map((dim, k) => new Labels(dataset.id, dim, variable.shape[k], coordinate(dim), (text) => fail("labels", text)));
  fit(state, variable);
  if (variable.dims.length < 2) state.plot = true;
  describe();
  build(state, variable, labels, move);
  render();
}

function coordinate(dim) {
  const c = dataset.coords.get(dim);
  return c && c.dims.length === 1 && c.dims[0] === dim ? c : null;
}

function list() {
  element("variables").replaceChildren(...[...(dataset?.variables.values() ?? [])].map((v) => {
    const li = document.createElement("li"), button = document.createElement("button"), small = document.createElement("small");
    button.type = "button";
    button.textContent = v.name || "(the array)";
    small.textContent = [v.dims.join(" × "), v.dtype].filter(Boolean).join(", ");
    if (v === variable) button.setAttribute("aria-current", "true");
    button.append(small);
    button.addEventListener("click", () => {
      history.pushState(null, "", write({ ...state, variable: v.name, at: [], rows: null, cols: null, along: null, plot: false, range: "" }));
      open();
      [...element("variables").querySelectorAll("button")].find((b) => b.hasAttribute("aria-current"))?.focus();
    });
    li.append(button);
    return li;
  }));
}

function describe() {
  const { attrs, dims, shape, dtype, name } = variable;
  element("title").textContent = typeof attrs.long_name === "string" ? `${name}: ${attrs.long_name}` : name;
  element("form").textContent = [dims.map((dim, k) => `${dim} ${shape[k]}`).join(" × "), dtype].filter(Boolean).join(", ");
  element("attributes").replaceChildren(...Object.entries(attrs).flatMap(([key, value]) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = key;
    dd.textContent = typeof value === "string" ? value : JSON.stringify(value);
    return [dt, dd];
  }));
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

function move(k, at) {
  state.at[k] = Math.min(Math.max(at, 0), variable.shape[k] - 1);
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

let up = false; // the first row is at the bottom

function draw() {
  const s = { ...state, at: [...state.at] }, v = variable, [rows, cols] = [labels[s.rows], labels[s.cols]];
  const chosen = isel(v, s.at, [s.rows, s.cols]);
  const key = JSON.stringify([chosen, s.rows, s.cols, s.palette, s.range, s.size, s.method, s.first]);
  if (key === drawing.key) return;
  say("Drawing…");
  element("plane").setAttribute("aria-busy", "true");
  element("map").setAttribute("aria-label", `Map of ${v.name}. Rows: ${rows.name}. Columns: ${cols.name}.`);
  drawing.start(key, async (signal) => {
    const how = { palette: s.palette, range: s.range, size: s.size, method: s.method, "first-row": await firstRow(s, rows) };
    const request = (method) => {
      how.method = method;
      const set = Object.entries(how).filter(([, value]) => value !== "");
      return get(address(dataset.id, "slice", [["var", v.name], ["f", "png"], ["axes", "no"], ...chosen, ...set]), signal,
        async (r) => [await r.blob(), r.headers.get("Zargo-Range") ?? ""]);
    };
    let blob, range;
    try {
      try {
        [blob, range] = await request(s.method === "auto" ? "box" : s.method);
      } catch (e) {
        if (e.status !== 413 || s.method !== "auto") throw e;
        [blob, range] = await request("nearest");
      }
      if (!signal.aborted) await show(blob);
    } catch (e) {
      if (!signal.aborted) erase();
      throw e;
    }
    if (signal.aborted) return;
    up = how["first-row"] === "bottom";
    limits(range, typeof v.attrs.units === "string" ? v.attrs.units : "");
    element("keep").dataset.range = range;
    element("picture-command").textContent = command.picture(s, v, how);
    await axes(rows, cols, up, () => !signal.aborted);
    if (signal.aborted) return;
    mark();
    element("plane").removeAttribute("aria-busy");
    say(`Drawn: ${rows.length} × ${cols.length} elements` + (s.method === "auto" && how.method === "nearest" ? ", one for each pixel, because all would exceed the limits of the server." : "."));
  });
}

// erase removes the picture of another selection.
function erase() {
  element("map").width = element("map").height = 1;
  element("map").style.width = element("map").style.height = "16rem";
  for (const id of ["limits", "x-ticks", "y-ticks"]) element(id).replaceChildren();
  element("picture-command").textContent = "";
  element("plane").removeAttribute("aria-busy");
  say("");
}

// mark moves the lines of the cursor.
function mark() {
  const at = (k) => (state.at[k] + 0.5) / variable.shape[k];
  cross(up ? 1 - at(state.rows) : at(state.rows), at(state.cols));
}

// point shows the labels and the value of the cursor.
function point() {
  const s = { ...state, at: [...state.at] }, v = variable;
  mark();
  placing.start(JSON.stringify(s.at), async (signal) => {
    const rows = parse(await text(address(dataset.id, "point", [["var", v.name], ["f", "csv"], ...isel(v, s.at)]), signal));
    const names = await Promise.all([s.rows, s.cols].map(async (k) => `${v.dims[k]} ${await labels[k].at(s.at[k])}`));
    const units = typeof v.attrs.units === "string" ? ` ${v.attrs.units}` : "";
    if (!signal.aborted) element("place").textContent = `${names.join(", ")}: ${rows[1][0] === "" ? "missing" : rows[1][0] + units}`;
  });
}

// series plots the values along a dimension at the cursor.
function series() {
  const s = { ...state, at: [...state.at] }, v = variable, own = labels;
  const chosen = isel(v, s.at, [s.along]);
  element("plot").setAttribute("aria-busy", "true");
  const key = JSON.stringify([chosen, s.along]);
  const position = s.along === null || s.along === s.rows || s.along === s.cols ? null : s.at[s.along];
  const drawn = (rows, title) => {
    const picture = plot(rows.slice(1).map((row) => row[0]), rows.slice(1).map((row) => row.at(-1)), position, title);
    element("plot").replaceChildren(...(picture && rows.length > 2 ? [picture] : []));
    element("plot").removeAttribute("aria-busy");
  };
  if (key === plotting.key && plotting.drawn) {
    plotting.drawn(drawn);
    return;
  }
  plotting.drawn = null;
  plotting.start(key, async (signal) => {
    const rows = parse(await text(address(dataset.id, "point", [["var", v.name], ["f", "csv"], ...chosen]), signal));
    const others = v.dims.map((_, k) => k).filter((k) => k !== s.along);
    const places = await Promise.all(others.map(async (k) => `${v.dims[k]} ${await own[k].at(s.at[k])}`));
    if (signal.aborted) return;
    const title = `${v.name}${places.length ? " at " : ""}${places.join(", ")}`;
    element("series-place").textContent = title;
    element("table").replaceChildren(table(rows, title));
    element("table-title").textContent = `Table of ${rows.length - 1} values`;
    plotting.drawn = (draw) => draw(rows, title);
    drawn(rows, title);
  });
}

function plotPoint() {
  state.plot = true;
  render();
}

function begins() {
  begin(change);
  element("dataset").addEventListener("change", (e) => {
    history.pushState(null, "", write({ ...state, dataset: e.target.value || null, variable: null }));
    open();
  });
  element("keep").addEventListener("click", () => change("range", element("keep").dataset.range ?? ""));
  const map = element("map");
  map.addEventListener("click", (e) => {
    const y = Math.floor((e.offsetY / map.clientHeight) * variable.shape[state.rows]);
    state.at[state.rows] = Math.min(Math.max(up ? variable.shape[state.rows] - 1 - y : y, 0), variable.shape[state.rows] - 1);
    move(state.cols, Math.floor((e.offsetX / map.clientWidth) * variable.shape[state.cols]));
    plotPoint();
  });
  map.addEventListener("keydown", (e) => {
    const by = { ArrowUp: [up ? 1 : -1, 0], ArrowDown: [up ? -1 : 1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Enter: [0, 0], " ": [0, 0] }[e.key];
    if (!by || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    const step = (k, pixels) => Math.max(1, Math.round(variable.shape[k] / pixels)) * (e.shiftKey ? 10 : 1);
    if (by[0]) move(state.rows, state.at[state.rows] + by[0] * step(state.rows, map.height));
    if (by[1]) move(state.cols, state.at[state.cols] + by[1] * step(state.cols, map.width));
    if (!by[0] && !by[1]) plotPoint();
  });
  for (const of of ["picture", "cat"]) {
    element(`${of}-copy`).addEventListener("click", async () => {
      const code = element(`${of}-command`);
      try {
        await navigator.clipboard.writeText(code.textContent);
        say("The command is copied.");
      } catch {
        getSelection().selectAllChildren(code);
        say("The command is selected: copy it with the keyboard.");
      }
    });
  }
  document.querySelector(".skip").addEventListener("click", (e) => {
    e.preventDefault();
    (element("view").hidden || element("drawn").hidden ? element("dataset") : map).focus();
  });
  addEventListener("hashchange", open);
  addEventListener("popstate", open);
  open();
}

begins();
