import type { AsyncBR, BackupResult, DataPathCallbacks, RestoreResult } from '@lateen/datapath';
import { describeError } from '@lateen/errors';
import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import type { HostingPod } from '@lateen/watcher';
import { type Movement, type MovementKind, type MovementStatus, ownerOf } from './movement-kind.ts';
import { ProgressWriter } from './progress-writer.ts';
import { isTransient } from './transient-error.ts';
import { endMovement, timestamp } from './write-movement.ts';

export interface DataPathRunPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  progressIntervalMs: number;
  /** A watcher of the movement's hosting pod. */
  makePath(object: Movement, callbacks: DataPathCallbacks): AsyncBR<HostingPod, undefined>;
  /** Aborts when the process shuts down: an end that could not be recorded is found again after the restart. */
  signal: AbortSignal;
}

type Ending =
  | { phase: 'Completed'; result: BackupResult | RestoreResult }
  | { phase: 'Failed'; error: unknown }
  | { phase: 'Canceled' };

/** Recording an end is tried for as long as the process lives. */
const recordBackoff: BackoffLimits = { firstMs: 200, maxMs: 15_000, factor: 2, jitter: 0.2 };

export interface DataPathRunHandlers {
  /** Called once, when no more data moves: the next data path of the node may begin. */
  moved(): void;
  /** Called once after that, when the end is recorded and the log is repeated. */
  ended(): void;
}

/** One data path that this process watches, from its attachment to its recorded end. */
export class DataPathRun<T extends Movement> {
  readonly #ports: DataPathRunPorts;
  readonly #kind: MovementKind<T>;
  readonly #object: T;
  readonly #on: DataPathRunHandlers;
  readonly #path: AsyncBR<HostingPod, undefined>;
  readonly #progress: ProgressWriter;
  #ending = false;

  constructor(ports: DataPathRunPorts, kind: MovementKind<T>, object: T, handlers: DataPathRunHandlers) {
    this.#ports = ports;
    this.#kind = kind;
    this.#object = object;
    this.#on = handlers;
    this.#path = ports.makePath(object, this.#callbacks());
    this.#progress = new ProgressWriter({
      intervalMs: ports.progressIntervalMs,
      clock: ports.clock,
      write: async ({ totalBytes = 0, doneBytes = 0 }) => {
        const body = { status: { progress: { totalBytes, bytesDone: doneBytes } } };
        await ports.kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal: ports.signal });
      },
    });
  }

  /** Resolves when no report of the pod can be missed any more. */
  async init(signal: AbortSignal): Promise<void> {
    const owner = ownerOf(this.#object);
    await this.#path.init({ namespace: owner.namespace, name: owner.name, container: owner.uid }, { signal });
  }

  /** Begins to act on reports; the object is InProgress by now. */
  async start(): Promise<void> {
    await this.#kind.startPath(this.#path, this.#object);
  }

  /** The data path has ended well before this process started, and what follows it was interrupted. */
  resumeFinish(): void {
    const totalBytes = this.#object.status?.progress?.totalBytes ?? 0;
    const { uid } = ownerOf(this.#object);
    const result = { target: { byPath: `/${uid}`, volumeMode: 'Filesystem' as const }, totalBytes };
    void this.#end({ phase: 'Completed', result });
  }

  /** Stops watching without recording an end: on shutdown, and when the path is given up. The log is repeated. */
  async close(): Promise<void> {
    this.#ending = true;
    await this.#progress.stop();
    await this.#path.close();
  }

  #callbacks(): DataPathCallbacks {
    const { log } = this.#ports;
    return {
      onStarted: () => log.info({}, 'the data path has started'),
      onProgress: (progress) => this.#progress.report(progress),
      onCompleted: (result) => void this.#end({ phase: 'Completed', result }),
      onFailed: (error) => void this.#end({ phase: 'Failed', error }),
      onCancelled: () => void this.#end({ phase: 'Canceled' }),
    };
  }

  async #end(ending: Ending): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await this.#progress.stop();
    this.#on.moved();
    await this.#record(await this.#finish(ending));
    await this.#path.close();
    this.#on.ended();
  }

  /**
   * A good data path can still fail here: a restored volume has to be bound to its target. The log comes first, because
   * that takes the pod away. An API server that is away is waited for: the data is complete and worth the wait.
   */
  async #finish(ending: Ending): Promise<Ending> {
    const { clock, random, log, signal } = this.#ports;
    if (ending.phase !== 'Completed' || this.#kind.finish === undefined) return ending;
    await this.#path.close();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#kind.finish(this.#object, signal);
        return ending;
      } catch (error) {
        if (signal.aborted || !isTransient(error)) return { phase: 'Failed', error };
        log.warn({ err: error, attempt }, 'what follows the data path is tried again');
        await clock.sleep(backoffMs(attempt, recordBackoff, random), signal).catch(() => {});
      }
    }
  }

  async #record(ending: Ending): Promise<void> {
    const { kube, clock, random, log, signal } = this.#ports;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const status = this.#statusOf(ending);
        await endMovement(kube, this.#kind, keyOf(this.#object), ending.phase, status, signal);
        log.info(
          { phase: ending.phase, ...('message' in status ? { reason: status.message } : {}) },
          'the data path has ended',
        );
        return;
      } catch (error) {
        // Deleted under us: there is nothing left to write to.
        if (signal.aborted || isNotFound(error)) return;
        log.warn({ err: error, attempt }, 'the end of the data path could not be recorded; it is tried again');
        await clock.sleep(backoffMs(attempt, recordBackoff, random), signal).catch(() => {});
      }
    }
  }

  #statusOf(ending: Ending): Partial<MovementStatus<T>> {
    const completionTimestamp = timestamp(this.#ports.clock.now());
    const { words, verb } = this.#kind;
    switch (ending.phase) {
      case 'Completed': {
        const { totalBytes } = ending.result;
        const progress = { totalBytes, bytesDone: totalBytes };
        return { ...this.#kind.completedStatus(ending.result), progress, completionTimestamp };
      }
      case 'Failed':
        return { message: `data path ${verb} failed: ${describeError(ending.error)}`, completionTimestamp } as Partial<
          MovementStatus<T>
        >;
      case 'Canceled':
        return { message: `the ${words} was canceled`, completionTimestamp } as Partial<MovementStatus<T>>;
      default:
        return ending satisfies never;
    }
  }
}
