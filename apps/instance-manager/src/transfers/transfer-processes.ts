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

/** Limit for one node: each transfer is a process that holds several blocks of 16 MiB. Managers request fewer. */
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
  /** Sends the request to the transfer's process. */
  begin(host: InstanceHost, o: Call): AsyncIterable<TransferProgress>;
  /** Called before a process is started. @throws when the transfer cannot run here */
  check(): Promise<void>;
}

/**
 * Backups and restores of this node, each in a process of its own that serves the same API. The result of an ended transfer is kept until it is
 * stopped; if its process was killed (`TRANSFER_ENDED`) or it was cancelled (`ABORTED`), the next call begins it again.
 */
export class TransferProcesses {
  readonly #children: InstanceChildren;
  readonly #board: InstanceBoard;
  readonly #clock: ChildPorts['clock'];

  /** @param stopping ends the following of transfers; the transfers continue */
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
      // If the caller is gone, the next call finds the process, or it ends by itself.
      if (!signal.aborted) await child.failed(error);
      throw error;
    }
    return child;
  }

  /** Its progress arrives by its watch; the call is held as long as the caller reads. */
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
    // The board shows what has ended it.
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

  /** See `InstanceHost`: cancels the transfer and forgets it. Does nothing when there is none. */
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

  /** The result of a keeper's pass. A transfer that ended long ago and was never stopped is forgotten. Never rejects. */
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
