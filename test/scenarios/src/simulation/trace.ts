/** The events of a run in order, and their hash: two runs of one seed must have the same. */
export class Trace {
  readonly lines: string[] = [];
  readonly #nowMs: () => number;
  #high = 0x9e3779b9;
  #low = 0x7f4a7c15;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  note(text: string): void {
    const line = `${(this.#nowMs() / 1000).toFixed(3).padStart(9)} s  ${text}`;
    this.lines.push(line);
    for (let at = 0; at < line.length; at++) {
      const code = line.charCodeAt(at);
      this.#high = Math.imul(this.#high ^ code, 0x85ebca6b);
      this.#low = Math.imul(this.#low ^ code, 0xc2b2ae35) ^ (this.#high >>> 13);
    }
  }

  get hash(): string {
    return [this.#high, this.#low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
