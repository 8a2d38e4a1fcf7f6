// Labels of the dimensions of a dataset.
import { address, text } from "./api.js";
import { parse } from "./csv.js";
import { fail } from "./status.js";

// Labels of longer coordinates are requested one by one.
const most = 100_000;

// Labels are the texts of the coordinate of a dimension. A dimension without one has positions.
export class Labels {
  constructor(id, dim, length, coordinate) {
    Object.assign(this, { id, dim, length, coordinate });
    this.units = typeof coordinate?.attrs.units === "string" ? coordinate.attrs.units : "";
    this.name = this.units ? `${dim} (${this.units})` : dim;
  }

  // at returns the label of a position. If the coordinate cannot be read, it is the position.
  async at(i) {
    if (!this.coordinate) return String(i);
    try {
      if (this.length > most) return (await this.rows([["isel", `${this.dim}=${i}`]]))[0][0];
      this.all ??= this.rows([]);
      return (await this.all)[i][0];
    } catch (e) {
      fail("labels", `The labels of ${this.dim} cannot be read. ${e.message}`);
      return String(i);
    }
  }

  async rows(query) {
    return parse(await text(address(this.id, "slice", [["var", this.dim], ["f", "csv"], ...query]))).slice(1);
  }

  // latitude reports whether the coordinate has degrees of latitude (CF conventions, section 4.1).
  get latitude() {
    if (/^degrees?_?(north|N)$/.test(this.units)) return true;
    return ["", "degrees"].includes(this.units) && ["lat", "latitude"].includes(this.dim);
  }
}
