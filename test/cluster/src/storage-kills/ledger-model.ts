/** A write of a block of the ledger, by number. 0 is the content before the first write: zeros. */
export type Stamp = number;

export const ledgerBlockBytes = 4096;

/**
 * The possible contents of a block after acknowledged and unacknowledged writes. A pure model: one write of a block at a time. An
 * acknowledged write stays until the next write of its block. An unacknowledged one may have been carried out; once it has been read, the
 * earlier content must not come back.
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

  /** Number of acknowledged writes. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Starts a write: from now on it may be read. */
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

  /** Records what was read. @returns what is wrong with it; undefined when nothing is */
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

/** Each sector has run, block and write number, so that a mixture of two writes, or a block in the wrong place, is detected. */
export const blockBytes = (run: string, block: number, stamp: Stamp): Buffer =>
  stamp === 0 ? Buffer.alloc(ledgerBlockBytes) : Buffer.alloc(ledgerBlockBytes, `${run} ${block} ${stamp}\n`);

/** Undefined for everything that {@link blockBytes} has not created for this block. */
export function stampOf(run: string, block: number, bytes: Buffer): Stamp | undefined {
  if (bytes.every((byte) => byte === 0)) return 0;
  const end = bytes.indexOf('\n');
  const stamp = Number(bytes.subarray(0, Math.max(end, 0)).toString('latin1').split(' ').at(-1));
  if (!Number.isInteger(stamp) || stamp < 1) return undefined;
  return blockBytes(run, block, stamp).equals(bytes) ? stamp : undefined;
}
