// The variables of a dataset: their list, and the description of one.
import { address, json } from "./api.js";

const element = (id) => document.getElementById(id);

// load returns the dataset with an ID: its variables and its coordinates, by name.
export async function load(id, signal) {
  const d = await json(address(id, "dict"), signal);
  const coords = new Map(Object.entries(d.coords)), variables = new Map();
  const times = new Set([...coords].filter(([, c]) => /^datetime64/.test(c.dtype)).map(([name]) => name));
  for (const [name, v] of [...Object.entries(d.data_vars), ...coords]) {
    const units = typeof v.attrs.units === "string" ? v.attrs.units : "";
    variables.set(name, { ...v, name, times, units });
  }
  const index = (dim) => (coords.get(dim)?.dims.join() === dim ? coords.get(dim) : null);
  return { id, variables, index };
}

// list shows the variables as buttons, which call choose with the name of one.
export function list(variables, current, choose) {
  const focused = element("variables").contains(document.activeElement);
  element("variables").replaceChildren(...variables.map((v) => {
    const li = document.createElement("li"), button = document.createElement("button"), small = document.createElement("small");
    button.type = "button";
    button.textContent = v.name;
    small.textContent = [v.dims.join(" × "), v.dtype].filter(Boolean).join(", ");
    if (v === current) button.setAttribute("aria-current", "true");
    button.append(small);
    button.addEventListener("click", () => choose(v.name));
    li.append(button);
    return li;
  }));
  if (focused) element("variables").querySelector("[aria-current]")?.focus();
}

// describe shows the name, the form and the attributes of a variable.
export function describe({ attrs, dims, shape, dtype, name }) {
  element("title").textContent = typeof attrs.long_name === "string" ? `${name}: ${attrs.long_name}` : name;
  element("form").textContent = [dims.map((dim, k) => `${dim} ${shape[k]}`).join(" × "), dtype].filter(Boolean).join(", ");
  element("attributes").replaceChildren(...Object.entries(attrs).flatMap(([key, value]) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = key;
    dd.textContent = typeof value === "string" ? value : JSON.stringify(value);
    return [dt, dd];
  }));
}
