/** Tables of AES encryption (FIPS 197): a round is four look-ups and four XORs for each word. */
export interface AesTables {
  sBox: Uint8Array;
  /** SubBytes and MixColumns of a byte in each of the four rows. */
  rows: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
}

export function aesTables(): AesTables {
  const sBox = substitutions();
  const row = (rotation: number) =>
    Uint32Array.from(sBox, (s) => {
      const two = doubled(s);
      const word = ((two << 24) | (s << 16) | (s << 8) | (two ^ s)) >>> 0;
      return rotation === 0 ? word : (word >>> rotation) | (word << (32 - rotation));
    });
  return { sBox, rows: [row(0), row(8), row(16), row(24)] };
}

/** In the field of AES. */
export const doubled = (value: number): number => ((value << 1) ^ (value & 0x80 ? 0x1b : 0)) & 0xff;

/** The inverse of each byte in the field, then an affine map. 3 generates all that have an inverse, and 0xf6 undoes it. */
function substitutions(): Uint8Array {
  const box = new Uint8Array(256);
  const exponents = new Uint8Array(255);
  for (let power = 0, value = 1; power < 255; power++) {
    exponents[power] = value;
    value ^= doubled(value);
  }
  const affine = (value: number) => {
    const twice = value | (value << 8);
    return (value ^ (twice >> 7) ^ (twice >> 6) ^ (twice >> 5) ^ (twice >> 4) ^ 0x63) & 0xff;
  };
  box[0] = 0x63;
  for (let power = 0; power < 255; power++) box[exponents[power] ?? 0] = affine(exponents[(255 - power) % 255] ?? 0);
  return box;
}
