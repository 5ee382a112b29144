// What else does one see of a machine? The plane of two variables, the pixels of images, or predictions beside the truth.

import { Boundary } from "./boundary.js";
import { html, svg } from "./drawing.js";
import { unpack } from "./numbers.js";
import { PixelMap } from "./pixels.js";

// Return the picture that suits a machine, null if none does: an element, set(coef, place), and tell(coef, place) in words.
export function pictureOf(machine, page, names, spread) {
  const { words, shape, task } = page;
  if (!machine.columns) return null;
  if (task === "classes" && names.length === 2) {
    const boundary = new Boundary(machine, unpack(machine.carried.label));
    return framed(boundary, words, words.say("The plane of {a} and {b}: where the decision changes", { a: names[0], b: names[1] }));
  }
  if (shape && machine.columns.variables === shape[0] * shape[1]) {
    const [negative, positive] = machine.carried.sides;
    return framed(new Pixels(machine, shape, spread), words, words.say("Pixels: blue speaks for {positive}, orange for {negative}", { positive, negative }));
  }
  if (task === "numbers") return framed(new Scatter(machine), words, words.say("Rows learned from: truth to the right, prediction upwards"));
  return null;
}

function framed(picture, words, caption) {
  const told = html("p");
  const element = html("figure", {}, [html("figcaption", {}, [caption]), picture.element, told]);
  return {
    element,
    set: (coef, place) => picture.set(coef, place),
    tell: (coef, place) => (told.textContent = picture.sentence(words, coef, place)),
  };
}

// The coefficients of the variables, which are pixels.
class Pixels {
  constructor(machine, shape, spread) {
    this.machine = machine;
    this.spread = spread;
    this.map = new PixelMap(shape);
    this.element = this.map.element;
  }

  set(coef) {
    const sizes = new Float64Array(this.map.squares.length);
    coef.forEach((b, k) => {
      const j = this.machine.coef.ids[k];
      if (j < sizes.length) sizes[j] = this.machine.sign * b * this.spread[k];
    });
    this.map.set(sizes, sizes.reduce((top, one) => Math.max(top, Math.abs(one)), 0));
  }

  sentence(words, coef) {
    const { machine, map } = this;
    const pixels = Array.from(machine.coef.ids.keys()).filter((k) => machine.coef.ids[k] < map.squares.length);
    const plus = pixels.filter((k) => machine.sign * coef[k] > 0).length;
    const minus = pixels.filter((k) => machine.sign * coef[k] < 0).length;
    const [negative, positive] = machine.carried.sides;
    return words.say("{plus} pixels speak for {positive}, {minus} for {negative}.", { plus, positive, minus, negative });
  }
}

// The rows that were learned from, predictions over truths.
class Scatter {
  constructor(machine) {
    this.machine = machine;
    this.truth = unpack(machine.carried.kink[0]);
    this.low = Math.min(...this.truth);
    this.high = Math.max(...this.truth);
    this.dots = svg("path", { class: "dots" });
    this.element = svg("svg", { class: "plane", viewBox: "0 0 360 360", "aria-hidden": "true" }, [
      svg("line", { class: "grid", x1: 0, y1: 360, x2: 360, y2: 0 }),
      this.dots,
    ]);
  }

  set(coef, place) {
    const found = this.machine.decisions(this.machine.used, coef, place);
    const dots = Array.from(found, (value, i) => `M${this.at(this.truth[i])},${(360 - this.at(value)).toFixed(1)}h0`);
    this.dots.setAttribute("d", dots.join(""));
  }

  sentence(words, coef, place) {
    const found = this.machine.decisions(this.machine.used, coef, place);
    const off = found.reduce((sum, value, i) => sum + Math.abs(value - this.truth[i]), 0) / found.length;
    return words.say("Predictions of the {all} rows learned from are off by {error} on average.", { all: found.length, error: words.number(off) });
  }

  at(value) {
    return Number(Math.min(Math.max((360 * (value - this.low)) / (this.high - this.low || 1), 2), 358).toFixed(1));
  }
}
