import { join } from 'node:path';
import { describeError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { execa } from 'execa';
import { blockBytes, LedgerModel, ledgerBlockBytes, stampOf } from './ledger-model.ts';

export interface LedgerOptions {
  clock: Clock;
  random: Random;
  /** Contained in every block, so that blocks of another run are recognized. */
  run: string;
  /** Folder in which the volume is mounted now; undefined while it is not. */
  place(signal: AbortSignal): Promise<string | undefined>;
}

/** 4 MiB: each block is overwritten often, and reading all of them is fast. */
const blocks = 1024;
/** Pause after a write or read that failed. */
const pauseMs = 250;
const file = 'ledger';

/**
 * Writes blocks of a file on the volume one by one, bypassing all caches, records whether each was acknowledged, and reads another block
 * after each. The seed decides what is written where.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #model = new LedgerModel(blocks);
  #place: string | undefined;
  #isThere = false;
  #turn: Promise<boolean> = Promise.resolve(true);
  /** The last failure, for a caller that waits for a write. */
  lastFailure = '';

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  get acknowledged(): number {
    return this.#model.acknowledged;
  }

  /** Runs until the signal aborts. @throws when what is read was never written, or is older than what was acknowledged */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const place = await this.#located(signal);
      const isDone = place !== undefined && (await this.#inTurn(() => this.#step(join(place, file))));
      if (isDone || signal.aborted) continue;
      this.#place = undefined;
      await this.#options.clock.sleep(pauseMs, signal).catch(() => {});
    }
  }

  async #located(signal: AbortSignal): Promise<string | undefined> {
    this.#place ??= await this.#options.place(signal).catch((error: unknown) => {
      this.lastFailure = describeError(error);
      return undefined;
    });
    return this.#place;
  }

  /** False when it failed. */
  async #step(path: string): Promise<boolean> {
    if (!this.#isThere) this.#isThere = await this.#make(path);
    return this.#isThere && (await this.#write(path)) && (await this.#check(path, this.#anyBlock(), 1));
  }

  #anyBlock(): number {
    return Math.floor(this.#options.random.next() * blocks);
  }

  #make(path: string): Promise<boolean> {
    const zeros = Buffer.alloc(blocks * ledgerBlockBytes);
    return this.#dd([`of=${path}`, `bs=${zeros.length}`, 'iflag=fullblock', 'oflag=direct', 'conv=fsync'], zeros).then(
      (out) => out !== undefined,
    );
  }

  async #write(path: string): Promise<boolean> {
    const block = this.#anyBlock();
    const stamp = this.#model.begin(block);
    const bytes = blockBytes(this.#options.run, block, stamp);
    // The file is not created or truncated here: without the volume it does not exist.
    const args = ['iflag=fullblock', 'oflag=direct,dsync', 'conv=notrunc,nocreat', `seek=${block}`];
    if ((await this.#dd([`of=${path}`, `bs=${ledgerBlockBytes}`, 'count=1', ...args], bytes)) === undefined)
      return false;
    this.#model.acknowledge(block, stamp);
    return true;
  }

  /** Compares every block with the model. @returns false when it could not be read @throws when a block is wrong */
  async checkAll(signal: AbortSignal): Promise<boolean> {
    const place = await this.#options.place(signal);
    return place !== undefined && (await this.#inTurn(() => this.#check(join(place, file), 0, blocks)));
  }

  /** One operation at a time: otherwise a block that is written while all blocks are read could be compared with the wrong content. */
  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => false);
    return turn;
  }

  async #check(path: string, first: number, count: number): Promise<boolean> {
    const bytes = await this.#dd([
      `if=${path}`,
      `bs=${ledgerBlockBytes}`,
      `skip=${first}`,
      `count=${count}`,
      'iflag=direct',
    ]);
    if (bytes?.length !== count * ledgerBlockBytes) return false;
    const wrong = Array.from({ length: count }, (_, at) => {
      const own = bytes.subarray(at * ledgerBlockBytes, (at + 1) * ledgerBlockBytes);
      return this.#model.read(first + at, stampOf(this.#options.run, first + at, own)) ?? [];
    }).flat();
    if (wrong.length > 0)
      throw new Error(`${wrong.length} blocks of the ledger are wrong: ${wrong.slice(0, 5).join('; ')}`);
    return true;
  }

  /** The output of dd; undefined when it failed. It is never aborted, because the result of a write that hangs has to be known. */
  async #dd(args: readonly string[], input?: Buffer): Promise<Buffer | undefined> {
    const stdin = input === undefined ? { stdin: 'ignore' as const } : { input };
    const result = await execa('dd', [...args, 'status=none'], { ...stdin, encoding: 'buffer', reject: false });
    if (!result.failed) return Buffer.from(result.stdout);
    this.lastFailure = result.shortMessage ?? '';
    return undefined;
  }
}
