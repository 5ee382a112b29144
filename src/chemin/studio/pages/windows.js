// Which window of an image does a kernel see? Drawn with the pointer, or typed; the composer takes it from here.

import { html, svg } from "./drawing.js";
import { ask, wordsOf } from "./words_of.js";

const words = wordsOf(document);
const holder = document.getElementById("windows");
const text = document.getElementById("kernels");
const { shape, images, most, error } = await ask(document.getElementById("composer").dataset.images, words);
if (error) holder.append(error);
else begin();

function begin() {
  const [height, width] = shape;
  const window = { top: 0, left: 0, height: Math.ceil(height / 2), width: Math.ceil(width / 2) };
  const pixels = svg("g", {});
  const others = svg("g", {});
  const frame = svg("rect", { class: "window" });
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, [pixels, others, frame]);
  const which = html("select", { id: "which" }, images.map(({ label, row }, k) => html("option", { value: String(k) }, [row ? `${label}: ${words.say("row {name}", { name: row })}` : `${label}: ${words.say("mean")}`])));
  which.addEventListener("change", draw);
  const fields = Object.keys(window).map((name) => {
    const field = html("input", { type: "number", min: name === "top" || name === "left" ? "0" : "1", max: String(name === "top" || name === "height" ? height : width), id: `window-${name}` });
    field.addEventListener("input", () => set({ ...window, [name]: Number(field.value) }));
    return [name, field];
  });
  const labels = { top: "top", left: "left", height: "height", width: "width" };
  holder.append(
    html("p", {}, [html("label", { for: "which" }, [words.say("image")]), " ", which]),
    picture,
    html("p", {}, fields.flatMap(([name, field]) => [html("label", { for: field.id }, [words.say(labels[name])]), " ", field, " "])),
  );

  function draw() {
    const values = images[Number(which.value)].pixels;
    pixels.replaceChildren(...values.flatMap((value, k) => (value > 0 ? [svg("rect", { class: "ink", x: k % width, y: Math.floor(k / width), width: 1, height: 1, opacity: (value / most).toFixed(3) })] : [])));
  }

  // Take a window that fits the image.
  function set(given) {
    const whole = (value, least, top) => Math.min(Math.max(Math.round(value) || 0, least), top);
    window.top = whole(given.top, 0, height - 1);
    window.left = whole(given.left, 0, width - 1);
    window.height = whole(given.height, 1, height - window.top);
    window.width = whole(given.width, 1, width - window.left);
    for (const [name, field] of fields) if (document.activeElement !== field) field.value = String(window[name]);
    for (const [name, side] of [["y", "top"], ["x", "left"], ["height", "height"], ["width", "width"]]) frame.setAttribute(name, window[side]);
    holder.dataset.window = `window(${Object.entries(window).map(([name, value]) => `${name}=${value}`).join(", ")})`;
  }

  // Show the windows of the kernels that are written already.
  function mark() {
    const found = Array.from(text.value.matchAll(/window\(top=(\d+), left=(\d+), height=(\d+), width=(\d+)/g), (match) => match.slice(1));
    others.replaceChildren(...found.map(([y, x, high, wide]) => svg("rect", { class: "drawn", x, y, width: wide, height: high })));
  }

  let from = null;
  const at = (event) => {
    const box = picture.getBoundingClientRect();
    const place = (value, start, size, count) => Math.min(Math.max(Math.floor(((value - start) / size) * count), 0), count - 1);
    return [place(event.clientY, box.top, box.height, height), place(event.clientX, box.left, box.width, width)];
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    from = at(event);
    set({ top: from[0], left: from[1], height: 1, width: 1 });
  });
  picture.addEventListener("pointermove", (event) => {
    if (!from) return;
    const to = at(event);
    const [top, left] = [0, 1].map((k) => Math.min(from[k], to[k]));
    set({ top, left, height: Math.abs(to[0] - from[0]) + 1, width: Math.abs(to[1] - from[1]) + 1 });
  });
  picture.addEventListener("pointerup", () => (from = null));
  text.addEventListener("input", mark);
  new MutationObserver(mark).observe(document.getElementById("lines"), { childList: true });
  draw();
  set(window);
  mark();
}
