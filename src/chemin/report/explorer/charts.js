// How do coefficients and the cross-validated error change with λ₁? Two charts over one axis, and a line at the present λ₁.

import { Plane, SIZE, axes, corners, html, svg } from "./drawing.js";
import { unpack } from "./numbers.js";

const WIDE = 220; // places at which a line is drawn

export class Charts {
  // `shown` are the places of the terms that are drawn, `reach` the least and largest of what is drawn of them.
  constructor(machine, words, shown, spread, reach, task) {
    this.machine = machine;
    this.words = words;
    this.plane = new Plane(machine.last, machine.first, ...reach);
    this.choice = ["l1", "error", "spread"].map((name) => unpack(machine.carried.choice[name]));
    this.lines = [];
    this.elements = [
      this.chart(words.say("Coefficients along the path"), this.coefficients(shown, spread)),
      this.chart(words.say(task === "classes" ? "Cross-validated error" : "Cross-validated loss"), this.errors()),
    ];
  }

  // Call `act` with the λ₁ that is pointed at.
  onPoint(act) {
    for (const figure of this.elements) {
      const picture = figure.querySelector("svg");
      picture.addEventListener("pointerdown", (event) => {
        const box = picture.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * SIZE.width;
        const share = (x - SIZE.left) / (SIZE.width - SIZE.left - SIZE.right);
        if (share >= 0 && share <= 1) act(this.plane.l1(share));
      });
    }
  }

  // Move the line.
  set(l1) {
    const x = this.plane.across(l1);
    for (const line of this.lines) {
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
  }

  // Return the cross-validated error at a λ₁, null where it is not known.
  errorAt(l1) {
    const [places, error] = this.choice;
    const k = Array.prototype.findIndex.call(places, (one) => one <= l1);
    return k < 0 ? null : error[k];
  }

  chart(caption, parts) {
    const line = svg("line", { class: "here", y1: SIZE.top, y2: SIZE.height - SIZE.bottom });
    this.lines.push(line);
    const picture = svg("svg", { class: "curve", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, "aria-hidden": "true" }, [...parts, line]);
    return html("figure", {}, [html("figcaption", {}, [caption]), picture]);
  }

  coefficients(shown, spread) {
    const { words, machine, plane } = this;
    const lines = shown.map(() => []);
    for (let step = 0; step <= WIDE; step++) {
      const l1 = plane.l1(step / WIDE);
      const place = machine.place(l1);
      shown.forEach((k, line) => {
        lines[line].push([plane.across(l1), plane.down(machine.sign * machine.coef.one(k, place) * spread[k])]);
      });
    }
    const zero = plane.down(0);
    return [
      ...axes(plane, "λ₁", words.say("coefficient × spread"), (value) => words.number(value)),
      svg("line", { class: "axis", x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: zero, y2: zero }),
      ...lines.map((points, line) => svg("path", { class: `term term${line % 8}`, d: corners(points) })),
      ...this.marks(plane),
    ];
  }

  errors() {
    const { machine, words } = this;
    const [l1, error, spread] = this.choice;
    const inside = Array.from(l1.keys()).filter((k) => l1[k] >= machine.last && l1[k] <= machine.first);
    const ends = inside.map((k) => error[k] + spread[k]);
    const plane = new Plane(machine.last, machine.first, 0, Math.max(...ends, 1e-9));
    const frame = axes(plane, "λ₁", "", (value) => words.number(value));
    if (!inside.length) return frame;
    const steps = (values) => {
      const points = [];
      inside.forEach((k, i) => {
        if (i) points.push([plane.across(l1[inside[i - 1]]), plane.down(values[k])]);
        points.push([plane.across(l1[k]), plane.down(values[k])]);
      });
      return points;
    };
    const upper = steps(error.map((value, k) => value + spread[k]));
    const lower = steps(error.map((value, k) => value - spread[k]));
    return [
      svg("path", { class: "band", d: `${corners([...upper, ...lower.reverse()])}Z` }),
      ...frame,
      svg("path", { class: "line", d: corners(steps(error)) }),
      ...this.marks(plane),
    ];
  }

  // Where λ₁ was chosen, and the λ₁ that are as good.
  marks(plane) {
    const { chosen, interval } = this.machine.carried;
    const height = SIZE.height - SIZE.bottom;
    const x = plane.across(chosen);
    const parts = [svg("line", { class: "mark", x1: x, x2: x, y1: SIZE.top, y2: height })];
    if (interval && interval[1] > interval[0]) {
      const [left, right] = [plane.across(interval[0]), plane.across(Math.min(interval[1], this.machine.first))];
      parts.unshift(svg("rect", { class: "equal", x: left, width: right - left, y: SIZE.top, height: height - SIZE.top }));
    }
    return parts;
  }
}
