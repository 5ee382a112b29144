// How does an image look, and what does a model look at in it? Squares of grey, or of the colours of the two sides.

import { svg } from "./drawing.js";

const LEVELS = 6; // of grey

// Return a small picture of an image, the columns that a kernel sees framed.
export function thumbnail(row, [height, width], seen) {
  const most = row.reduce((top, value) => Math.max(top, value), 0) || 1;
  const paths = Array.from({ length: LEVELS }, () => []);
  row.forEach((value, j) => {
    const level = Math.min(Math.floor((LEVELS * Math.max(value, 0)) / most), LEVELS - 1);
    if (level > 0) paths[level].push(`M${j % width} ${Math.floor(j / width)}h1v1h-1z`);
  });
  const parts = paths.map((path, level) => svg("path", { class: "ink", opacity: (level / (LEVELS - 1)).toFixed(2), d: path.join("") }));
  if (seen) {
    const across = seen.map((j) => j % width);
    const down = seen.map((j) => Math.floor(j / width));
    const [left, top] = [Math.min(...across), Math.min(...down)];
    const [right, bottom] = [Math.max(...across) + 1, Math.max(...down) + 1];
    parts.push(svg("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top }));
  }
  return svg("svg", { class: "thumbnail", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, parts);
}

// Return the columns that a kernel is restricted to, null if it sees all of them.
export function seenBy(tree) {
  if (!Array.isArray(tree)) return null;
  if (tree[0] === "on") return tree[1];
  return tree.map(seenBy).find((found) => found !== null) ?? null;
}

// The coefficients of pixels, as an image.
export class PixelMap {
  constructor([height, width]) {
    this.squares = Array.from({ length: height * width }, (_, j) =>
      svg("rect", { x: j % width, y: Math.floor(j / width), width: 1, height: 1, opacity: 0 }),
    );
    this.element = svg("svg", { class: "plane", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, this.squares);
  }

  set(sizes, most) {
    this.squares.forEach((square, j) => {
      square.setAttribute("opacity", most > 0 ? (Math.abs(sizes[j]) / most).toFixed(2) : 0);
      square.setAttribute("class", sizes[j] < 0 ? "minus" : "plus");
    });
  }
}
