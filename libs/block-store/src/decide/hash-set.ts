/** Words of the 32 bytes of a hash that are kept. Two different blocks with the same 16 bytes are not to be expected: 2^64 blocks would be needed. */
const keyWords = 4;
const fullAt = 0.7;

/**
 * Hashes of blocks, 16 bytes of each: a million take at most 27 MB. Used to find out whether a block is referenced or was uploaded; if two blocks
 * were taken for one, a block too many would be kept in the first case.
 */
export class HashSet {
  #slots = new Uint32Array(1024 * keyWords);
  #size = 0;
  /** A slot without a key is all zeros, so the key of all zeros is stored separately. */
  #hasZero = false;

  get size(): number {
    return this.#size;
  }

  /** @returns false when it was there */
  add(hash: Uint8Array): boolean {
    const view = wordsOf(hash);
    if (isZero(view)) {
      const isNew = !this.#hasZero;
      this.#hasZero = true;
      if (isNew) this.#size++;
      return isNew;
    }
    const slot = this.#find(view);
    if (!this.#isFree(slot)) return false;
    this.#slots.set(view, slot);
    this.#size++;
    if (this.#size * keyWords > this.#slots.length * fullAt) this.#grow();
    return true;
  }

  has(hash: Uint8Array): boolean {
    const view = wordsOf(hash);
    return isZero(view) ? this.#hasZero : !this.#isFree(this.#find(view));
  }

  /** The slot of the key, or the free slot for it. */
  #find(key: Uint32Array): number {
    const slots = this.#slots;
    const count = slots.length / keyWords;
    // Hashes are evenly distributed, so a part of the hash is the slot.
    for (let place = (key[0] ?? 0) % count; ; place = (place + 1) % count) {
      const at = place * keyWords;
      if (this.#isFree(at)) return at;
      if (slots[at] === key[0] && slots[at + 1] === key[1] && slots[at + 2] === key[2] && slots[at + 3] === key[3]) {
        return at;
      }
    }
  }

  #isFree(slot: number): boolean {
    const slots = this.#slots;
    return slots[slot] === 0 && slots[slot + 1] === 0 && slots[slot + 2] === 0 && slots[slot + 3] === 0;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += keyWords) {
      const key = old.subarray(at, at + keyWords);
      if (!isZero(key)) this.#slots.set(key, this.#find(key));
    }
  }
}

function wordsOf(hash: Uint8Array): Uint32Array {
  const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength);
  return Uint32Array.of(view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12));
}

const isZero = (key: Uint32Array): boolean => key.every((word) => word === 0);
