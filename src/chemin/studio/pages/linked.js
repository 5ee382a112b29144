// What do the rows look like? Planes and densities whose points are the same rows: what is marked in one is marked in all.

import { html, svg } from "./drawing.js";
import { ask, wordsOf } from "./words_of.js";

const SIDE = 300;
const EDGE = 14;
const STRIP = 120; // height of a density
const DENSITIES = 6;
const SIDES = 8; // colours of classes

const words = wordsOf(document);
const holder = document.getElementById("pictures");
const data = await ask(holder.dataset.from, words);
const status = holder.querySelector("[role=status]");
if (data.error) status.textContent = data.error;
else begin();

function scaled(values, length) {
  const known = values.filter((value) => value !== null);
  const [low, high] = [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)];
  const span = high - low || 1;
  return { low, high, place: (value) => EDGE + ((value - low) / span) * (length - 2 * EDGE) };
}

function begin() {
  const { rows, classes, side, columns, plane, groups } = data;
  const count = rows.length;
  const sides = classes.length ? side : thirds(side);
  const names = classes.length ? classes : ["low", "middle", "high"].map((one) => words.say(one));
  const pictures = [];
  let colour = sides;
  let marked = null;

  const choices = html("select", { id: "colour" }, [
    html("option", { value: "target" }, [data.target]),
    ...(groups ? [html("option", { value: "groups" }, [words.say("groups that were found")])] : []),
  ]);
  choices.addEventListener("change", () => {
    colour = choices.value === "groups" ? groups : sides;
    legend();
    show();
  });
  const key = html("ul", { class: "key" });
  const grid = html("div", { class: "pictures" });
  const told = html("p", { role: "status" });
  const listed = html("p", { class: "quiet" });
  const column = html("select", { id: "range-column" }, columns.map(({ name }, k) => html("option", { value: String(k) }, [name])));
  const ends = ["from", "to"].map((name) => html("input", { id: `range-${name}`, size: "7", inputmode: "decimal", autocomplete: "off" }));
  const range = html("form", {}, [
    html("label", { for: "range-column" }, [words.say("Mark the rows whose")]), " ", column, " ",
    html("label", { for: "range-from" }, [words.say("is from")]), " ", ends[0], " ",
    html("label", { for: "range-to" }, [words.say("to")]), " ", ends[1], " ",
    html("button", {}, [words.say("mark")]), " ",
  ]);
  const clear = html("button", { type: "button" }, [words.say("mark none")]);
  range.append(clear);
  clear.addEventListener("click", () => mark(null));
  range.addEventListener("submit", (event) => {
    event.preventDefault();
    const { values } = columns[Number(column.value)];
    const [low, high] = ends.map(({ value }, k) => (value.trim() ? Number(value.replace(",", ".")) : k ? Infinity : -Infinity));
    mark(new Set(values.flatMap((value, i) => (value !== null && value >= low && value <= high ? [i] : []))));
  });

  if (plane) pictures.push(points(words.say("The two main directions: {share} of the spread", { share: words.percent(plane.share) }), plane.x, plane.y));
  if (columns.length > 1) pictures.push(pair());
  for (const one of columns.slice(0, DENSITIES)) pictures.push(density(one));
  grid.append(...pictures.map(({ element }) => element));
  status.replaceWith(
    html("p", {}, [html("label", { for: "colour" }, [words.say("Colours of")]), " ", choices]), key, grid, columns.length ? range : "", told, listed,
  );
  legend();
  show();

  function legend() {
    const shown = choices.value === "groups" ? Array.from(new Set(groups)).sort((a, b) => a - b).map((k) => [k, words.say("group {n}", { n: k + 1 })]) : names.map((name, k) => [k, name]);
    key.replaceChildren(...shown.map(([k, name]) => html("li", {}, [svg("svg", { width: 14, height: 12, viewBox: "0 0 14 12", "aria-hidden": "true" }, [dot(7, 6, k)]), name])));
  }

  function mark(found) {
    marked = found?.size ? found : null;
    show();
    if (!found) {
      told.textContent = "";
      listed.textContent = "";
      return;
    }
    const here = Array.from(found);
    const shares = names.map((name, k) => `${name}: ${here.filter((i) => sides[i] === k).length}`);
    told.textContent = `${words.count(here.length, "{n} row marked", "{n} rows marked")} (${shares.join(", ")})`;
    listed.textContent = here.slice(0, 30).map((i) => rows[i]).join(", ") + (here.length > 30 ? " …" : "");
  }

  function show() {
    for (const picture of pictures) picture.show(colour, marked);
  }

  // The plane of two columns, which are chosen.
  function pair() {
    const chosen = ["right", "up"].map((way, k) => {
      const choice = html("select", { id: `axis-${way}` }, columns.map(({ name }, j) => html("option", { value: String(j), ...(j === k ? { selected: "" } : {}) }, [name])));
      choice.addEventListener("change", draw);
      return choice;
    });
    const caption = html("p", {}, [
      html("label", { for: "axis-right" }, [words.say("To the right")]), " ", chosen[0], " ",
      html("label", { for: "axis-up" }, [words.say("upwards")]), " ", chosen[1],
    ]);
    const element = html("div", { class: "large" });
    let picture = null;
    draw();
    return { element, show: (...given) => picture.show(...given) };

    function draw() {
      const [a, b] = chosen.map(({ value }) => columns[Number(value)]);
      picture = points(words.say("{a} to the right, {b} upwards", { a: a.name, b: b.name }), a.values, b.values);
      element.replaceChildren(picture.element, caption);
      picture.show(colour, marked);
    }
  }

  // A picture of points; dragging over it marks those within.
  function points(caption, xs, ys) {
    const [across, up] = [scaled(xs, SIDE), scaled(ys, SIDE)];
    const places = xs.map((x, i) => (x === null || ys[i] === null ? null : [across.place(x), SIDE - up.place(ys[i])]));
    const layer = svg("g", {});
    const picture = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" }, [layer]);
    dragged(picture, SIDE, (left, right, top, bottom) => new Set(places.flatMap((one, i) => (one && one[0] >= left && one[0] <= right && one[1] >= top && one[1] <= bottom ? [i] : []))));
    return {
      element: html("figure", { class: "large" }, [html("figcaption", {}, [caption]), picture]),
      show: (hues, some) => layer.replaceChildren(...places.flatMap((one, i) => (one ? [dot(...one, hues[i], some && !some.has(i))] : []))),
    };
  }

  // The density of a column, and its values as ticks; dragging over it marks a range.
  function density({ name, values, line }) {
    const across = scaled(line ? [line.x[0], line.x.at(-1)] : values, SIDE);
    const parts = line ? [svg("path", { class: "line", d: curve(line, across) })] : [];
    const layer = svg("g", {});
    const picture = svg("svg", { viewBox: `0 0 ${SIDE} ${STRIP}`, "aria-hidden": "true" }, [...parts, layer]);
    dragged(picture, STRIP, (left, right) => new Set(values.flatMap((value, i) => (value !== null && across.place(value) >= left && across.place(value) <= right ? [i] : []))));
    const ticks = (hues, some) => values.flatMap((value, i) => {
      if (value === null) return [];
      const y = STRIP - EDGE - 9 * (hues[i] % 3);
      return [svg("rect", { class: `side${hues[i] % SIDES}${some && !some.has(i) ? " dim" : ""}`, x: across.place(value) - 0.6, y, width: 1.2, height: 8 })];
    });
    return {
      element: html("figure", {}, [html("figcaption", {}, [name]), picture, html("p", { class: "quiet" }, [`${words.number(across.low, 3)} – ${words.number(across.high, 3)}`])]),
      show: (hues, some) => layer.replaceChildren(...ticks(hues, some)),
    };
  }

  function curve(line, across) {
    const most = Math.max(...line.y);
    return `M${line.x.map((x, k) => `${across.place(x).toFixed(1)},${(STRIP - 3 * EDGE - (line.y[k] / most) * (STRIP - 4 * EDGE)).toFixed(1)}`).join("L")}`;
  }

  function dragged(picture, height, within) {
    let from = null;
    const frame = svg("rect", { class: "drag" });
    const at = (event) => {
      const box = picture.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width) * SIDE, ((event.clientY - box.top) / box.height) * height];
    };
    const corners = (to) => [0, 1].flatMap((k) => [Math.min(from[k], to[k]), Math.max(from[k], to[k])]);
    picture.addEventListener("pointerdown", (event) => {
      picture.setPointerCapture(event.pointerId);
      from = at(event);
      picture.append(frame);
    });
    picture.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [left, right, top, bottom] = corners(at(event));
      for (const [name, value] of [["x", left], ["width", right - left], ["y", top], ["height", bottom - top]]) frame.setAttribute(name, value);
    });
    picture.addEventListener("pointerup", (event) => {
      if (!from) return;
      const found = corners(at(event));
      from = null;
      frame.remove();
      mark(found[1] - found[0] < 2 ? null : within(...found));
    });
  }

  function dot(x, y, hue, dim = false) {
    const name = `side${hue % SIDES}${dim ? " dim" : ""}`;
    return hue % 2 ? svg("rect", { class: name, x: x - 2.3, y: y - 2.3, width: 4.6, height: 4.6 }) : svg("circle", { class: name, cx: x, cy: y, r: 2.6 });
  }

  // Return which third of the values each one is in.
  function thirds(values) {
    const ordered = values.slice().sort((a, b) => a - b);
    const [low, high] = [ordered[Math.floor(count / 3)], ordered[Math.floor((2 * count) / 3)]];
    return values.map((value) => (value < low ? 0 : value < high ? 1 : 2));
  }
}
