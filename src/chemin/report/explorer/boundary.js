// Where does a decision change sign in the plane? Marching squares over a grid whose columns are computed once.

import { svg } from "./drawing.js";

const CELLS = 56;
const SIDE = 360;
const EDGE = 0.08; // of the range of the rows, around them

export class Boundary {
  constructor(machine, labels) {
    const rows = machine.learned;
    const ranges = [0, 1].map((j) => {
      const values = rows.map((row) => row[j]);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const edge = EDGE * (high - low || 1);
      return [low - edge, high + edge];
    });
    const at = (j, k) => ranges[j][0] + (k / CELLS) * (ranges[j][1] - ranges[j][0]);
    const grid = [];
    for (let b = 0; b <= CELLS; b++) for (let a = 0; a <= CELLS; a++) grid.push(Float64Array.of(at(0, a), at(1, b)));
    this.machine = machine;
    this.labels = labels;
    this.columns = machine.termsOf(grid);
    this.line = svg("path", { class: "border" });
    const place = (row) => [0, 1].map((j) => ((row[j] - ranges[j][0]) / (ranges[j][1] - ranges[j][0])) * SIDE);
    const points = rows.map((row, i) => {
      const [x, y] = place(row);
      const side = labels[i] * machine.sign > 0 ? "plus" : "minus";
      return side === "plus"
        ? svg("circle", { class: side, cx: x, cy: SIDE - y, r: 3 })
        : svg("rect", { class: side, x: x - 2.6, y: SIDE - y - 2.6, width: 5.2, height: 5.2 });
    });
    this.element = svg("svg", { class: "plane", viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" }, [
      ...points,
      this.line,
    ]);
  }

  set(coef, place) {
    const value = this.machine.decisions(this.columns, coef, place);
    const unit = SIDE / CELLS;
    const parts = [];
    for (let b = 0; b < CELLS; b++) {
      for (let a = 0; a < CELLS; a++) {
        const corner = [
          [a, b],
          [a + 1, b],
          [a + 1, b + 1],
          [a, b + 1],
        ];
        const crossings = [];
        for (let k = 0; k < 4; k++) {
          const [p, q] = [corner[k], corner[(k + 1) % 4]];
          const u = value[p[1] * (CELLS + 1) + p[0]];
          const v = value[q[1] * (CELLS + 1) + q[0]];
          if (u > 0 === v > 0) continue;
          const share = u / (u - v);
          crossings.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
        }
        for (let k = 0; k + 1 < crossings.length; k += 2) {
          const [p, q] = [crossings[k], crossings[k + 1]].map(([x, y]) => `${(x * unit).toFixed(1)},${(SIDE - y * unit).toFixed(1)}`);
          parts.push(`M${p}L${q}`);
        }
      }
    }
    this.line.setAttribute("d", parts.join(""));
  }

  sentence(words, coef, place) {
    const { machine, labels } = this;
    const found = machine.decisions(machine.used, coef, place);
    const right = found.filter((value, i) => value * machine.sign * labels[i] > 0).length;
    return words.say("{right} of the {all} rows learned from are on the side of their class.", { right, all: found.length });
  }
}
