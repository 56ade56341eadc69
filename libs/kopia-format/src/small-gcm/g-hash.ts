/** What the four bits that a shift by four drops come back as (NIST SP 800-38D, 6.3: the field's polynomial), for the highest 16 bits. */
const reductions = Uint32Array.from({ length: 16 }, (_, dropped) => {
  let value = 0;
  for (let bit = 0; bit < 4; bit++) if ((dropped >>> bit) & 1) value ^= 0xe100 >>> (3 - bit);
  return value << 16;
});

/** GHASH of GCM, with a table of the 16 multiples of its key: cheap to make, for keys that are used for a few blocks. */
export class GHash {
  /** Of each multiple four words. */
  readonly #multiples = new Uint32Array(64);
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  setKey(key: Uint32Array): void {
    const table = this.#multiples;
    let [a, b, c, d] = [key[0] as number, key[1] as number, key[2] as number, key[3] as number];
    for (let multiple = 8; multiple > 0; multiple >>>= 1) {
      table.set([a, b, c, d], 4 * multiple);
      const dropped = d & 1;
      d = (d >>> 1) | (c << 31);
      c = (c >>> 1) | (b << 31);
      b = (b >>> 1) | (a << 31);
      a = (a >>> 1) ^ (dropped === 0 ? 0 : 0xe1000000);
    }
    for (let high = 2; high <= 8; high *= 2)
      for (let low = 1; low < high; low++)
        for (let word = 0; word < 4; word++)
          table[4 * (high + low) + word] = (table[4 * high + word] as number) ^ (table[4 * low + word] as number);
    this.#a = this.#b = this.#c = this.#d = 0;
  }

  /** Takes in one block. */
  block(a: number, b: number, c: number, d: number): void {
    const table = this.#multiples;
    const [a0, b0, c0, d0] = [this.#a ^ a, this.#b ^ b, this.#c ^ c, this.#d ^ d];
    let w = 0;
    let x = 0;
    let y = 0;
    let z = 0;
    for (let step = 0; step < 32; step++) {
      const word = step < 8 ? d0 : step < 16 ? c0 : step < 24 ? b0 : a0;
      const at = ((word >>> (4 * (step & 7))) & 15) * 4;
      const dropped = z & 15;
      z = ((z >>> 4) | (y << 28)) ^ (table[at + 3] as number);
      y = ((y >>> 4) | (x << 28)) ^ (table[at + 2] as number);
      x = ((x >>> 4) | (w << 28)) ^ (table[at + 1] as number);
      w = (w >>> 4) ^ (reductions[dropped] as number) ^ (table[at] as number);
    }
    this.#a = w;
    this.#b = x;
    this.#c = y;
    this.#d = z;
  }

  digest(out: Uint32Array): void {
    out[0] = this.#a;
    out[1] = this.#b;
    out[2] = this.#c;
    out[3] = this.#d;
  }
}
