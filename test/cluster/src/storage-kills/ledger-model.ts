/** A write of a block of the ledger: what was written, by number. 0 is what the block held before the first one: zeros. */
export type Stamp = number;

export const ledgerBlockBytes = 4096;

/**
 * What a block may read as, after every write that was acknowledged and every one that was not. Pure bookkeeping: one write of a block at a time.
 * A write that was acknowledged is there until the next one of its block is. One that was not may have happened; once it has been read it has, and
 * what was there before never comes back.
 */
export class LedgerModel {
  readonly #blocks: { acknowledged: Stamp; unsure: Set<Stamp> }[];
  #last: Stamp = 0;
  #acknowledged = 0;

  constructor(blocks: number) {
    this.#blocks = Array.from({ length: blocks }, () => ({ acknowledged: 0, unsure: new Set<Stamp>() }));
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  /** How many writes were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** A write begins: from here on it may be there. */
  begin(block: number): Stamp {
    this.#last += 1;
    this.#at(block).unsure.add(this.#last);
    return this.#last;
  }

  acknowledge(block: number, stamp: Stamp): void {
    const at = this.#at(block);
    at.acknowledged = stamp;
    at.unsure.clear();
    this.#acknowledged += 1;
  }

  /** Takes note of what was read. @returns what is wrong with it; undefined when nothing is */
  read(block: number, found: Stamp | undefined): string | undefined {
    const at = this.#at(block);
    if (found === at.acknowledged) return this.#settle(at, found);
    if (found !== undefined && at.unsure.has(found)) return this.#settle(at, found);
    const what = found === undefined ? 'what nobody has written as a whole' : `write ${found}`;
    const unsure = at.unsure.size === 0 ? '' : `, or one of the unacknowledged ${[...at.unsure].join(', ')}`;
    return `block ${block} reads ${what}, and should read the acknowledged write ${at.acknowledged}${unsure}`;
  }

  #settle(at: { acknowledged: Stamp; unsure: Set<Stamp> }, found: Stamp): undefined {
    at.acknowledged = found;
    at.unsure.clear();
    return undefined;
  }

  #at(block: number) {
    const at = this.#blocks[block];
    if (at === undefined) throw new RangeError(`the ledger has no block ${block}`);
    return at;
  }
}

/** Each sector names run, block and write, so that a mixture of two writes, or a block in the place of another, is seen. */
export const blockBytes = (run: string, block: number, stamp: Stamp): Buffer =>
  stamp === 0 ? Buffer.alloc(ledgerBlockBytes) : Buffer.alloc(ledgerBlockBytes, `${run} ${block} ${stamp}\n`);

/** Undefined for anything that {@link blockBytes} has not made for this block. */
export function stampOf(run: string, block: number, bytes: Buffer): Stamp | undefined {
  if (bytes.every((byte) => byte === 0)) return 0;
  const end = bytes.indexOf('\n');
  const stamp = Number(bytes.subarray(0, Math.max(end, 0)).toString('latin1').split(' ').at(-1));
  if (!Number.isInteger(stamp) || stamp < 1) return undefined;
  return blockBytes(run, block, stamp).equals(bytes) ? stamp : undefined;
}
