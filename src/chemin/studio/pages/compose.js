// How does an expert compose kernels? By blocks of variables, by fields, or by typing: the text is what counts, and the
// server says of every change what it means and what it would cost.

import { html } from "./drawing.js";
import { KINDS, atom, sum } from "./grammar.js";
import { ask, wordsOf } from "./words_of.js";

const NARROW = 1e-3; // of its largest similarity, between most rows: below, a row is like nothing but itself
const PAUSE = 250; // milliseconds after a change, before the server is asked
const words = wordsOf(document);
const form = document.getElementById("composer");
const text = document.getElementById("kernels");
const cards = document.getElementById("lines");
const kind = document.getElementById("kind");
let waiting = 0;
let asked = 0;

const lines = () => text.value.split("\n");

// Return the line where the cursor is.
function here() {
  return text.value.slice(0, text.selectionStart).split("\n").length - 1;
}

function write(all, line) {
  text.value = all.filter((one, k) => one.trim() || k === line).join("\n");
  const before = text.value.split("\n").slice(0, line + 1).join("\n").length;
  text.setSelectionRange(before, before);
  later();
}

// The fields of a new kernel

function fieldsOf(name, values, change) {
  return Object.entries(values).map(([parameter, value]) => {
    const field = html("input", { value: String(value), size: "4", inputmode: "decimal", "aria-label": `${name} ${parameter}`, autocomplete: "off" });
    field.addEventListener("change", () => change(parameter, field.value.replace(",", ".").trim()));
    return html("label", {}, [`${parameter} `, field]);
  });
}

let parameters = {};

function choose() {
  parameters = { ...KINDS[kind.value] };
  document.getElementById("parameters").replaceChildren(
    ...fieldsOf(kind.value, parameters, (name, value) => (parameters[name] = value)).flatMap((one) => [one, " "]),
  );
}

const boxes = () => Array.from(document.querySelectorAll("#variables input"));
const chosen = () => boxes().filter((box) => box.checked).map((box) => box.value);

// Return the text of the kernel that the fields describe, on what is chosen: variables, or the window on the image.
function made() {
  return atom({ kind: kind.value, parameters, block: chosen(), on: document.getElementById("windows")?.dataset.window ?? "" });
}

function join(sign) {
  const all = lines();
  const k = here();
  const before = all[k]?.trim();
  if (!before) return add();
  all[k] = sign === "+" || !/ [+] /.test(before) ? `${before} ${sign} ${made()}` : `(${before}) ${sign} ${made()}`;
  return write(all, k);
}

function add() {
  const all = lines().filter((one) => one.trim());
  write([...all, made()], all.length);
}

// What the server says of every line

function later() {
  clearTimeout(waiting);
  waiting = setTimeout(check, PAUSE);
}

async function check() {
  const mine = ++asked;
  const body = new URLSearchParams({ kernels: text.value, a: form.querySelector("#a").value, b: form.querySelector("#b").value });
  const found = await ask(form.dataset.check, words, { method: "POST", body });
  if (mine !== asked) return; // a later question is on its way
  if (found.error) {
    cards.replaceChildren(html("p", { class: "caution", role: "alert" }, [found.error]));
    return;
  }
  const places = lines().flatMap((one, k) => (one.trim() ? [k] : []));
  const focused = document.activeElement?.dataset?.key;
  cards.replaceChildren(...found.lines.map((line, k) => card(line, places[k])));
  if (focused) cards.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  document.getElementById("cost").textContent = cost(found);
  document.getElementById("similar").replaceChildren(...similar(found));
  document.getElementById("learn").disabled = found.lines.some(({ error }) => error);
}

function cost({ cost, fine, lines: all }) {
  if (!all.length) return words.say("No kernel of your own: variables and Gaussians of usual widths are tried.");
  if (!fine) return words.say("Correct the lines that are marked first.");
  return words.say("{couples} couples; about {memory} MB and {seconds} s", {
    couples: cost.couples,
    memory: words.number(Math.max(cost.bytes / 2 ** 20, 0.1), 2),
    seconds: words.number(Math.ceil(cost.seconds), 3),
  });
}

function similar({ lines: all }) {
  const rows = all.flatMap(({ kernels }) => kernels.filter(({ similarity }) => similarity));
  if (!rows.length) return [];
  const body = rows.map(({ name, typical, similarity: { value, share } }) =>
    html("tr", {}, [
      html("th", { scope: "row" }, [name]),
      html("td", { class: "number" }, [words.number(value)]),
      html("td", { class: "number" }, [share === null ? "–" : words.percent(share)]),
      html("td", { class: "number" }, [typical === null ? "–" : words.percent(typical)]),
    ]),
  );
  const head = ["kernel", "similarity", "of the largest that it can be", "between two rows, the median"].map((one, k) => html("th", { scope: "col", ...(k ? { class: "number" } : {}) }, [words.say(one)]));
  return [html("div", { class: "wide" }, [html("table", {}, [html("thead", {}, [html("tr", {}, head)]), html("tbody", {}, body)])])];
}

function card(line, place) {
  const remove = html("button", { type: "button", "aria-label": words.say("remove line {n}", { n: place + 1 }), "data-key": `remove-${place}` }, ["×"]);
  remove.addEventListener("click", () => write(lines().filter((_, k) => k !== place), Math.max(place - 1, 0)));
  if (line.error) {
    return html("div", { class: "card wrong" }, [html("p", {}, [`${place + 1}. `, remove]), html("pre", { lang: "en", tabindex: "0" }, [line.error])]);
  }
  const shown = line.tree ? builder(line.tree, place) : [html("p", {}, [line.kernels.slice(0, 3).map(({ name }) => name).join("; ") + (line.kernels.length > 3 ? " …" : "")])];
  return html("div", { class: "card" }, [html("p", {}, [`${place + 1}. ${said(line.kernels)} `, remove]), ...shown]);
}

// Return how many kernels a line has, and whether they are inner products.
function said(kernels) {
  const count = words.count(kernels.length, "{n} kernel", "{n} kernels");
  if (kernels.every(({ typical }) => typical !== null && typical < NARROW)) {
    return words.say("{count}: {told}", { count, told: words.say("⚠ too narrow: most rows are like nothing but themselves; try a larger width") });
  }
  const none = kernels.filter(({ positive }) => !positive).length;
  if (none) return words.say("{count}: {told}", { count, told: words.say("⚠ not an inner product, which is allowed here: couples are columns like others") });
  const told = words.say(kernels.every(({ known }) => known) ? "✓ an inner product" : "✓ an inner product, as far as these rows show");
  return words.say("{count}: {told}", { count, told });
}

function builder(tree, place) {
  const change = () => write(lines().map((one, k) => (k === place ? sum(tree) : one)), place);
  return [
    html("div", {}, tree.flatMap((product, t) => [
      ...(t ? [" + "] : []),
      ...product.flatMap((one, f) => [...(f ? [" × "] : []), shownAtom(one, change, `${place}-${t}-${f}`, () => drop(tree, t, f))]),
    ])),
  ];

  function drop(all, t, f) {
    all[t].splice(f, 1);
    if (!all[t].length) all.splice(t, 1);
    if (all.length) change();
    else write(lines().filter((_, k) => k !== place), Math.max(place - 1, 0));
  }
}

// One elementary kernel: its fields, its block, onto which variables are dropped or put by a button.
function shownAtom(one, change, key, drop) {
  const fields = fieldsOf(one.kind, one.parameters, (name, value) => {
    one.parameters[name] = value;
    change();
  });
  fields.forEach((field, k) => (field.lastChild.dataset.key = `${key}-${k}`));
  const put = (names) => {
    one.block = [...new Set([...one.block, ...names])];
    one.on = "";
    change();
  };
  const button = (label, title, act, name) => {
    const found = html("button", { type: "button", title, "aria-label": title, "data-key": `${key}-${name}` }, [label]);
    found.addEventListener("click", act);
    return found;
  };
  const chips = one.block.map((name) =>
    html("span", { class: "chip" }, [name, button("×", words.say("take {name} out", { name }), () => {
      one.block = one.block.filter((other) => other !== name);
      one.on = "";
      change();
    }, `out-${name}`)]),
  );
  const where = chips.length ? chips : [html("span", { class: "quiet" }, [one.on || words.say("all variables")])];
  const more = document.getElementById("variables") ? [button("+", words.say("put the chosen variables here"), () => put(chosen()), "put")] : [];
  const element = html("span", { class: "atom" }, [
    ...(one.factor === 1 ? [] : [`${one.factor} × `]), html("strong", {}, [one.kind]), ...fields, ...where, ...more,
    button("✕", words.say("take this kernel out"), drop, "drop"),
  ]);
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    const name = event.dataTransfer.getData("text/plain");
    if (boxes().some((box) => box.value === name)) put([name]);
  });
  return element;
}

// Begin

kind.append(...Object.keys(KINDS).map((name) => html("option", { value: name }, [name])));
if (document.getElementById("windows")) kind.value = "polynomial"; // whose degree fits windows of any size
kind.addEventListener("change", choose);
choose();
document.getElementById("add").addEventListener("click", add);
document.getElementById("plus").addEventListener("click", () => join("+"));
document.getElementById("times").addEventListener("click", () => join("*"));
for (const name of ["kernels", "a", "b"]) document.getElementById(name).addEventListener("input", later);
document.getElementById("filter")?.addEventListener("input", ({ target }) => {
  for (const item of document.querySelectorAll("#variables li")) {
    item.hidden = !item.textContent.toLowerCase().includes(target.value.toLowerCase());
  }
});
// Enter in a field of the composer takes its value; it does not begin to learn, as it would in a form.
form.querySelector(".composer").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  event.target.dispatchEvent(new Event("change"));
});
document.getElementById("none")?.addEventListener("click", () => boxes().forEach((box) => (box.checked = false)));
document.getElementById("variables")?.addEventListener("dragstart", (event) => {
  event.dataTransfer.setData("text/plain", event.target.querySelector("input").value);
});
check();
