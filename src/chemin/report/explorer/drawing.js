// How is something drawn? As SVG elements with classes; nothing here knows what it means.

const SVG = "http://www.w3.org/2000/svg";
export const SIZE = { width: 680, height: 230, left: 64, right: 16, top: 14, bottom: 40 };

export function svg(tag, attributes = {}, children = []) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function html(tag, attributes = {}, children = []) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Where values are in a picture, λ₁ on a logarithmic axis.
export class Plane {
  constructor(least, most, floor, ceiling) {
    this.least = Math.log(least);
    this.most = Math.log(most > least ? most : 2 * least);
    this.floor = floor;
    this.ceiling = ceiling > floor ? ceiling : floor + 1;
  }

  // Return how far a λ₁ is on the way from the left to the right, from 0 to 1.
  share(l1) {
    const share = (Math.log(l1) - this.least) / (this.most - this.least);
    return Math.min(Math.max(share, 0), 1);
  }

  across(l1) {
    return SIZE.left + this.share(l1) * (SIZE.width - SIZE.left - SIZE.right);
  }

  // Return the λ₁ at a share of the way from the left to the right.
  l1(share) {
    return Math.exp(this.least + share * (this.most - this.least));
  }

  down(value) {
    const share = (value - this.floor) / (this.ceiling - this.floor);
    return SIZE.height - SIZE.bottom - Math.min(Math.max(share, 0), 1) * (SIZE.height - SIZE.top - SIZE.bottom);
  }
}

export function corners(points) {
  return `M${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}`;
}

// Return the axes of a plane, with round numbers.
export function axes(plane, xName, yName, shown) {
  const low = SIZE.height - SIZE.bottom;
  const end = SIZE.width - SIZE.right;
  const parts = [svg("line", { class: "axis", x1: SIZE.left, x2: end, y1: low, y2: low })];
  for (const value of roundLogs(Math.exp(plane.least), Math.exp(plane.most))) {
    const x = plane.across(value).toFixed(1);
    parts.push(svg("line", { class: "axis", x1: x, x2: x, y1: low, y2: low + 4 }));
    parts.push(svg("text", { x, y: low + 17, "text-anchor": "middle" }, [shown(value)]));
  }
  for (const value of roundValues(plane.floor, plane.ceiling)) {
    const y = plane.down(value);
    parts.push(svg("line", { class: "grid", x1: SIZE.left, x2: end, y1: y, y2: y }));
    parts.push(svg("text", { x: SIZE.left - 6, y: y + 4, "text-anchor": "end" }, [shown(value)]));
  }
  const middle = (SIZE.left + end) / 2;
  parts.push(svg("text", { x: middle, y: SIZE.height - 6, "text-anchor": "middle" }, [xName]));
  parts.push(svg("text", { x: 4, y: 11 }, [yName]));
  return parts;
}

function roundLogs(least, most) {
  const steps = most / least > 1000 ? [1] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
    for (const step of steps) {
      const value = Number(`${step}e${power}`);
      if (value >= least && value <= most) found.push(value);
    }
  }
  return found;
}

function roundValues(least, most) {
  const raw = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
  const found = [];
  for (let k = Math.ceil(least / step); k * step <= most; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// A bar in a cell of a table, to be set again and again.
export class BarCell {
  constructor() {
    this.bar = svg("rect", { y: 1, height: 10 });
    this.element = svg("svg", { class: "cell", "aria-hidden": "true" }, [
      this.bar,
      svg("line", { class: "axis", x1: 60, x2: 60, y1: 0, y2: 12 }),
    ]);
  }

  set(size, most) {
    const length = most > 0 ? 60 * Math.min(Math.abs(size) / most, 1) : 0;
    this.bar.setAttribute("x", size < 0 ? 60 - length : 60);
    this.bar.setAttribute("width", length);
    this.bar.setAttribute("class", size < 0 ? "minus" : "plus");
  }
}
