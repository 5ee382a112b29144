// Which columns does a machine see? The variables, each divided by its unit, then every kernel around every centre.

import { kernelOf } from "./kernels.js";
import { unpack } from "./numbers.js";

export class Columns {
  // `rows` are those that the machine has learned from; couples are centred on some of them.
  constructor(carried, rows) {
    this.unit = carried.unit ? unpack(carried.unit) : null;
    this.variables = this.unit ? this.unit.length : 0;
    this.kernels = (carried.kernels ?? []).map(kernelOf);
    if (!this.kernels.length) return;
    this.scale = carried.scale ? unpack(carried.scale) : null;
    this.kernelUnit = carried.kernel_unit ? unpack(carried.kernel_unit) : null;
    this.centers = Array.from(unpack(carried.centers), (i) => this.seen(rows[i]));
  }

  // Return a row as the kernels see it.
  seen(row) {
    return this.kernelUnit ? row.map((value, j) => value / this.kernelUnit[j]) : row;
  }

  // Return one column at some rows, the rows as the kernels see them beside.
  column(j, rows, seen) {
    const values = new Float64Array(rows.length);
    if (j < this.variables) {
      for (let i = 0; i < rows.length; i++) values[i] = rows[i][j] / this.unit[j];
      return values;
    }
    const place = j - this.variables;
    const kernel = this.kernels[Math.floor(place / this.centers.length)];
    const center = this.centers[place % this.centers.length];
    const scale = this.scale ? this.scale[place] : 1;
    if (scale === Infinity) return values; // it repeats another one
    for (let i = 0; i < rows.length; i++) values[i] = kernel(seen[i], center) / scale;
    return values;
  }

  // Return some columns at some rows.
  at(rows, which) {
    const seen = this.kernels.length ? rows.map((row) => this.seen(row)) : rows;
    return Array.from(which, (j) => this.column(j, rows, seen));
  }
}
