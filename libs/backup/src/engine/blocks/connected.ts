/** Keys joined to sets: two keys are in one set when a chain of joins leads from one to the other. */
export class ConnectedKeys {
  readonly #parents = new Map<string, string>();

  add(key: string): void {
    if (!this.#parents.has(key)) this.#parents.set(key, key);
  }

  join(one: string, other: string): void {
    this.add(one);
    this.add(other);
    this.#parents.set(this.#rootOf(other), this.#rootOf(one));
  }

  /** Each set, and within it the keys, in the order in which they were added. */
  sets(): string[][] {
    const sets = new Map<string, string[]>();
    for (const key of this.#parents.keys()) {
      const root = this.#rootOf(key);
      const set = sets.get(root);
      if (set === undefined) sets.set(root, [key]);
      else set.push(key);
    }
    return [...sets.values()];
  }

  #rootOf(key: string): string {
    let root = key;
    for (let next = this.#parents.get(root); next !== undefined && next !== root; next = this.#parents.get(root))
      root = next;
    // Path compression: every key on the path now points at the root.
    for (let at = key; at !== root; ) {
      const next = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = next;
    }
    return root;
  }
}
