// Is a solution optimal? The difference between its objective and what its dual values prove of every other one,
//
//     P − D(α) = Σ_i [ℓ_i(t_i) + α_i t_i − min (ℓ_i(t) + α_i t)]
//              + Σ_j [(l2 b_j − q_j)² / (2 l2) + l1 v_j |b_j| − (c_j − q_j) b_j],
//
// t_i = s_i (b0 + x_i·b), c = Xᵀ(s∘α), q_j = sign(c_j) max(0, |c_j| − l1 v_j). No term is negative: each is 0 at the
// optimum. Without a ridge the bound is taken over the box |b_j| ≤ P/(l1 v_j), which holds every optimum.

// Return the objective and the relative gap. `columns[j]` holds column j at all rows, null where it is not computed;
// `coef` has one entry per column.
export function prove({ columns, label, losses, weight, coef, intercept, dual, l1, l2 }) {
  const count = label.length;
  const score = new Float64Array(count).fill(intercept);
  let norm = 0;
  coef.forEach((b, j) => {
    if (b === 0) return;
    norm += 0.5 * l2 * b * b + l1 * weight[j] * Math.abs(b);
    const column = columns[j];
    for (let i = 0; i < count; i++) score[i] += b * column[i];
  });
  let loss = 0;
  for (let i = 0; i < count; i++) {
    score[i] *= label[i];
    loss += losses.value(i, score[i]);
  }
  const objective = loss + norm;
  const proved = balanced(dual ?? score.map((t, i) => -losses.steep(i, t)), label, losses);
  let difference = 0;
  for (let i = 0; i < count; i++) difference += losses.excess(i, score[i], proved[i]);
  const signed = proved.map((a, i) => a * label[i]);
  columns.forEach((column, j) => {
    let c = 0;
    for (let i = 0; i < count; i++) c += column[i] * signed[i];
    const b = coef[j];
    const penalty = l1 * weight[j];
    const q = Math.sign(c) * Math.max(0, Math.abs(c) - penalty);
    const away = l2 * b - q;
    const ridge = (away * away) / (2 * l2) + penalty * Math.abs(b) - (c - q) * b;
    const box = 0.5 * l2 * b * b + penalty * Math.abs(b) - c * b + bound(objective, penalty, l2) * Math.abs(q);
    difference += l2 > 0 ? Math.min(ridge, Math.max(box, 0)) : Math.max(box, 0);
  });
  return { objective, gap: objective > 0 ? difference / objective : 0, score };
}

// Return how large |b_j| can be at an optimum.
function bound(objective, penalty, l2) {
  const lasso = penalty > 0 ? objective / penalty : Infinity;
  const ridge = l2 > 0 ? Math.sqrt((2 * objective) / l2) : Infinity;
  return Math.min(lasso, ridge);
}

// Return dual values inside their intervals with Σ α_i s_i = 0: the heavier side is shrunk.
function balanced(dual, label, losses) {
  const values = Float64Array.from(dual, (a, i) => {
    const [low, high] = losses.range(i);
    return Math.min(Math.max(a, low), high);
  });
  let plus = 0;
  let minus = 0;
  values.forEach((a, i) => {
    const signed = a * label[i];
    if (signed > 0) plus += signed;
    else minus -= signed;
  });
  const heavier = plus > minus ? 1 : -1;
  const factor = Math.max(plus, minus) > 0 ? Math.min(plus, minus) / Math.max(plus, minus) : 1;
  return values.map((a, i) => (a * label[i] * heavier > 0 ? a * factor : a));
}
