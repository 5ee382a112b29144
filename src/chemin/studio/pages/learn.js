// How far is learning? Steps as the server sends them; at the end, what was learned.

import { html } from "./drawing.js";
import { wordsOf } from "./words_of.js";

const NAMES = { read: "read", look: "look", linear: "linear model", basis: "kernel basis", compare: "compare", explain: "explain" };
const SLOW = 0.9; // of the bar, at the estimated time; beyond, it goes on more slowly

const words = wordsOf(document);
const place = document.getElementById("job");
const steps = document.getElementById("steps");
const now = document.getElementById("now");
const began = performance.now() - 1000 * Number(place.dataset.seconds);
let clock = 0;
let estimated = Number(place.dataset.budget);

const source = new EventSource(place.dataset.events);
source.addEventListener("message", ({ data }) => hear(JSON.parse(data)));
source.addEventListener("open", () => {
  steps.replaceChildren(); // all steps are told anew
  clearInterval(clock);
  clock = setInterval(tick, 200);
});
source.addEventListener("error", () => {
  clearInterval(clock);
  if (source.readyState === EventSource.CLOSED) now.textContent = words.say("The studio was started again: open the address that the terminal shows.");
  else now.textContent = words.say("The studio does not answer. What was learned is kept: start it again, and open the address that it shows.");
});

function hear(event) {
  const step = words.say(NAMES[event.step] ?? "");
  if (event.event === "estimated") estimated = event.seconds;
  if (event.event === "begun") now.textContent = words.say("Now: {step}", { step });
  if (event.event === "ended") {
    const when = event.before ? words.say("as before") : words.say("{n} s", { n: words.number(event.seconds, 2) });
    steps.append(html("li", {}, [html("strong", {}, [step]), " ", html("span", { lang: "en" }, [event.said]), ` (${when})`]));
  }
  if (event.event === "over") {
    source.close();
    clearInterval(clock);
    location.reload();
  }
}

function tick() {
  const seconds = (performance.now() - began) / 1000;
  const share = seconds / Math.max(estimated, 0.1);
  document.getElementById("progress").value = share < 1 ? SLOW * share : 1 - (1 - SLOW) / share;
  document.getElementById("time").textContent = words.say("{n} s of at most {budget} s", {
    n: words.number(Math.round(seconds), 6),
    budget: words.number(Number(place.dataset.budget), 6),
  });
}
