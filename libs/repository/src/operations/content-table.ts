import { AppError } from '@lateen/errors';

/** The most contents in a table: their table takes 740 MB, and no pod for this operation has more memory. */
export const contentsMax = 20_000_000;

const [nobody, severalVolumes, repositoryItself] = [-1, -2, -3];
const emptySlot = 0;
const slotsMin = 1024;

/** The most volumes that are followed at the same time: one bit for each. */
export const volumesAtOnceMax = 32;
/** The most such groups; their number is stored in sixteen bits. */
const groupsMax = 2 ** 16 - 1;

/**
 * Which volume needs which stored content of a kopia repository, and the length of each: a hash table in typed arrays, 22 bytes a
 * slot, because a Map would take several times as much. Contents are identified by 64 bits of their hash; in the largest table,
 * the probability that two are taken for one is one in 40,000.
 */
export class ContentTable {
  #slots = slotsMin;
  #count = 0;
  #high = new Uint32Array(slotsMin);
  #low = new Uint32Array(slotsMin);
  #bytes = new Uint32Array(slotsMin);
  #owner = new Int32Array(slotsMin);
  /** The group of volumes that visited the content last, from 1, and which volumes of it did. */
  #group = new Uint16Array(slotsMin);
  #visitors = new Uint32Array(slotsMin);

  get count(): number {
    return this.#count;
  }

  /** `kept`: the repository itself needs the content. @throws REPOSITORY_TOO_LARGE, ENGINE_BAD_ANSWER */
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
    this.#put(slot, { high, low, bytes, owner: kept ? repositoryItself : nobody, group: 0, visitors: 0 });
    this.#count += 1;
  }

  /**
   * Records that a volume needs a content. Volumes are processed in groups of {@link volumesAtOnceMax}, by their numbers, in any
   * order inside a group; after the first volume of a group, no volume of an earlier group may follow. Returns the content's
   * bytes at the volume's first visit, else undefined. Contents that are not in the table are ignored.
   * @throws REPOSITORY_TOO_LARGE
   */
  visit(contentID: string, volume: number): number | undefined {
    const [high, low] = keyOf(contentID);
    const slot = this.#slotOf(high, low);
    if (this.#low[slot] === emptySlot) return 0;
    const group = Math.floor(volume / volumesAtOnceMax) + 1;
    if (group > groupsMax)
      throw new AppError('REPOSITORY_TOO_LARGE', 'the repository has more than two million volumes');
    const before = this.#group[slot] === group ? (this.#visitors[slot] ?? 0) : 0;
    const mine = 1 << (volume % volumesAtOnceMax);
    if ((before & mine) !== 0) return undefined;
    this.#group[slot] = group;
    this.#visitors[slot] = before | mine;
    const owner = this.#owner[slot] ?? nobody;
    this.#owner[slot] = owner === nobody || owner === repositoryItself ? volume : severalVolumes;
    return this.#bytes[slot] ?? 0;
  }

  /** Sums of bytes by the volumes that need them, each content counted once. */
  sums(volumes: number): { unique: number[]; shared: number; nobody: number } {
    const unique = new Array<number>(volumes).fill(0);
    const sums = { unique, shared: 0, nobody: 0 };
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.#low[slot] === emptySlot) continue;
      const [owner, bytes] = [this.#owner[slot] ?? nobody, this.#bytes[slot] ?? 0];
      if (owner >= 0) unique[owner] = (unique[owner] ?? 0) + bytes;
      else if (owner === severalVolumes) sums.shared += bytes;
      else if (owner === nobody) sums.nobody += bytes;
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
    entry: { high: number; low: number; bytes: number; owner: number; group: number; visitors: number },
  ) {
    this.#high[slot] = entry.high;
    this.#low[slot] = entry.low;
    this.#bytes[slot] = entry.bytes;
    this.#owner[slot] = entry.owner;
    this.#group[slot] = entry.group;
    this.#visitors[slot] = entry.visitors;
  }

  #grow(): void {
    const [high, low, bytes, owner, group, visitors] = [
      this.#high,
      this.#low,
      this.#bytes,
      this.#owner,
      this.#group,
      this.#visitors,
    ];
    const before = this.#slots;
    this.#slots = before * 2;
    this.#high = new Uint32Array(this.#slots);
    this.#low = new Uint32Array(this.#slots);
    this.#bytes = new Uint32Array(this.#slots);
    this.#owner = new Int32Array(this.#slots);
    this.#group = new Uint16Array(this.#slots);
    this.#visitors = new Uint32Array(this.#slots);
    const at = (array: Uint32Array | Int32Array | Uint16Array, slot: number): number => array[slot] ?? 0;
    for (let slot = 0; slot < before; slot++) {
      if (low[slot] === emptySlot) continue;
      this.#put(this.#slotOf(at(high, slot), at(low, slot)), {
        high: at(high, slot),
        low: at(low, slot),
        bytes: at(bytes, slot),
        owner: at(owner, slot),
        group: at(group, slot),
        visitors: at(visitors, slot),
      });
    }
  }
}

/** A content's ID is an optional letter and the hex of a hash. The letter distinguishes contents with the same hash. */
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
