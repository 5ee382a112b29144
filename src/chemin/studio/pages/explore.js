// How does one move on the paths of the studio? With the report's explorer; the address remembers where each one stands.

import { Explorer, pageOf } from "./explorer.js";
import { ask, wordsOf } from "./words_of.js";

const words = wordsOf(document);
const places = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");

// Keep a λ₁ that somebody has moved to in the address, without asking the server.
function remember({ target, detail }) {
  const { chosen } = target.explorer.machine.carried;
  if (detail === chosen && !places.has(target.id)) return;
  places.set(target.id, detail.toPrecision(12));
  history.replaceState(null, "", `#${places}`);
}

function open(element, study, page, row) {
  const explorer = new Explorer(element, study.models[element.dataset.model], page);
  element.explorer = explorer;
  element.addEventListener("rest", remember);
  const l1 = Number(places.get(element.id));
  const { first, last } = explorer.machine;
  if (l1 > 0) explorer.move(Math.min(Math.max(l1, last), first)); // digits that were cut off lead past an end
  const k = page.cases.findIndex(({ name }) => name === row);
  if (row && k >= 0) explorer.chooseCase(k);
  return explorer;
}

async function begin(holder, scope) {
  const study = await ask(holder.dataset.from, words);
  if (study.error) {
    holder.append(study.error);
    return [];
  }
  const page = pageOf(study);
  return Array.from(scope.querySelectorAll(".explorer"), (element) => open(element, study, page, holder.dataset.row));
}

const whole = document.getElementById("paths");
const holders = whole ? [[whole, document]] : Array.from(document.querySelectorAll(".side"), (side) => [side, side]);
document.documentElement.classList.add("moves");
const explorers = (await Promise.all(holders.map(([holder, scope]) => begin(holder, scope)))).flat();
window.chemin = { explorers };
document.getElementById("explain")?.addEventListener("submit", (event) => {
  event.preventDefault(); // as a form does, with what the address remembers of λ₁
  const row = new FormData(event.target).get("row");
  const address = `${location.pathname}?${new URLSearchParams({ row })}${places.size ? `#${places}` : ""}`;
  location.assign(address);
});
