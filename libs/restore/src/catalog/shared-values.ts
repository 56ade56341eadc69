/** The limit of cached values; caching more costs more memory than it saves. */
const valuesMax = 20_000;

/** Returns the same value for equal keys, up to the limit, because objects of a backup repeat values. */
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
