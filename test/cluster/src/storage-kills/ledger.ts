import { join } from 'node:path';
import { describeError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { execa } from 'execa';
import { blockBytes, LedgerModel, ledgerBlockBytes, stampOf } from './ledger-model.ts';

export interface LedgerOptions {
  clock: Clock;
  random: Random;
  /** In every block, so that nothing of another run is taken for one of this. */
  run: string;
  /** Folder of the volume as it is mounted now; undefined while it is not. */
  place(signal: AbortSignal): Promise<string | undefined>;
}

/** 4 MiB: each block is written again and again, and a look at all of them takes no time. */
const blocks = 1024;
/** After a write or read that failed. */
const pauseMs = 250;
const file = 'ledger';

/**
 * Writes blocks of a file on the volume one by one, past all caches, knows of each whether it was acknowledged, and reads another one after each.
 * What is written where comes from the seed.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #model = new LedgerModel(blocks);
  #place: string | undefined;
  #isThere = false;
  #turn: Promise<boolean> = Promise.resolve(true);
  /** The last failure, for whoever waits for a write. */
  lastFailure = '';

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  get acknowledged(): number {
    return this.#model.acknowledged;
  }

  /** Until the signal aborts. @throws when what is read was never written, or is older than what was acknowledged */
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

  /** False when it could not be done. */
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
    // Nothing is ever made or cut here: without the volume the file is not there.
    const args = ['iflag=fullblock', 'oflag=direct,dsync', 'conv=notrunc,nocreat', `seek=${block}`];
    if ((await this.#dd([`of=${path}`, `bs=${ledgerBlockBytes}`, 'count=1', ...args], bytes)) === undefined)
      return false;
    this.#model.acknowledge(block, stamp);
    return true;
  }

  /** Compares every block with what it should read. @returns false when it could not be read @throws when a block is wrong */
  async checkAll(signal: AbortSignal): Promise<boolean> {
    const place = await this.#options.place(signal);
    return place !== undefined && (await this.#inTurn(() => this.#check(join(place, file), 0, blocks)));
  }

  /** One thing at a time: what is written while all blocks are read would be compared with what was read before. */
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

  /** What dd has read; undefined when it failed. It is never cut off: what a write that hangs comes to has to be known. */
  async #dd(args: readonly string[], input?: Buffer): Promise<Buffer | undefined> {
    const stdin = input === undefined ? { stdin: 'ignore' as const } : { input };
    const result = await execa('dd', [...args, 'status=none'], { ...stdin, encoding: 'buffer', reject: false });
    if (!result.failed) return Buffer.from(result.stdout);
    this.lastFailure = result.shortMessage ?? '';
    return undefined;
  }
}
