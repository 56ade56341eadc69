export interface BodyPlace {
  /** Number of the gzip member. */
  member: number;
  /** In the member, unpacked. */
  offset: number;
  bytes: number;
}

const fieldsOfPlace = 3;

/** Where each body is, by number: twelve bytes for each, because an archive may have a million. */
export class BodyIndex {
  #fields = new Uint32Array(fieldsOfPlace * 1_024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @returns its number */
  add({ member, offset, bytes }: BodyPlace): number {
    const at = this.#count * fieldsOfPlace;
    if (at === this.#fields.length) {
      const larger = new Uint32Array(this.#fields.length * 2);
      larger.set(this.#fields);
      this.#fields = larger;
    }
    this.#fields[at] = member;
    this.#fields[at + 1] = offset;
    this.#fields[at + 2] = bytes;
    return this.#count++;
  }

  at(number: number): BodyPlace | undefined {
    if (!Number.isInteger(number) || number < 0 || number >= this.#count) return undefined;
    const [member = 0, offset = 0, bytes = 0] = this.#fields.subarray(number * fieldsOfPlace);
    return { member, offset, bytes };
  }
}
