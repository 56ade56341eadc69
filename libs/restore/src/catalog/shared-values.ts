/** More different values are not worth the memory to know them. */
const valuesMax = 20_000;

/** The same value for equal keys, as far as those are not too many: objects of a backup repeat each other. */
export class SharedValues<T> {
  readonly #values = new Map<string, T>();

  get(key: string, make: () => T): T {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#values.size < valuesMax) this.#values.set(key, made);
    return made;
  }
}
