// What is a machine at any λ₁? Its coefficients, its terms for a row, and whether it is optimal there.

import { Columns } from "./columns.js";
import { Losses } from "./losses.js";
import { unpack } from "./numbers.js";
import { prove } from "./proof.js";
import { Series, placeAt } from "./series.js";

export const KINDS = ["start", "enter", "leave", "elbow", "left", "right", "end"];

export class Machine {
  constructor(carried, learned) {
    this.carried = carried;
    this.l1 = unpack(carried.l1);
    this.intercept = unpack(carried.intercept);
    this.gap = carried.gap ? unpack(carried.gap) : null;
    this.margin = unpack(carried.margin);
    this.coef = new Series(carried.coef);
    this.sign = carried.sign;
    this.events = readEvents(carried.events, this.l1.length);
    this.places = carried.rows ? unpack(carried.rows) : [];
    this.learned = learned && carried.rows ? Array.from(this.places, (i) => learned[i]) : null;
    this.columns = carried.computes ? new Columns(carried.columns, this.learned) : null;
    this.used = this.columns ? this.columns.at(this.learned, this.coef.ids) : null;
    this.means = this.used ? this.used.map((column) => column.reduce((a, b) => a + b, 0) / column.length) : null;
  }

  get first() {
    return this.l1[0];
  }

  get last() {
    return this.l1[this.l1.length - 1];
  }

  place(l1) {
    return placeAt(this.l1, l1);
  }

  interceptAt({ before, share }) {
    const after = Math.min(before + 1, this.l1.length - 1);
    return (1 - share) * this.intercept[before] + share * this.intercept[after];
  }

  // Return the values of the columns in use somewhere on the path, at some rows.
  termsOf(rows) {
    return this.columns.at(rows, this.coef.ids);
  }

  // Return decisions about rows whose columns are given, of the side that words call positive.
  decisions(columns, coef, place) {
    const count = columns.length ? columns[0].length : 0;
    const found = new Float64Array(count).fill(this.interceptAt(place));
    coef.forEach((b, k) => {
      if (b !== 0) for (let i = 0; i < count; i++) found[i] += b * columns[k][i];
    });
    return found.map((value) => this.sign * value);
  }

  // Return the standard deviation of every term's column over the rows; 1 where the rows are not here.
  spreads() {
    if (!this.used) return new Float64Array(this.coef.count).fill(1);
    return Float64Array.from(this.used, (column, k) => {
      const sum = column.reduce((total, value) => total + (value - this.means[k]) ** 2, 0);
      return Math.sqrt(sum / column.length) || 1;
    });
  }

  // Return so many terms, those that weigh most somewhere on the path, in the order in which they enter.
  largestTerms(spread, count) {
    const { coef } = this;
    const most = spread.map((unit, k) => unit * coef.largest(k));
    const entered = (k) => coef.at[coef.start[k]] + (coef.value[coef.start[k]] === 0 ? 1e-9 + coef.at[coef.start[k] + 1] : 0);
    const order = Array.from(most.keys()).sort((a, b) => most[b] - most[a]);
    return order.slice(0, count).sort((a, b) => entered(a) - entered(b) || a - b);
  }

  // Return the least and the largest of some terms' coefficients, in units of their spread.
  reach(shown, spread) {
    let [low, high] = [0, 0];
    for (const k of shown) {
      for (let at = this.coef.start[k]; at < this.coef.start[k + 1]; at++) {
        const value = this.sign * this.coef.value[at] * spread[k];
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    return [low, high];
  }

  // Return the problem, all columns computed: once, when somebody first asks for a proof.
  problem() {
    if (!this.whole) {
      const every = Array.from({ length: this.carried.count }, (_, j) => j);
      this.whole = {
        columns: this.columns.at(this.learned, every),
        label: unpack(this.carried.label),
        weight: unpack(this.carried.l1_weight),
        losses: new Losses(this.carried),
      };
      this.dual = this.carried.dual ? new Series(this.carried.dual) : null;
    }
    return this.whole;
  }

  // Return the objective and the relative gap at a place of the path.
  prove(l1) {
    const problem = this.problem();
    const place = this.place(l1);
    const coef = new Float64Array(this.carried.count);
    this.coef.all(place).forEach((b, k) => {
      coef[this.coef.ids[k]] = b;
    });
    let dual = null;
    if (this.dual) {
      dual = new Float64Array(problem.label.length);
      this.dual.all(place).forEach((a, k) => {
        dual[this.dual.ids[k]] = a;
      });
    }
    const wanted = Math.min(l1, this.first);
    return prove({ ...problem, coef, intercept: this.interceptAt(place), dual, l1: wanted, l2: this.carried.l2 });
  }

  // Return the same of the model in use, on the columns that it was solved for again.
  proveUse() {
    const use = this.carried.use;
    const problem = this.problem();
    const which = Array.from(unpack(use.columns));
    return prove({
      columns: which.map((j) => problem.columns[j]),
      weight: which.map((j) => problem.weight[j]),
      label: problem.label,
      losses: problem.losses,
      coef: unpack(use.coef),
      intercept: use.intercept,
      dual: problem.losses.width ? null : unpack(use.dual),
      l1: use.l1,
      l2: use.l2,
    });
  }
}

// Return for each breakpoint what happened there.
function readEvents(carried, count) {
  const kind = unpack(carried.kind);
  const index = unpack(carried.index);
  const at = unpack(carried.at);
  const found = Array.from({ length: count }, () => []);
  kind.forEach((code, k) => found[at[k]].push({ kind: KINDS[code], index: index[k] }));
  return found;
}
