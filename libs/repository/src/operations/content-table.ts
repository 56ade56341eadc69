import { AppError } from '@lateen/errors';

/** So many contents are told apart: a table of them takes 700 MB, and more than that no pod for this has. */
export const contentsMax = 20_000_000;

const [nobody, severalVolumes] = [-1, -2];
const emptySlot = 0;
const slotsMin = 1024;

/**
 * Which volume needs which stored content of a kopia repository, and how long each is: a hash table in typed arrays, 21
 * bytes a slot, because a Map would take several times as much. Contents are known by 64 bits of their hash; in the largest
 * table two are taken for one with a chance of one in 40,000.
 */
export class ContentTable {
  #slots = slotsMin;
  #count = 0;
  #high = new Uint32Array(slotsMin);
  #low = new Uint32Array(slotsMin);
  #bytes = new Uint32Array(slotsMin);
  #owner = new Int32Array(slotsMin);
  #visitor = new Int32Array(slotsMin);
  #kept = new Uint8Array(slotsMin);

  get count(): number {
    return this.#count;
  }

  /** `kept`: needed by the repository itself, whoever else needs it. @throws REPOSITORY_TOO_LARGE, ENGINE_BAD_ANSWER */
  add(contentID: string, bytes: number, kept: boolean): void {
    if (this.#count >= contentsMax) {
      throw new AppError('REPOSITORY_TOO_LARGE', `the repository has more than ${contentsMax} contents`, {
        nextStep: 'Its volumes cannot be told apart in memory; its size is that of its blobs in the bucket.',
      });
    }
    if (this.#count * 5 >= this.#slots * 3) this.#grow();
    const [high, low] = keyOf(contentID);
    const slot = this.#slotOf(high, low);
    if (this.#low[slot] !== emptySlot) return;
    this.#put(slot, { high, low, bytes, owner: nobody, visitor: nobody, kept: kept ? 1 : 0 });
    this.#count += 1;
  }

  /**
   * Notes that a volume needs a content. Volumes come one after the other: a volume whose number was once followed by
   * another's must not come back. Returns its bytes when this volume had not named it before, else undefined. Contents that
   * are not in the table count for nothing.
   */
  visit(contentID: string, volume: number): number | undefined {
    const [high, low] = keyOf(contentID);
    const slot = this.#slotOf(high, low);
    if (this.#low[slot] === emptySlot) return 0;
    if (this.#visitor[slot] === volume) return undefined;
    this.#visitor[slot] = volume;
    this.#owner[slot] = this.#owner[slot] === nobody ? volume : severalVolumes;
    return this.#bytes[slot] ?? 0;
  }

  /** Bytes by who needs them, each content counted once. */
  sums(volumes: number): { unique: number[]; shared: number; nobody: number } {
    const unique = new Array<number>(volumes).fill(0);
    const sums = { unique, shared: 0, nobody: 0 };
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.#low[slot] === emptySlot) continue;
      const [owner, bytes] = [this.#owner[slot] ?? nobody, this.#bytes[slot] ?? 0];
      if (owner >= 0) unique[owner] = (unique[owner] ?? 0) + bytes;
      else if (owner === severalVolumes) sums.shared += bytes;
      else if (this.#kept[slot] === 0) sums.nobody += bytes;
    }
    return sums;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#slots - 1;
    let slot = (high ^ Math.imul(low, 0x9e3779b1)) & mask;
    while (this.#low[slot] !== emptySlot && (this.#low[slot] !== low || this.#high[slot] !== high))
      slot = (slot + 1) & mask;
    return slot;
  }

  #put(
    slot: number,
    entry: { high: number; low: number; bytes: number; owner: number; visitor: number; kept: number },
  ) {
    this.#high[slot] = entry.high;
    this.#low[slot] = entry.low;
    this.#bytes[slot] = entry.bytes;
    this.#owner[slot] = entry.owner;
    this.#visitor[slot] = entry.visitor;
    this.#kept[slot] = entry.kept;
  }

  #grow(): void {
    const [high, low, bytes, owner, visitor, kept] = [
      this.#high,
      this.#low,
      this.#bytes,
      this.#owner,
      this.#visitor,
      this.#kept,
    ];
    const before = this.#slots;
    this.#slots = before * 2;
    this.#high = new Uint32Array(this.#slots);
    this.#low = new Uint32Array(this.#slots);
    this.#bytes = new Uint32Array(this.#slots);
    this.#owner = new Int32Array(this.#slots);
    this.#visitor = new Int32Array(this.#slots);
    this.#kept = new Uint8Array(this.#slots);
    const at = (array: Uint32Array | Int32Array | Uint8Array, slot: number): number => array[slot] ?? 0;
    for (let slot = 0; slot < before; slot++) {
      if (low[slot] === emptySlot) continue;
      this.#put(this.#slotOf(at(high, slot), at(low, slot)), {
        high: at(high, slot),
        low: at(low, slot),
        bytes: at(bytes, slot),
        owner: at(owner, slot),
        visitor: at(visitor, slot),
        kept: at(kept, slot),
      });
    }
  }
}

/** A content's ID is a letter or none and the hex of a hash. The letter tells apart what has the same hash. */
function keyOf(contentID: string): [number, number] {
  const start = contentID.length % 2;
  const high = Number.parseInt(contentID.slice(start, start + 8), 16);
  const low = Number.parseInt(contentID.slice(start + 8, start + 16), 16);
  if (Number.isNaN(high) || Number.isNaN(low)) {
    throw new AppError('ENGINE_BAD_ANSWER', `kopia named a content "${contentID.slice(0, 80)}"`);
  }
  const letter = start === 0 ? 0 : contentID.charCodeAt(0);
  // Zero means an empty slot.
  return [(high ^ Math.imul(letter, 0x01000193)) >>> 0, (low | 1) >>> 0];
}
