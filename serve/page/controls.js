// The controls of a variable: they show the state, and change it.
import { methods, orders, palettes, sizes } from "./state.js";

const element = (id) => document.getElementById(id);

// choices fills a select with texts by value.
export function choices(id, values, texts = values) {
  element(id).replaceChildren(...values.map((value, k) => {
    const o = document.createElement("option");
    o.value = value;
    o.textContent = texts[k];
    return o;
  }));
}

// begin fills the controls that are those of all variables. change is called with the name of a field of
// the state and its value.
export function begin(change) {
  choices("palette", palettes);
  choices("size", sizes);
  choices("first", orders, ["automatic", "at the top", "at the bottom"]);
  choices("method", methods, ["automatic", "mean of all elements", "nearest element"]);
  for (const id of ["palette", "size", "first", "method", "range"]) {
    element(id).addEventListener("change", (e) => change(id, e.target.value.trim()));
  }
  for (const id of ["rows", "cols", "along"]) {
    element(id).addEventListener("change", (e) => change(id, Number(e.target.value)));
  }
  element("options").addEventListener("submit", (e) => e.preventDefault());
}

// build makes the controls of a variable: a slider for each dimension that is not drawn. move is called
// with the dimension and the position.
export function build(s, v, labels, move) {
  const n = v.dims.length, all = v.dims.map((_, k) => k);
  choices("rows", all.slice(0, -1), v.dims);
  choices("cols", all.slice(1), v.dims.slice(1));
  choices("along", all, v.dims);
  element("drawn").hidden = n < 2;
  element("along").parentElement.hidden = n < 2;
  element("sliders").hidden = n < 3;
  element("sliders").replaceChildren(...all.filter((k) => k !== s.rows && k !== s.cols && n > 2).map((k) => {
    const label = document.createElement("label"), name = document.createElement("span");
    const slider = document.createElement("input"), text = document.createElement("output");
    name.textContent = labels[k].name;
    Object.assign(slider, { type: "range", min: 0, max: Math.max(v.shape[k] - 1, 0), step: 1, value: s.at[k] });
    slider.dataset.k = k;
    slider.setAttribute("aria-label", labels[k].name);
    slider.addEventListener("input", () => move(k, Number(slider.value)));
    label.append(name, slider, text);
    return label;
  }));
}

// update shows the state in the controls.
export function update(s, v, labels) {
  for (const id of ["palette", "size", "first", "method", "range", "rows", "cols", "along"]) {
    if (document.activeElement !== element(id) || id !== "range") element(id).value = s[id] ?? "";
  }
  for (const slider of element("sliders").querySelectorAll("input")) {
    const k = Number(slider.dataset.k), at = s.at[k];
    slider.value = at;
    labels[k].at(at).then((label) => {
      if (Number(slider.value) !== at) return;
      slider.setAttribute("aria-valuetext", label);
      slider.nextElementSibling.textContent = `${label}  (${at + 1} of ${v.shape[k]})`;
    });
  }
}
