// How alike are two rows? Kernels from their trees, as chemin.kernels.formula writes them.

const RADIAL = {
  gaussian: [(d) => d * d, (sum) => Math.exp(-0.5 * sum)],
  laplacian: [(d) => Math.abs(d), (sum) => Math.exp(-sum)],
  epanechnikov: [(d) => d * d, (sum) => Math.max(0, 1 - sum)],
};

// Return a function of two rows.
export function kernelOf(tree) {
  const [name, ...rest] = tree;
  if (name in RADIAL) return radial(...RADIAL[name], rest[0]);
  const makers = {
    linear: () => inner,
    constant: ([value]) => () => value,
    polynomial: ([degree, offset]) => (x, z) => (inner(x, z) + offset) ** degree,
    sum: (parts) => combined(parts, (a, b) => a + b),
    product: (parts) => combined(parts, (a, b) => a * b),
    scaled: ([factor, part]) => {
      const kernel = kernelOf(part);
      return (x, z) => factor * kernel(x, z);
    },
    power: ([degree, part]) => {
      const kernel = kernelOf(part);
      return (x, z) => kernel(x, z) ** degree;
    },
    on: ([columns, part]) => {
      const kernel = kernelOf(part);
      const left = new Float64Array(columns.length);
      const right = new Float64Array(columns.length);
      return (x, z) => {
        columns.forEach((j, k) => {
          left[k] = x[j];
          right[k] = z[j];
        });
        return kernel(left, right);
      };
    },
  };
  if (!(name in makers)) throw new Error(`no kernel is called ${name}`);
  return makers[name](rest);
}

function radial(term, end, width) {
  return (x, z) => {
    let sum = 0;
    for (let j = 0; j < x.length; j++) {
      const w = Array.isArray(width) ? width[j] : width;
      if (w !== null) sum += term((x[j] - z[j]) / w);
    }
    return end(sum);
  };
}

function inner(x, z) {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += x[j] * z[j];
  return sum;
}

function combined(parts, join) {
  const kernels = parts.map(kernelOf);
  return (x, z) => kernels.map((kernel) => kernel(x, z)).reduce(join);
}
