// How is a kernel written? Sums of products of elementary kernels on blocks of variables, as the grammar has them.

export const KINDS = {
  gaussian: { width: 1 },
  laplacian: { width: 1 },
  epanechnikov: { width: 1 },
  polynomial: { degree: 2, offset: 1 },
  linear: {},
  constant: { value: 1 },
};

// Return a name as the grammar has it, in quotes if it must be.
export function named(name) {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

// Return the text of { kind, parameters, block, on, factor }; `on` is what stands in place of variables, such as a window.
export function atom({ kind, parameters, block = [], on = "", factor = 1 }) {
  const given = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const seen = block.length ? block.map(named).join(", ") : on;
  return `${factor === 1 ? "" : `${factor} * `}${kind}${given.length ? `(${given.join(", ")})` : ""}${seen ? `.on(${seen})` : ""}`;
}

// Return the text of a sum of products.
export function sum(tree) {
  return tree.map((product) => product.map(atom).join(" * ")).join(" + ");
}
