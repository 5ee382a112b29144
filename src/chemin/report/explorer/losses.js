// What does a row pay? A piecewise quadratic loss, as chemin.problems.losses has it: kinks z, slopes g, width D.
//
//     sharp kinks    ℓ(t) = max over k of  h_k + g (t − z_k),  g the slopes on both sides
//     a rounded one  ℓ(t) = s (t − z) − D s²/2,  s = (t − z)/D inside the slopes

import { unpack } from "./numbers.js";

export class Losses {
  constructor(carried) {
    this.kink = carried.kink.map(unpack);
    this.slope = carried.slope.map(unpack);
    this.width = carried.width ? unpack(carried.width) : null;
    this.height = this.heights();
  }

  get kinks() {
    return this.kink.length;
  }

  // Return the least and the largest dual value of a row.
  range(i) {
    return [-this.slope[this.kinks][i], -this.slope[0][i]];
  }

  // Return the loss at every kink of every row, 0 at the lowest.
  heights() {
    const count = this.kink[0].length;
    const height = this.kink.map(() => new Float64Array(count));
    for (let i = 0; i < count; i++) {
      let least = 0;
      for (let k = 1; k < this.kinks; k++) {
        const rise = (this.kink[k][i] - this.kink[k - 1][i]) * this.slope[k][i];
        height[k][i] = height[k - 1][i] + rise;
        least = Math.min(least, height[k][i]);
      }
      for (let k = 0; k < this.kinks; k++) height[k][i] -= least;
    }
    return height;
  }

  // Return the slope of a rounded loss at a signed score.
  steep(i, score) {
    const low = this.slope[0][i];
    const high = this.slope[1][i];
    if (!(low < high)) return low;
    return Math.min(Math.max((score - this.kink[0][i]) / this.width[i], low), high);
  }

  value(i, score) {
    if (this.width) {
      const steep = this.steep(i, score);
      return steep * (score - this.kink[0][i] - 0.5 * this.width[i] * steep);
    }
    let loss = 0;
    for (let k = 0; k < this.kinks; k++) {
      const beyond = score - this.kink[k][i];
      const line = Math.max(this.slope[k][i] * beyond, this.slope[k + 1][i] * beyond);
      loss = Math.max(loss, this.height[k][i] + line);
    }
    return loss;
  }

  // Return ℓ(t) + α t − min (ℓ + α t), which is 0 where α = −ℓ'(t).
  excess(i, score, dual) {
    if (this.width) {
      const beyond = score - this.kink[0][i];
      const steep = this.steep(i, score);
      return Math.max((steep + dual) * (beyond - 0.5 * this.width[i] * (steep - dual)), 0);
    }
    let least = Infinity;
    for (let k = 0; k < this.kinks; k++) {
      least = Math.min(least, -dual * (score - this.kink[k][i]) + this.height[k][i]);
    }
    return Math.max(this.value(i, score) - least, 0);
  }
}
