import { hostError, type Instance, type InstanceError, type StartClone, type StartRestore } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { cloneParts, type ModelClonePorts, modelClone } from './model-clone.ts';

/** Duration of a restore in ms, and its number of steps. */
export const modelRestore = { ms: 10_000, steps: 5 } as const;

export interface ModelTransferPorts extends ModelClonePorts {
  readonly clock: Clock;
  /** Content of the backups on the target, as numbers of writes, by name. */
  readonly backups: ReadonlyMap<string, readonly number[]>;
  /** Called when the state of a transfer has changed. */
  changed(name: string): void;
}

type Progress = NonNullable<Instance['transfer']>;

interface Transfer {
  /** The work of each step. */
  readonly parts: readonly (() => void)[];
  readonly stepMs: number;
  readonly volume: string;
  readonly broken: AbortController;
  state: 'running' | 'stopped' | 'error';
  done: number;
  error: InstanceError | undefined;
  ended: Promise<void>;
}

/** Restores and clones of one node. Each continues without its caller, writes through its engine, and is reported until it is stopped. */
export class ModelTransfers {
  readonly #ports: ModelTransferPorts;
  readonly #transfers = new Map<string, Transfer>();

  constructor(ports: ModelTransferPorts) {
    this.#ports = ports;
  }

  get names(): readonly string[] {
    return [...this.#transfers.keys()];
  }

  startRestore(request: StartRestore, signal: AbortSignal): AsyncGenerator<Progress> {
    const { restore: name, volume } = request;
    const of = { parts: this.#parts(request), stepMs: modelRestore.ms / modelRestore.steps };
    return this.#follow({ name, volume, ...of }, signal);
  }

  startClone(request: StartClone, signal: AbortSignal): AsyncGenerator<Progress> {
    const { clone: name, volume } = request;
    const of = { parts: cloneParts(request, this.#ports), stepMs: modelClone.ms / modelClone.steps };
    return this.#follow({ name, volume, ...of }, signal);
  }

  /** Starts a transfer once; a repeated call returns its state or result. */
  async *#follow(
    { name, ...of }: Pick<Transfer, 'volume' | 'parts' | 'stepMs'> & { readonly name: string },
    signal: AbortSignal,
  ): AsyncGenerator<Progress> {
    if (!this.#transfers.has(name)) {
      const broken = new AbortController();
      const transfer: Transfer = {
        ...{ ...of, broken, state: 'running', done: 0, error: undefined },
        ended: Promise.resolve(),
      };
      this.#transfers.set(name, transfer);
      transfer.ended = this.#run(name, transfer);
      this.#ports.changed(name);
    }
    for (;;) {
      signal.throwIfAborted();
      const progress = this.instance(name)?.transfer;
      if (progress === undefined) throw hostError('INSTANCE_NOT_FOUND', `${name} was stopped`);
      yield progress;
      if (progress.ended) return;
      await this.#ports.clock.sleep(of.stepMs, signal);
    }
  }

  async stop(name: string): Promise<void> {
    const transfer = this.#transfers.get(name);
    transfer?.broken.abort(hostError('ABORTED', 'it was stopped'));
    await transfer?.ended;
    this.#transfers.delete(name);
    this.#ports.changed(name);
  }

  /** The processes and their state are lost. */
  kill(): void {
    for (const [name, { broken }] of this.#transfers) {
      broken.abort(hostError('ABORTED', 'its process was killed'));
      this.#transfers.delete(name);
      this.#ports.changed(name);
    }
  }

  instance(name: string): Instance | undefined {
    const transfer = this.#transfers.get(name);
    if (transfer === undefined) return undefined;
    const { volume, parts, state, done, error } = transfer;
    const failed = error === undefined ? {} : { error };
    const progress = { name, doneBytes: BigInt(done), totalBytes: BigInt(parts.length), ...failed };
    return {
      ...{ kind: 'transfer', name, volume, generation: 0, state, uuid: 'transfer' },
      transfer: { ...progress, ended: state !== 'running' },
      ...failed,
    };
  }

  async #run(name: string, transfer: Transfer): Promise<void> {
    const { clock, changed } = this.#ports;
    try {
      for (const part of transfer.parts) {
        await clock.sleep(transfer.stepMs, transfer.broken.signal);
        part();
        transfer.done++;
        changed(name);
      }
      transfer.state = 'stopped';
    } catch (error) {
      const code = isAppError(error) ? error.code : 'INTERNAL';
      transfer.error = { code, message: error instanceof Error ? error.message : String(error) };
      transfer.state = 'error';
    }
    changed(name);
  }

  /** The writes of each step; the last step flushes. */
  #parts(request: StartRestore): readonly (() => void)[] {
    const wanted = this.#ports.backups.get(request.backup);
    if (wanted === undefined) return [() => notOnTarget(request.backup)];
    const since = request.since === undefined ? undefined : this.#ports.backups.get(request.since);
    const engine = () => this.#ports.engineOf(request);
    const gone = (id: number) => (since ?? []).includes(id) && !wanted.includes(id);
    const erase = () =>
      engine().eachDisk(({ written, flushed }) => {
        for (const id of [...written]) {
          if (request.isNew || (since === undefined ? wanted.includes(id) : !gone(id))) continue;
          written.delete(id);
          flushed.delete(id);
        }
      });
    const ids = wanted.filter((id) => since === undefined || !since.includes(id));
    const each = Math.ceil(ids.length / (modelRestore.steps - 2));
    const write = (step: number) => () => {
      for (const id of ids.slice(step * each, (step + 1) * each))
        if (!engine().write(id)) throw hostError('INSTANCE_NOT_FOUND', 'the engine has ended');
    };
    const flush = () =>
      engine().eachDisk(({ written, flushed }) => {
        for (const id of written) flushed.add(id);
      });
    return [erase, write(0), write(1), write(2), flush];
  }
}

function notOnTarget(backup: string): never {
  throw hostError('NOT_POSSIBLE_NOW', `backup ${backup} is not on the target`);
}
