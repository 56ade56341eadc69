import { aesTables } from './aes-tables.ts';

const rounds = 14;
const keyWords = 8;
const scheduleWords = 4 * (rounds + 1);
const { sBox, rows } = aesTables();
const [row0, row1, row2, row3] = rows;

const substituted = (word: number) =>
  ((sBox[word >>> 24] as number) << 24) |
  ((sBox[(word >>> 16) & 255] as number) << 16) |
  ((sBox[(word >>> 8) & 255] as number) << 8) |
  (sBox[word & 255] as number);

/** AES-256 of single blocks (FIPS 197), for many keys of which each is used for a few. */
export class Aes256 {
  readonly #schedule = new Uint32Array(scheduleWords);

  setKey(key: Uint8Array): void {
    const words = this.#schedule;
    for (let index = 0; index < keyWords; index++) {
      const at = index * 4;
      words[index] =
        ((key[at] as number) << 24) |
        ((key[at + 1] as number) << 16) |
        ((key[at + 2] as number) << 8) |
        (key[at + 3] as number);
    }
    for (let index = keyWords, constant = 1; index < scheduleWords; index++) {
      let word = words[index - 1] as number;
      if (index % keyWords === 0) {
        word = substituted((word << 8) | (word >>> 24)) ^ (constant << 24);
        constant <<= 1;
      } else if (index % keyWords === 4) word = substituted(word);
      words[index] = (words[index - keyWords] as number) ^ word;
    }
  }

  /** Encrypts the block of these four words into `out`. */
  encrypt(in0: number, in1: number, in2: number, in3: number, out: Uint32Array): void {
    const key = this.#schedule;
    let a = in0 ^ (key[0] as number);
    let b = in1 ^ (key[1] as number);
    let c = in2 ^ (key[2] as number);
    let d = in3 ^ (key[3] as number);
    for (let at = 4; at < 4 * rounds; at += 4) {
      const e = mixed(a, b, c, d) ^ (key[at] as number);
      const f = mixed(b, c, d, a) ^ (key[at + 1] as number);
      const g = mixed(c, d, a, b) ^ (key[at + 2] as number);
      d = mixed(d, a, b, c) ^ (key[at + 3] as number);
      a = e;
      b = f;
      c = g;
    }
    const at = 4 * rounds;
    out[0] = last(a, b, c, d) ^ (key[at] as number);
    out[1] = last(b, c, d, a) ^ (key[at + 1] as number);
    out[2] = last(c, d, a, b) ^ (key[at + 2] as number);
    out[3] = last(d, a, b, c) ^ (key[at + 3] as number);
  }
}

const mixed = (a: number, b: number, c: number, d: number) =>
  (row0[a >>> 24] as number) ^
  (row1[(b >>> 16) & 255] as number) ^
  (row2[(c >>> 8) & 255] as number) ^
  (row3[d & 255] as number);

const last = (a: number, b: number, c: number, d: number) =>
  ((sBox[a >>> 24] as number) << 24) |
  ((sBox[(b >>> 16) & 255] as number) << 16) |
  ((sBox[(c >>> 8) & 255] as number) << 8) |
  (sBox[d & 255] as number);
