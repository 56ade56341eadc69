import {
  type Call,
  hostError,
  type Instance,
  type InstanceHost,
  type StopInstance,
  type TransferProgress,
} from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import type { InstanceBoard, KeeperState } from '@lateen/instance-host';
import { type ChildKind, type ChildPorts, childLimits } from '../children/child-ports.ts';
import type { InstanceChild } from '../children/instance-child.ts';
import { InstanceChildren } from '../children/instance-children.ts';
import { checkReplicaName } from '../replicas/check-replica.ts';

/** Of one node: each is a process with several blocks of 16 MiB. Managers ask for fewer. */
const atOnceMax = 32;

const transferChild: ChildKind = {
  ...{ kind: 'transfer', process: 'block-backup', endedCode: 'TRANSFER_ENDED' },
  nextStep: 'Start the transfer again.',
  place: (places, name) => places.transfer(name),
  shownAtEnd: (failed) => {
    const { name, transfer = { doneBytes: 0n, totalBytes: 0n }, error } = failed;
    return { ...failed, transfer: { ...transfer, name, ended: true, error } };
  },
};

export interface TransferOf {
  readonly name: string;
  readonly volume: string;
  /** Passes the request on to the process of the transfer. */
  begin(host: InstanceHost, o: Call): AsyncIterable<TransferProgress>;
  /** Asked before a process is started. @throws when the transfer cannot be made here */
  check(): Promise<void>;
}

/**
 * Backups and restores of this node, each in a process of its own that speaks the same API. One that has ended tells how until it is stopped; if
 * its process was killed (`TRANSFER_ENDED`) or it was broken off (`ABORTED`), the next call begins it anew.
 */
export class TransferProcesses {
  readonly #children: InstanceChildren;
  readonly #board: InstanceBoard;
  readonly #clock: ChildPorts['clock'];

  /** @param stopping ends what follows the transfers; they go on */
  constructor(ports: ChildPorts, stopping: AbortSignal) {
    this.#children = new InstanceChildren(ports, transferChild, stopping);
    this.#board = ports.board;
    this.#clock = ports.clock;
  }

  /** See `startBackup` and `startRestore` of `InstanceHost`. */
  async *run(of: TransferOf, { signal }: Call): AsyncGenerator<TransferProgress, void, undefined> {
    checkReplicaName(of.name);
    const reading = new AbortController();
    try {
      const child = await this.#children.inTurn(of.name, signal, async () => {
        const found = await this.#ensure(of, signal);
        if (found.isThere) await this.#begin(found, of, AbortSignal.any([signal, reading.signal]));
        return found;
      });
      yield* this.#progress(child, signal);
    } finally {
      reading.abort(new Error('nobody reads its progress any more'));
    }
  }

  async #ensure({ name, volume, check }: TransferOf, signal: AbortSignal): Promise<InstanceChild> {
    const present = this.#children.get(name);
    if (present?.isThere && !(await present.isAlive(signal))) await this.#children.hasEnded(present);
    if (present !== undefined && (present.isThere || !mayBeginAnew(present.instance))) return present;
    await check();
    if (this.#children.all().filter(({ isThere }) => isThere).length >= atOnceMax)
      throw hostError('NO_ROOM', `${atOnceMax} transfers run on this node`);
    await present?.end(signal);
    const child = this.#children.add({ name, volume, generation: 0 });
    child.tell('starting');
    try {
      await child.start(signal);
    } catch (error) {
      // A process whose caller has gone is found by the next call, or ends by itself.
      if (!signal.aborted) await child.failed(error);
      throw error;
    }
    return child;
  }

  /** Its progress comes by what it tells everybody; the call is held for as long as somebody reads. */
  async #begin(child: InstanceChild, of: TransferOf, signal: AbortSignal): Promise<void> {
    this.#children.follow(child);
    const told = of.begin(child.host, { signal })[Symbol.asyncIterator]();
    try {
      await told.next();
    } catch (error) {
      signal.throwIfAborted();
      if (!child.isThere) return;
      if (!isAppError(error, 'HOST_UNREACHABLE')) await child.failed(error);
      throw error;
    }
    const drain = async () => {
      while (!(await told.next()).done);
    };
    // What ends it is on the board.
    drain().catch(() => {});
  }

  async *#progress({ note }: InstanceChild, signal: AbortSignal): AsyncGenerator<TransferProgress, void, undefined> {
    const ref = { kind: 'transfer', name: note.name } as const;
    let last: TransferProgress | undefined;
    for await (const _ of this.#board.watch({ signal })) {
      const instance = this.#board.get(ref);
      if (instance?.uuid !== note.run) throw hostError('ABORTED', `transfer ${note.name} was stopped`);
      const { transfer } = instance;
      if (transfer === undefined || transfer === last) continue;
      last = transfer;
      yield transfer;
      if (transfer.ended) return;
    }
  }

  /** See `InstanceHost`: it is broken off, and nothing is known of it afterwards. Absent is fine. */
  stop({ name }: StopInstance, { signal }: Call): Promise<{ clean: boolean }> {
    checkReplicaName(name);
    return this.#children.inTurn(name, signal, async () => {
      const child = this.#children.get(name);
      if (child !== undefined) await this.#children.forget(child, signal);
      return { clean: true };
    });
  }

  adopt(signal: AbortSignal): Promise<void> {
    return this.#children.adopt(signal);
  }

  /** What a pass of the keeper has found. What has ended long ago, and nobody has stopped, is forgotten. Never rejects. */
  async noticed(state: KeeperState, signal: AbortSignal): Promise<void> {
    await this.#children.noticed(state, signal);
    for (const child of this.#children.all()) {
      const { ended, name } = child.note;
      if (ended === undefined || this.#clock.now() - ended.atMs <= childLimits.rememberedMs) continue;
      await this.stop({ kind: 'transfer', name, generation: 0 }, { signal }).catch(() => {});
    }
  }
}

const mayBeginAnew = ({ error }: Instance): boolean => error?.code === 'TRANSFER_ENDED' || error?.code === 'ABORTED';
