// How are packed numbers read back? To the last bit, as chemin.report.explorer.packing has written them.

const TYPES = { u1: Uint8Array, i2: Int16Array, i4: Int32Array, f8: Float64Array };

// Return an array of doubles.
export function unpack(packed) {
  const values = new Float64Array(packed.length);
  if ("constant" in packed) return values.fill(packed.constant);
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const read = new TYPES[packed.type](bytes.buffer);
  const divisor = packed.divisor ?? 1;
  for (let k = 0; k < values.length; k++) values[k] = read[k] / divisor;
  return values;
}
