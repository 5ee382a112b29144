// How does a reader move on a path? One slider for λ₁; everything beside it follows, and at rest the page proves it.

import { Boundary } from "./boundary.js";
import { BarCell, Plane, SIZE, axes, corners, html, svg } from "./drawing.js";
import { Machine } from "./machine.js";
import { unpack } from "./numbers.js";
import { PixelMap, seenBy, thumbnail } from "./pixels.js";
import { placeAt } from "./series.js";

const STEPS = 2000; // of the slider
const REST = 120; // milliseconds without a move, after which the page proves and speaks
const MOST_LINES = 60; // terms that are drawn and listed, those of the largest coefficients
const WIDE = 220; // places at which a line is drawn

// What is said, in the language of the page.
class Words {
  constructor(language, sentences) {
    this.locale = language;
    this.sentences = sentences;
  }

  say(sentence, values = {}) {
    return (this.sentences[sentence] ?? sentence).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  number(value, digits = 4) {
    if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) {
      return value.toExponential(Math.min(digits - 1, 1)).replace(".", this.locale === "fr" ? "," : ".");
    }
    return value.toLocaleString(this.locale, { maximumSignificantDigits: digits, useGrouping: false });
  }

  percent(share) {
    return `${(100 * share).toLocaleString(this.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}\u202f%`;
  }
}

// One model: a slider, and what follows it.
export class Explorer {
  constructor(element, model, page) {
    this.element = element;
    this.model = model;
    this.page = page;
    this.words = page.words;
    this.learned = page.learned;
    this.body = html("div");
    element.append(...this.choiceOfMachine(), this.body);
    this.open(0);
  }

  choiceOfMachine() {
    if (this.model.machines.length === 1) return [];
    const name = `${this.element.id}-machine`;
    const choice = html("select", { id: name }, [
      ...this.model.machines.map((one, k) => html("option", { value: String(k) }, [one.name])),
    ]);
    choice.addEventListener("change", () => this.open(Number(choice.value)));
    return [html("p", {}, [html("label", { for: name }, [this.words.say("Which machine")]), " ", choice])];
  }

  open(number) {
    const { words } = this;
    const machine = new Machine(this.model.machines[number], this.learned);
    this.machine = machine;
    this.coef = new Float64Array(machine.coef.count);
    this.spread = this.spreads();
    this.shown = this.largest();
    const rest = this.restSentence();
    const plane = new Plane(machine.last, machine.first, ...this.reach());
    this.plane = plane;
    this.choice = ["l1", "error", "spread"].map((name) => unpack(machine.carried.choice[name]));
    this.lines = [];
    this.body.replaceChildren(
      this.slider(),
      this.buttons(),
      (this.told = html("p", { class: "lead" })),
      (this.event = html("p")),
      (this.proof = html("p", { class: "proof" })),
      ...rest,
      this.chart(words.say("Coefficients along the path"), this.coefficients(plane)),
      this.chart(this.measure(), this.errors()),
      ...this.pictures(),
      ...this.choiceOfCase(),
      this.table(),
    );
    this.move(Math.min(Math.max(machine.carried.chosen, machine.last), machine.first));
  }

  // The standard deviation of every term's column over the rows; 1 where the rows are not here.
  spreads() {
    const { used, means } = this.machine;
    if (!used) return new Float64Array(this.machine.coef.count).fill(1);
    return Float64Array.from(used, (column, k) => {
      const sum = column.reduce((total, value) => total + (value - means[k]) ** 2, 0);
      return Math.sqrt(sum / column.length) || 1;
    });
  }

  // The terms that are shown: those that weigh most somewhere on the path, in the order in which they enter.
  largest() {
    const { coef } = this.machine;
    const most = new Float64Array(coef.count);
    for (let k = 0; k < coef.count; k++) {
      for (let at = coef.start[k]; at < coef.start[k + 1]; at++) {
        most[k] = Math.max(most[k], Math.abs(coef.value[at]) * this.spread[k]);
      }
    }
    const entered = (k) => coef.at[coef.start[k]] + (coef.value[coef.start[k]] === 0 ? 1e-9 + coef.at[coef.start[k] + 1] : 0);
    const order = Array.from(most.keys()).sort((a, b) => most[b] - most[a]);
    return order.slice(0, MOST_LINES).sort((a, b) => entered(a) - entered(b) || a - b);
  }

  // The least and the largest of what is drawn of the coefficients.
  reach() {
    const { coef } = this.machine;
    let [low, high] = [0, 0];
    for (const k of this.shown) {
      for (let at = coef.start[k]; at < coef.start[k + 1]; at++) {
        const value = this.machine.sign * coef.value[at] * this.spread[k];
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    this.most = Math.max(-low, high);
    return [low, high];
  }

  termName(k) {
    return this.columnName(this.machine.coef.ids[k]);
  }

  columnName(j) {
    const { columns } = this.machine.carried;
    const count = columns?.unit ? columns.unit.length : 0;
    if (!columns || j < count) return this.model.names[j] ?? `#${j}`;
    const centers = columns.centers.length;
    const place = j - count;
    this.centers ??= new Map();
    if (!this.centers.has(columns)) this.centers.set(columns, unpack(columns.centers));
    const row = this.rowName(this.centers.get(columns)[place % centers]);
    return this.words.say("like {row}, {kernel}", { row, kernel: columns.kernel_names[Math.floor(place / centers)] });
  }

  rowName(i) {
    const name = this.page.rowNames?.[this.machine.places[i]];
    return name === undefined ? this.words.say("a row") : this.words.say("row {name}", { name });
  }

  slider() {
    const name = `${this.element.id}-l1`;
    this.range = html("input", { type: "range", id: name, min: "0", max: String(STEPS), step: "1" });
    this.range.addEventListener("input", () => this.move(this.plane.l1(Number(this.range.value) / STEPS), true));
    return html("p", { class: "slider" }, [
      html("label", { for: name }, [this.words.say("λ₁, the penalty: to the right a shorter model")]),
      this.range,
    ]);
  }

  buttons() {
    const button = (text, act) => {
      const made = html("button", { type: "button" }, [this.words.say(text)]);
      made.addEventListener("click", act);
      return made;
    };
    return html("p", { class: "buttons" }, [
      button("← next event", () => this.step(1)),
      button("previous event →", () => this.step(-1)),
      button("chosen λ₁", () => this.move(this.machine.carried.chosen)),
    ]);
  }

  // Go to the next breakpoint where a term enters or leaves, down or up the path.
  step(way) {
    const { l1, events, first, last } = this.machine;
    let k = placeAt(l1, this.l1).before;
    if (way > 0 || l1[k] === this.l1) k += way;
    while (k > 0 && k < l1.length - 1 && !events[k].some(({ kind }) => kind === "enter" || kind === "leave")) k += way;
    this.move(Math.min(Math.max(l1[Math.min(Math.max(k, 0), l1.length - 1)], last), first));
  }

  chart(caption, parts) {
    const line = svg("line", { class: "here", y1: SIZE.top, y2: SIZE.height - SIZE.bottom });
    this.lines.push(line);
    const picture = svg("svg", { class: "curve", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, "aria-hidden": "true" }, [...parts, line]);
    picture.addEventListener("pointerdown", (event) => this.point(event, picture));
    return html("figure", {}, [html("figcaption", {}, [caption]), picture]);
  }

  point(event, picture) {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * SIZE.width;
    const share = (x - SIZE.left) / (SIZE.width - SIZE.left - SIZE.right);
    if (share >= 0 && share <= 1) this.move(this.plane.l1(share));
  }

  coefficients(plane) {
    const { words, machine } = this;
    const lines = this.shown.map(() => []);
    for (let step = 0; step <= WIDE; step++) {
      const l1 = plane.l1(step / WIDE);
      const place = machine.place(l1);
      this.shown.forEach((k, line) => {
        lines[line].push([plane.across(l1), plane.down(machine.sign * machine.coef.one(k, place) * this.spread[k])]);
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

  measure() {
    return this.words.say(this.page.task === "classes" ? "Cross-validated error" : "Cross-validated loss");
  }

  errors() {
    const [l1, error, spread] = this.choice;
    const inside = Array.from(l1.keys()).filter((k) => l1[k] >= this.machine.last && l1[k] <= this.machine.first);
    const ends = inside.map((k) => error[k] + spread[k]);
    const plane = new Plane(this.machine.last, this.machine.first, 0, Math.max(...ends, 1e-9));
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
    if (!inside.length) return axes(plane, "λ₁", "", (value) => this.words.number(value));
    return [
      svg("path", { class: "band", d: `${corners([...upper, ...lower.reverse()])}Z` }),
      ...axes(plane, "λ₁", "", (value) => this.words.number(value)),
      svg("path", { class: "line", d: corners(steps(error)) }),
      ...this.marks(plane),
    ];
  }

  errorAt(l1) {
    const [places, error] = this.choice;
    if (!places.length) return null;
    const k = Array.prototype.findIndex.call(places, (one) => one <= l1);
    return k < 0 ? null : error[k];
  }

  pictures() {
    this.boundary = null;
    this.dots = null;
    this.pixels = null;
    const { machine, words } = this;
    if (!machine.columns) return [];
    if (this.page.task === "classes" && this.model.names.length === 2) {
      this.boundary = new Boundary(machine, unpack(machine.carried.label));
      const caption = words.say("The plane of {a} and {b}: where the decision changes", { a: this.model.names[0], b: this.model.names[1] });
      return [html("figure", {}, [html("figcaption", {}, [caption]), this.boundary.element])];
    }
    const { shape } = this.page;
    if (shape && machine.columns.variables === shape[0] * shape[1]) {
      this.pixels = new PixelMap(shape);
      const caption = words.say("Pixels: blue speaks for {positive}, orange for {negative}", { positive: machine.carried.sides[1], negative: machine.carried.sides[0] });
      return [html("figure", {}, [html("figcaption", {}, [caption]), this.pixels.element])];
    }
    if (this.page.task === "numbers") {
      this.truth = unpack(machine.carried.kink[0]);
      this.dots = svg("path", { class: "dots" });
      const picture = svg("svg", { class: "plane", viewBox: "0 0 360 360", "aria-hidden": "true" }, [
        svg("line", { class: "grid", x1: 0, y1: 360, x2: 360, y2: 0 }),
        this.dots,
      ]);
      const caption = words.say("Rows learned from: truth to the right, prediction upwards");
      return [html("figure", {}, [html("figcaption", {}, [caption]), picture])];
    }
    return [];
  }

  choiceOfCase() {
    this.given = null;
    if (!this.machine.columns || !this.page.cases.length) return [];
    const name = `${this.element.id}-case`;
    const choice = html("select", { id: name }, [
      html("option", { value: "" }, [this.words.say("none")]),
      ...this.page.cases.map((one, k) => html("option", { value: String(k) }, [`${one.name} (${one.truth})`])),
    ]);
    choice.addEventListener("change", () => {
      this.given = choice.value === "" ? null : this.machine.termsOf([this.page.cases[Number(choice.value)].x]);
      this.show();
      this.speak();
    });
    return [html("p", {}, [html("label", { for: name }, [this.words.say("What each term adds for the row")]), " ", choice])];
  }

  table() {
    const { words } = this;
    this.rows = this.shown.map((k, line) => {
      const bars = [new BarCell(), new BarCell()];
      const numbers = [html("td", { class: "number" }), html("td", { class: "number" })];
      const row = html("tr", {}, [
        html("th", { scope: "row" }, [this.swatch(line), ...this.image(k), this.termName(k)]),
        numbers[0],
        html("td", {}, [bars[0].element]),
        numbers[1],
        html("td", {}, [bars[1].element]),
      ]);
      return { k, row, bars, numbers };
    });
    const head = ["term", "coefficient × spread", "", "adds", ""].map((name) => html("th", { scope: "col" }, [name && words.say(name)]));
    this.total = html("td", { class: "number" });
    this.foot = html("tr", {}, [html("th", { scope: "row" }, [words.say("decision at the mean row, and in all")]), html("td"), html("td"), this.total, html("td")]);
    const caption = html("caption", {}, [words.say("The terms at this λ₁, in the order in which they enter")]);
    const body = html("tbody", {}, [...this.rows.map(({ row }) => row), this.foot]);
    this.list = html("table", {}, [caption, html("thead", {}, [html("tr", {}, head)]), body]);
    return html("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption.textContent }, [this.list]);
  }

  // The line of a term in the picture, in small.
  swatch(line) {
    return svg("svg", { class: "swatch", viewBox: "0 0 18 8", width: 18, height: 8, "aria-hidden": "true" }, [
      svg("line", { class: `term term${line % 8}`, x1: 0, x2: 16, y1: 4, y2: 4 }),
    ]);
  }

  // The image around which a couple is centred, with what its kernel sees.
  image(k) {
    const { columns, carried, coef } = this.machine;
    const place = coef.ids[k] - (columns?.variables ?? 0);
    if (!this.page.shape || !columns || place < 0) return [];
    const row = this.machine.learned[unpack(carried.columns.centers)[place % columns.centers.length]];
    return [thumbnail(row, this.page.shape, seenBy(carried.columns.kernels[Math.floor(place / columns.centers.length)]))];
  }

  // Take another λ₁.
  move(l1, sliding = false) {
    this.l1 = l1;
    if (!sliding) {
      const share = (Math.log(l1) - this.plane.least) / (this.plane.most - this.plane.least);
      this.range.value = String(Math.round(share * STEPS));
    }
    this.show();
    clearTimeout(this.waiting);
    this.proof.textContent = this.words.say("…");
    this.waiting = setTimeout(() => this.speak(), REST);
  }

  // Show what is at this λ₁.
  show() {
    const { machine, words, coef } = this;
    const place = machine.place(this.l1);
    machine.coef.all(place, coef);
    const x = this.plane.across(this.l1);
    for (const line of this.lines) {
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
    this.range.setAttribute("aria-valuetext", `λ₁ = ${words.number(this.l1)}`);
    const adds = this.given ? coef.map((b, k) => machine.sign * b * (this.given[k][0] - machine.means[k])) : null;
    const most = adds ? adds.reduce((top, one) => Math.max(top, Math.abs(one)), 0) : 0;
    for (const { k, row, bars, numbers } of this.rows) {
      const size = machine.sign * coef[k] * this.spread[k];
      row.hidden = coef[k] === 0;
      if (row.hidden) continue;
      numbers[0].textContent = words.number(size);
      bars[0].set(size, this.most);
      numbers[1].textContent = adds ? words.number(adds[k]) : "";
      bars[1].set(adds ? adds[k] : 0, most);
    }
    this.foot.hidden = !adds;
    this.list.classList.toggle("alone", !adds);
    if (adds) {
      const base = machine.sign * (machine.interceptAt(place) + coef.reduce((sum, b, k) => sum + b * machine.means[k], 0));
      const all = base + adds.reduce((sum, one) => sum + one, 0);
      this.total.textContent = `${words.number(base)} → ${words.number(all)}`;
    }
    this.boundary?.set(coef, place);
    if (this.pixels) this.colour();
    if (this.dots) this.scatter(coef, place);
    this.told.textContent = this.sentence(place);
  }

  colour() {
    const sizes = new Float64Array(this.pixels.squares.length);
    this.coef.forEach((b, k) => {
      const j = this.machine.coef.ids[k];
      if (j < sizes.length) sizes[j] = this.machine.sign * b * this.spread[k];
    });
    this.pixels.set(sizes, sizes.reduce((top, one) => Math.max(top, Math.abs(one)), 0));
  }

  scatter(coef, place) {
    const found = this.machine.decisions(this.machine.used, coef, place);
    const low = Math.min(...this.truth);
    const high = Math.max(...this.truth);
    const at = (value) => Math.min(Math.max((360 * (value - low)) / (high - low || 1), 2), 358);
    const dots = Array.from(found, (value, i) => `M${at(this.truth[i]).toFixed(1)},${(360 - at(value)).toFixed(1)}h0`);
    this.dots.setAttribute("d", dots.join(""));
  }

  sentence(place) {
    const { words, machine } = this;
    const parts = [words.say("λ₁ = {l1}: {n} terms", { l1: words.number(this.l1), n: this.coef.reduce((n, b) => n + (b !== 0), 0) })];
    const margin = machine.margin[place.before];
    if (margin >= 0) parts.push(words.say("{n} rows on the margin", { n: margin }));
    const error = this.errorAt(this.l1);
    if (error !== null) {
      const shown = this.page.task === "classes" ? words.percent(error) : words.number(error);
      parts.push(words.say("cross-validated: {error}", { error: shown }));
    }
    return `${parts.join(", ")}.`;
  }

  // At rest: say what happened last, and prove what is shown.
  speak() {
    this.event.textContent = this.eventSentence();
    const { words, machine } = this;
    const { tolerance } = machine.carried;
    if (!machine.carried.computes) {
      const gap = machine.gap[machine.place(this.l1).before];
      this.proof.className = "proof word";
      this.proof.textContent = words.say("Python’s word: optimal at the breakpoint before, relative duality gap {gap}. This page does not carry what it would take to compute it again.", { gap: words.number(gap, 2) });
      return;
    }
    const { gap } = machine.prove(this.l1);
    const sure = gap <= tolerance;
    this.gap = gap;
    const near = machine.carried.thinned && !sure;
    const sentence = sure
      ? "✓ Optimal: relative duality gap {gap}, computed in this page from the rows it carries."
      : near
        ? "≈ Between two breakpoints that this page carries: relative duality gap {gap}, computed here. At the breakpoints the solution is exact."
        : "✗ Not optimal: relative duality gap {gap}, computed in this page from the rows it carries.";
    this.proof.className = `proof ${sure ? "sure" : near ? "near" : "wrong"}`;
    this.proof.textContent = words.say(sentence, { gap: words.number(gap, 2) });
  }

  eventSentence() {
    const { machine, words } = this;
    for (let k = machine.place(this.l1).before; k >= 0; k--) {
      const told = machine.events[k].map((event) => this.told_of(event)).filter(Boolean);
      if (told.length) return words.say("Last event, at λ₁ = {l1}: {what}.", { l1: words.number(machine.l1[k]), what: told.slice(0, 4).join("; ") });
    }
    return "";
  }

  told_of({ kind, index }) {
    const { words } = this;
    if (kind === "enter") return words.say("{name} enters", { name: this.columnName(index) });
    if (kind === "leave") return words.say("{name} leaves", { name: this.columnName(index) });
    const name = index >= 0 ? this.rowName(index) : words.say("a row");
    if (kind === "elbow") return words.say("{name} comes to the margin", { name });
    if (kind === "left") return words.say("{name} goes to the wrong side of the margin", { name });
    if (kind === "right") return words.say("{name} leaves the margin, well decided", { name });
    return "";
  }

  // What there is to say of the model in use, where it is not on the path.
  restSentence() {
    const { machine, words } = this;
    const { use } = machine.carried;
    if (!use) return [];
    const { gap } = machine.proveUse();
    const sure = gap <= machine.carried.tolerance;
    const text = sure
      ? "✓ The model in use has the terms chosen at λ₁ = {l1}, solved for again with λ₁ = {inner} and λ₂ = {l2}: optimal, relative duality gap {gap}, computed in this page."
      : "✗ The model in use is not optimal: relative duality gap {gap}, computed in this page.";
    const values = { l1: words.number(machine.carried.chosen), inner: words.number(use.l1), l2: words.number(use.l2), gap: words.number(gap, 2) };
    return [html("p", { class: `proof ${sure ? "sure" : "wrong"}` }, [words.say(text, values)])];
  }
}

// Begin: one explorer for each place that is kept for one.
export function begin(document) {
  const text = document.getElementById("study")?.textContent;
  if (!text) return [];
  const study = JSON.parse(text);
  const learned = study.rows.learned?.map(unpack) ?? null;
  const count = learned ? learned[0].length : 0;
  const page = {
    words: new Words(study.language, study.words),
    task: study.task,
    rowNames: study.rows.names,
    shape: study.image_shape,
    learned: learned && Array.from({ length: count }, (_, i) => Float64Array.from(learned, (column) => column[i])),
    cases: study.rows.cases.map((one) => ({ ...one, x: unpack(one.x) })),
  };
  document.documentElement.classList.add("moves");
  const explorers = Array.from(document.querySelectorAll(".explorer"), (element) => new Explorer(element, study.models[element.dataset.model], page));
  document.defaultView.chemin = { explorers, page };
  return explorers;
}
