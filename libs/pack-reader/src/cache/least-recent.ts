/** Sizes of what is kept, by name, in the order of its last use. */
export class LeastRecent {
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  has(name: string): boolean {
    return this.#sizes.has(name);
  }

  add(name: string, bytes: number): void {
    this.remove(name);
    this.#sizes.set(name, bytes);
    this.#bytes += bytes;
  }

  /** It was used just now. */
  touch(name: string): void {
    const bytes = this.#sizes.get(name);
    if (bytes !== undefined) this.add(name, bytes);
  }

  remove(name: string): void {
    this.#bytes -= this.#sizes.get(name) ?? 0;
    this.#sizes.delete(name);
  }

  /** Removes what was not used for the longest time. @returns its name; undefined when there is none */
  removeOldest(): string | undefined {
    const [oldest] = this.#sizes.keys();
    if (oldest !== undefined) this.remove(oldest);
    return oldest;
  }
}
