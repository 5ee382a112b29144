// What does each term weigh, and what does it add for a row? A table with bars, one line a term.

import { BarCell, html, svg } from "./drawing.js";
import { seenBy, thumbnail } from "./pixels.js";
import { unpack } from "./numbers.js";

export class TermTable {
  // `names` are of the terms that are shown, `shown` their places, `spread` the standard deviation of every term.
  constructor(machine, words, shown, names, spread, shape) {
    this.machine = machine;
    this.words = words;
    this.spread = spread;
    this.rows = shown.map((k, line) => this.row(k, [swatch(line), ...imageOf(machine, k, shape), names[line]]));
    const head = ["term", "coefficient × spread", "", "adds", ""].map((name) => html("th", { scope: "col" }, [name && words.say(name)]));
    this.total = html("td", { class: "number" });
    this.foot = html("tr", {}, [html("th", { scope: "row" }, [words.say("decision at the mean row, and in all")]), html("td"), html("td"), this.total, html("td")]);
    const caption = html("caption", {}, [words.say("The terms at this λ₁, in the order in which they enter")]);
    const body = html("tbody", {}, [...this.rows.map(({ element }) => element), this.foot]);
    this.table = html("table", {}, [caption, html("thead", {}, [html("tr", {}, head)]), body]);
    this.element = html("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption.textContent }, [this.table]);
  }

  row(k, name) {
    const bars = [new BarCell(), new BarCell()];
    const numbers = [html("td", { class: "number" }), html("td", { class: "number" })];
    const element = html("tr", {}, [
      html("th", { scope: "row" }, name),
      numbers[0],
      html("td", {}, [bars[0].element]),
      numbers[1],
      html("td", {}, [bars[1].element]),
    ]);
    return { k, element, bars, numbers };
  }

  // Show coefficients, bars relative to `most`; `given` holds the columns of the terms for one row, or is null.
  set(coef, place, most, given) {
    const { machine, words } = this;
    const adds = given ? coef.map((b, k) => machine.sign * b * (given[k][0] - machine.means[k])) : null;
    const mostAdded = adds ? adds.reduce((top, one) => Math.max(top, Math.abs(one)), 0) : 0;
    for (const { k, element, bars, numbers } of this.rows) {
      element.hidden = coef[k] === 0;
      if (element.hidden) continue;
      const size = machine.sign * coef[k] * this.spread[k];
      numbers[0].textContent = words.number(size);
      bars[0].set(size, most);
      numbers[1].textContent = adds ? words.number(adds[k]) : "";
      bars[1].set(adds ? adds[k] : 0, mostAdded);
    }
    this.foot.hidden = !adds;
    this.table.classList.toggle("alone", !adds);
    if (!adds) return;
    const base = machine.sign * (machine.interceptAt(place) + coef.reduce((sum, b, k) => sum + b * machine.means[k], 0));
    const all = base + adds.reduce((sum, one) => sum + one, 0);
    this.total.textContent = `${words.number(base)} → ${words.number(all)}`;
  }
}

// The line of a term in the picture, in small.
function swatch(line) {
  return svg("svg", { class: "swatch", viewBox: "0 0 18 8", width: 18, height: 8, "aria-hidden": "true" }, [
    svg("line", { class: `term term${line % 8}`, x1: 0, x2: 16, y1: 4, y2: 4 }),
  ]);
}

// The image around which a couple is centred, with what its kernel sees.
function imageOf({ columns, carried, coef, learned }, k, shape) {
  const place = coef.ids[k] - (columns?.variables ?? 0);
  if (!shape || !columns || place < 0) return [];
  const row = learned[unpack(carried.columns.centers)[place % columns.centers.length]];
  return [thumbnail(row, shape, seenBy(carried.columns.kernels[Math.floor(place / columns.centers.length)]))];
}
