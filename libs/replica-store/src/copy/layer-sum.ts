import { createHash } from 'node:crypto';
import { replicaLimits } from '../limits.ts';

const { unitBytes } = replicaLimits;
const zeroUnit = Buffer.alloc(unitBytes);

/**
 * SHA-256 over what a layer itself holds: its runs of data (offset, bytes, length) and of zeros (offset, length), in order and as long as
 * they can be, in units of 4 KiB. Data that is all zeros counts as zeros, whichever way it is stored, so that replicas that
 * hold the same have the same sum.
 */
export class LayerSum {
  readonly #hash = createHash('sha256');
  #run: { kind: 'data' | 'zero'; at: bigint; lengthBytes: bigint } | undefined;

  /** The next area, after all before it. */
  zeros(at: bigint, lengthBytes: bigint): void {
    this.#extend('zero', at, lengthBytes);
  }

  /** `bytes` are whole units of 4 KiB. */
  data(at: bigint, bytes: Uint8Array): void {
    let from = 0;
    let kind = kindAt(bytes, 0);
    for (let offset = unitBytes; offset <= bytes.length; offset += unitBytes) {
      const next = offset < bytes.length ? kindAt(bytes, offset) : undefined;
      if (next === kind) continue;
      this.#extend(kind, at + BigInt(from), BigInt(offset - from));
      if (kind === 'data') this.#hash.update(bytes.subarray(from, offset));
      from = offset;
      kind = next ?? kind;
    }
  }

  hex(): string {
    this.#end();
    return this.#hash.digest('hex');
  }

  #extend(kind: 'data' | 'zero', at: bigint, lengthBytes: bigint): void {
    const run = this.#run;
    if (run?.kind === kind && run.at + run.lengthBytes === at) {
      run.lengthBytes += lengthBytes;
      return;
    }
    this.#end();
    this.#run = { kind, at, lengthBytes };
    if (kind === 'data') this.#hash.update(`data ${at}\n`);
  }

  #end(): void {
    if (this.#run?.kind === 'data') this.#hash.update(`\n${this.#run.lengthBytes}\n`);
    if (this.#run?.kind === 'zero') this.#hash.update(`zero ${this.#run.at} ${this.#run.lengthBytes}\n`);
    this.#run = undefined;
  }
}

const kindAt = (bytes: Uint8Array, offset: number): 'data' | 'zero' =>
  zeroUnit.equals(bytes.subarray(offset, offset + unitBytes)) ? 'zero' : 'data';
