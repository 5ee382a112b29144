// What is the value of many series at any λ₁? They are affine between breakpoints, and known at their knots.

import { unpack } from "./numbers.js";

// Return the breakpoint before each λ₁ and the share of the way to the next one; λ₁ decreases along a path.
export function placeAt(l1, wanted) {
  const last = l1.length - 1;
  if (wanted > l1[0]) return { before: 0, share: 0 };
  let low = 0;
  let high = last;
  while (low < high) {
    // the last breakpoint whose λ₁ is not below the wanted one
    const middle = (low + high + 1) >> 1;
    if (l1[middle] >= wanted) low = middle;
    else high = middle - 1;
  }
  const after = Math.min(low + 1, last);
  const width = l1[low] - l1[after];
  return { before: low, share: width > 0 ? Math.min((l1[low] - wanted) / width, 1) : 0 };
}

export class Series {
  constructor(carried) {
    this.ids = unpack(carried.series);
    this.start = unpack(carried.start);
    this.at = unpack(carried.step);
    for (let k = 0; k < this.ids.length; k++) {
      for (let knot = this.start[k] + 1; knot < this.start[k + 1]; knot++) this.at[knot] += this.at[knot - 1];
    }
    this.value = unpack(carried.value);
    this.count = this.ids.length;
  }

  // Return the value of one series.
  one(k, { before, share }) {
    let low = this.start[k];
    let high = this.start[k + 1] - 1;
    while (low < high) {
      // the last knot that is not after the breakpoint
      const middle = (low + high + 1) >> 1;
      if (this.at[middle] <= before) low = middle;
      else high = middle - 1;
    }
    const value = this.value[low];
    const next = low + 1;
    const moves = this.at[low] === before && next < this.start[k + 1] && this.at[next] === before + 1;
    return moves ? (1 - share) * value + share * this.value[next] : value;
  }

  // Return how large one series ever is.
  largest(k) {
    let most = 0;
    for (let knot = this.start[k]; knot < this.start[k + 1]; knot++) most = Math.max(most, Math.abs(this.value[knot]));
    return most;
  }

  // Return the values of all series, in the order of their ids.
  all(place, into = new Float64Array(this.count)) {
    for (let k = 0; k < this.count; k++) into[k] = this.one(k, place);
    return into;
  }
}
