// How does a reader move on a path? One slider for λ₁; everything beside it follows, and at rest the page proves it.

import { Charts } from "./charts.js";
import { html } from "./drawing.js";
import { Machine } from "./machine.js";
import { unpack } from "./numbers.js";
import { pictureOf } from "./pictures.js";
import { placeAt } from "./series.js";
import { Teller } from "./telling.js";
import { TermTable } from "./terms.js";
import { Words } from "./words.js";

const STEPS = 2000; // of the slider
const REST = 120; // milliseconds without a move, after which the page proves and speaks
const MOST_TERMS = 60; // that are drawn and listed, those that weigh most

// One model: a slider, and what follows it.
export class Explorer {
  constructor(element, model, page) {
    this.element = element;
    this.model = model;
    this.page = page;
    this.words = page.words;
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
    const { words, page } = this;
    const machine = new Machine(this.model.machines[number], page.learned);
    this.machine = machine;
    this.given = null;
    this.coef = new Float64Array(machine.coef.count);
    this.teller = new Teller(machine, page, this.model.names);
    const spread = machine.spreads();
    const shown = machine.largestTerms(spread, MOST_TERMS);
    const reach = machine.reach(shown, spread);
    this.mostShown = Math.max(-reach[0], reach[1]);
    this.charts = new Charts(machine, words, shown, spread, reach, page.task);
    this.charts.onPoint((l1) => this.move(l1));
    this.picture = pictureOf(machine, page, this.model.names, spread);
    const names = shown.map((k) => this.teller.column(machine.coef.ids[k]));
    this.table = new TermTable(machine, words, shown, names, spread, page.shape);
    this.told = html("p", { class: "lead" });
    this.event = html("p");
    this.proof = html("p", { class: "proof" });
    this.body.replaceChildren(
      this.slider(),
      this.buttons(),
      this.told,
      this.event,
      this.proof,
      ...this.proofOfUse(),
      ...this.charts.elements,
      ...(this.picture ? [this.picture.element] : []),
      ...this.choiceOfCase(),
      this.table.element,
    );
    this.move(Math.min(Math.max(machine.carried.chosen, machine.last), machine.first));
  }

  slider() {
    const name = `${this.element.id}-l1`;
    this.range = html("input", { type: "range", id: name, min: "0", max: String(STEPS), step: "1" });
    this.range.addEventListener("input", () => this.move(this.charts.plane.l1(Number(this.range.value) / STEPS), true));
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

  choiceOfCase() {
    this.choice = null;
    if (!this.machine.columns || !this.page.cases.length) return [];
    const name = `${this.element.id}-case`;
    const choice = html("select", { id: name }, [
      html("option", { value: "" }, [this.words.say("none")]),
      ...this.page.cases.map((one, k) => html("option", { value: String(k) }, [`${one.name} (${one.truth})`])),
    ]);
    choice.addEventListener("change", () => this.chooseCase(choice.value === "" ? -1 : Number(choice.value)));
    this.choice = choice;
    return [html("p", {}, [html("label", { for: name }, [this.words.say("What each term adds for the row")]), " ", choice])];
  }

  // Show what each term adds for a case; for none if k is negative.
  chooseCase(k) {
    if (!this.choice) return;
    this.choice.value = k < 0 ? "" : String(k);
    this.given = k < 0 ? null : this.machine.termsOf([this.page.cases[k].x]);
    this.show();
    this.speak();
  }

  proofOfUse() {
    const verdict = this.teller.verdictOfUse();
    return verdict ? [html("p", { class: `proof ${verdict.kind}` }, [verdict.said])] : [];
  }

  // Take another λ₁.
  move(l1, sliding = false) {
    this.l1 = l1;
    if (!sliding) this.range.value = String(Math.round(this.charts.plane.share(l1) * STEPS));
    this.show();
    clearTimeout(this.waiting);
    this.proof.textContent = this.words.say("…");
    this.waiting = setTimeout(() => this.speak(), REST);
  }

  // Show what is at this λ₁.
  show() {
    const { machine, coef } = this;
    const place = machine.place(this.l1);
    machine.coef.all(place, coef);
    this.range.setAttribute("aria-valuetext", `λ₁ = ${this.words.number(this.l1)}`);
    this.charts.set(this.l1);
    this.table.set(coef, place, this.mostShown, this.given);
    this.picture?.set(coef, place);
    this.told.textContent = this.sentence(place);
  }

  sentence(place) {
    const { words, machine } = this;
    const terms = words.count(this.coef.reduce((n, b) => n + (b !== 0), 0), "{n} term", "{n} terms");
    const parts = [words.say("λ₁ = {l1}: {terms}", { l1: words.number(this.l1), terms })];
    const margin = machine.margin[place.before];
    if (margin >= 0) parts.push(words.count(margin, "{n} row on the margin", "{n} rows on the margin"));
    const error = this.charts.errorAt(this.l1);
    if (error !== null) parts.push(words.say("cross-validated: {error}", { error: this.teller.error(error) }));
    return `${parts.join(", ")}.`;
  }

  // At rest: say what happened last and what the picture shows, and prove it.
  speak() {
    this.picture?.tell(this.coef, this.machine.place(this.l1));
    this.event.textContent = this.teller.lastEvent(this.l1);
    const { kind, said } = this.teller.verdict(this.l1);
    this.proof.className = `proof ${kind}`;
    this.proof.textContent = said;
    this.element.dispatchEvent(new CustomEvent("rest", { detail: this.l1 }));
  }
}

// Return what all explorers of a page share, from the data that it carries.
export function pageOf(study) {
  const learned = study.rows.learned?.map(unpack) ?? null;
  const count = learned ? learned[0].length : 0;
  return {
    words: new Words(study.language, study.words),
    task: study.task,
    rowNames: study.rows.names,
    shape: study.image_shape,
    learned: learned && Array.from({ length: count }, (_, i) => Float64Array.from(learned, (column) => column[i])),
    cases: study.rows.cases.map((one) => ({ ...one, x: unpack(one.x) })),
  };
}

// Begin: one explorer for each place that is kept for one.
export function begin(document) {
  const text = document.getElementById("study")?.textContent;
  if (!text) return [];
  const study = JSON.parse(text);
  const page = pageOf(study);
  document.documentElement.classList.add("moves");
  const explorers = Array.from(document.querySelectorAll(".explorer"), (element) => new Explorer(element, study.models[element.dataset.model], page));
  document.defaultView.chemin = { explorers, page };
  return explorers;
}
