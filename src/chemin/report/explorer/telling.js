// What is said of a machine? Its columns and rows by name, what happened last on its path, and whether it is optimal.

import { unpack } from "./numbers.js";

export class Teller {
  // `names` are of the variables; the page has those of the rows learned from, null where they may not be told.
  constructor(machine, { words, task, rowNames }, names) {
    this.machine = machine;
    this.words = words;
    this.task = task;
    this.names = names;
    this.rowNames = rowNames;
    this.centers = machine.carried.columns?.centers ? unpack(machine.carried.columns.centers) : null;
  }

  column(j) {
    const { columns } = this.machine.carried;
    const count = columns?.unit ? columns.unit.length : 0;
    if (!columns || j < count || !this.centers) return this.names[j] ?? `#${j}`;
    const place = j - count;
    const row = this.row(this.centers[place % this.centers.length]);
    return this.words.say("like {row}, {kernel}", { row, kernel: columns.kernel_names[Math.floor(place / this.centers.length)] });
  }

  row(i) {
    const name = this.rowNames?.[this.machine.places[i]];
    return name === undefined ? this.words.say("a row") : this.words.say("row {name}", { name });
  }

  // Return a cross-validated error: a rate of classes, or a loss.
  error(value) {
    return this.task === "classes" ? this.words.percent(value) : this.words.number(value);
  }

  // Return what happened last before a λ₁.
  lastEvent(l1) {
    const { machine, words } = this;
    for (let k = machine.place(l1).before; k >= 0; k--) {
      const told = machine.events[k].map((event) => this.event(event)).filter(Boolean);
      if (told.length) return words.say("Last event, at λ₁ = {l1}: {what}.", { l1: words.number(machine.l1[k]), what: told.slice(0, 4).join("; ") });
    }
    return "";
  }

  event({ kind, index }) {
    const { words } = this;
    if (kind === "enter") return words.say("{name} enters", { name: this.column(index) });
    if (kind === "leave") return words.say("{name} leaves", { name: this.column(index) });
    const name = index >= 0 ? this.row(index) : words.say("a row");
    if (kind === "elbow") return words.say("{name} comes to the margin", { name });
    if (kind === "left") return words.say("{name} goes to the wrong side of the margin", { name });
    if (kind === "right") return words.say("{name} leaves the margin, well decided", { name });
    return "";
  }

  // Return whether the solution at a λ₁ is optimal: "sure", "near", "wrong", or Python's "word", and the sentence.
  verdict(l1) {
    const { machine, words } = this;
    const { tolerance, is_exact: isExact } = machine.carried;
    if (!machine.carried.computes) {
      const gap = words.number(machine.gap[machine.place(l1).before], 2);
      const said = isExact
        ? "Python’s word: optimal at the breakpoint before, relative duality gap {gap}. This page does not carry what it would take to compute it again."
        : "Python’s word: a path to a tolerance of {tolerance}, relative duality gap {gap} at the breakpoint before. This page does not carry what it would take to compute it again.";
      return { kind: "word", said: words.say(said, { gap, tolerance: words.number(tolerance, 2) }) };
    }
    const found = machine.prove(l1).gap;
    const values = { gap: words.number(found, 2), tolerance: words.number(tolerance, 2) };
    if (found <= tolerance) {
      const said = isExact
        ? "✓ Optimal: relative duality gap {gap}, computed in this page from the rows it carries."
        : "✓ A path to a tolerance of {tolerance}, not an exact one: relative duality gap {gap}, computed in this page from the rows it carries.";
      return { kind: "sure", said: words.say(said, values) };
    }
    if (this.isBetween(l1)) {
      return { kind: "near", said: words.say("≈ Between two breakpoints that this page carries: relative duality gap {gap}, computed here. At the breakpoints the solution is exact.", values) };
    }
    return { kind: "wrong", said: words.say("✗ Not optimal: relative duality gap {gap}, computed in this page from the rows it carries.", values) };
  }

  // Whether a λ₁ is on a chord between breakpoints that are both optimal, where others were left out.
  isBetween(l1) {
    const { machine } = this;
    const { before, share } = machine.place(l1);
    if (!machine.carried.thinned || share === 0) return false;
    return [before, before + 1].every((k) => machine.prove(machine.l1[k]).gap <= machine.carried.tolerance);
  }

  // Return the same of the model in use, where it is not on the path; null where it is.
  verdictOfUse() {
    const { machine, words } = this;
    const { use } = machine.carried;
    if (!use) return null;
    const { gap } = machine.proveUse();
    const sure = gap <= machine.carried.tolerance;
    const said = sure
      ? "✓ The model in use has the terms chosen at λ₁ = {l1}, solved for again with λ₁ = {inner} and λ₂ = {l2}: optimal, relative duality gap {gap}, computed in this page. Cross-validated: {error}."
      : "✗ The model in use is not optimal: relative duality gap {gap}, computed in this page.";
    const values = { l1: words.number(machine.carried.chosen), inner: words.number(use.l1), l2: words.number(use.l2), gap: words.number(gap, 2), error: this.error(machine.carried.error) };
    return { kind: sure ? "sure" : "wrong", said: words.say(said, values) };
  }
}
