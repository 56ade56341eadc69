import { hashBytes } from '../names/block-hash.ts';
import { FieldError } from './config-field.ts';

/**
 * The blocks of one backup, ascending by offset. 40 bytes each: a volume of 1 TiB in blocks of 2 MiB takes 21 MB; as text and objects it would take
 * ten times as much.
 */
export class BlockList {
  readonly #offsets: Float64Array;
  readonly #hashes: Buffer;

  /** `hashes` has the raw bytes of one hash after the other. Neither is changed afterwards. */
  constructor(offsets: Float64Array, hashes: Buffer) {
    this.#offsets = offsets;
    this.#hashes = hashes;
  }

  get length(): number {
    return this.#offsets.length;
  }

  offsetAt(index: number): number {
    return this.#offsets[index] ?? Number.NaN;
  }

  /** The bytes themselves, for comparison; they must not be changed. */
  hashAt(index: number): Buffer {
    return this.#hashes.subarray(index * hashBytes, (index + 1) * hashBytes);
  }

  checksumAt(index: number): string {
    return this.#hashes.toString('hex', index * hashBytes, (index + 1) * hashBytes);
  }

  isSameAt(index: number, other: BlockList, otherIndex: number): boolean {
    return this.hashAt(index).equals(other.hashAt(otherIndex));
  }

  *[Symbol.iterator](): Generator<{ offset: number; checksum: string }> {
    for (let at = 0; at < this.length; at++) yield { offset: this.offsetAt(at), checksum: this.checksumAt(at) };
  }
}

export const noBlocks = new BlockList(new Float64Array(0), Buffer.alloc(0));

/** Collects blocks in any order. */
export class BlockListBuilder {
  #offsets: Float64Array<ArrayBuffer>;
  #hashes: Buffer<ArrayBuffer>;
  #length = 0;
  #isAscending = true;

  /** @param expected the expected number; more may be added */
  constructor(expected = 16) {
    this.#offsets = new Float64Array(Math.max(expected, 1));
    this.#hashes = Buffer.alloc(Math.max(expected, 1) * hashBytes);
  }

  add(offset: number, hash: string | Uint8Array): void {
    if (this.#length === this.#offsets.length) this.#grow();
    if (this.#length > 0 && offset <= (this.#offsets[this.#length - 1] ?? 0)) this.#isAscending = false;
    this.#offsets[this.#length] = offset;
    if (typeof hash === 'string') this.#hashes.write(hash, this.#length * hashBytes, 'hex');
    else this.#hashes.set(hash, this.#length * hashBytes);
    this.#length++;
  }

  /** @throws FieldError when two blocks have the same offset */
  build(): BlockList {
    const offsets = this.#offsets.subarray(0, this.#length);
    const hashes = this.#hashes.subarray(0, this.#length * hashBytes);
    return this.#isAscending ? new BlockList(offsets, hashes) : sorted(offsets, hashes);
  }

  #grow(): void {
    const [offsets, hashes] = [this.#offsets, this.#hashes];
    this.#offsets = new Float64Array(offsets.length * 2);
    this.#offsets.set(offsets);
    this.#hashes = Buffer.alloc(hashes.length * 2);
    this.#hashes.set(hashes);
  }
}

function sorted(offsets: Float64Array, hashes: Buffer): BlockList {
  const order = Uint32Array.from(offsets.keys()).sort((a, b) => (offsets[a] ?? 0) - (offsets[b] ?? 0));
  const sortedOffsets = Float64Array.from(order, (from) => offsets[from] ?? 0);
  const twice = sortedOffsets.findIndex((offset, at) => at > 0 && offset === sortedOffsets[at - 1]);
  if (twice >= 0) throw new FieldError(`it lists two blocks at ${sortedOffsets[twice]}`);
  const sortedHashes = Buffer.alloc(hashes.length);
  order.forEach((from, to) => void hashes.copy(sortedHashes, to * hashBytes, from * hashBytes, (from + 1) * hashBytes));
  return new BlockList(sortedOffsets, sortedHashes);
}

/** `base` with the changes: at each offset the block of `changed`, if it has one. */
export function overlaid(base: BlockList, changed: BlockList): BlockList {
  const built = new BlockListBuilder(base.length + changed.length);
  let at = 0;
  for (let index = 0; index < changed.length; index++) {
    const offset = changed.offsetAt(index);
    for (; at < base.length && base.offsetAt(at) < offset; at++) built.add(base.offsetAt(at), base.hashAt(at));
    if (at < base.length && base.offsetAt(at) === offset) at++;
    built.add(offset, changed.hashAt(index));
  }
  for (; at < base.length; at++) built.add(base.offsetAt(at), base.hashAt(at));
  return built.build();
}
