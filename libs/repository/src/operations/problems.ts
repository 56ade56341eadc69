/** Problems that are listed; a bucket that lost a blob may have a million of them. */
export const problemsMax = 50;

/** Keeps the first problems and counts the rest. */
export class Problems {
  readonly listed: string[] = [];
  #count = 0;

  add(problem: string): void {
    this.#count += 1;
    if (this.listed.length < problemsMax && !this.listed.includes(problem)) this.listed.push(problem);
  }

  /** Adds problems that only the engine counted. */
  more(count: number): void {
    this.#count += Math.max(count, 0);
  }

  get count(): number {
    return this.#count;
  }
}
