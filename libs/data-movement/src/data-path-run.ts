import { attemptOf, movementReasons } from '@lateen/api-types';
import type { AsyncBR, BackupResult, DataPathCallbacks, DataPathProgress, RestoreResult } from '@lateen/datapath';
import { describeError } from '@lateen/errors';
import { type BackoffLimits, backoffMs, type Logger } from '@lateen/kernel';
import { isNotFound, keyOf } from '@lateen/kube';
import { type HostingPod, isInterruption, moverHasEnded } from '@lateen/watcher';
import { attemptText } from './attempt.ts';
import { type Movement, type MovementKind, ownerOf } from './movement-kind.ts';
import { type NextAttemptPorts, tryAgain } from './next-attempt.ts';
import { ProgressWriter } from './progress-writer.ts';
import { StallNote, type StallNotePorts } from './stall-note.ts';
import { isTransient } from './transient-error.ts';
import { endMovement, type MovementPatch, timestamp } from './write-movement.ts';

export interface DataPathRunPorts extends NextAttemptPorts, StallNotePorts {
  log: Logger;
  limits: NextAttemptPorts['limits'] & StallNotePorts['limits'];
  progressIntervalMs: number;
  /** A watcher of the movement's hosting pod. */
  makePath(object: Movement, callbacks: DataPathCallbacks): AsyncBR<HostingPod, undefined>;
  /** Tells the user about a movement; the reason is one of movementReasons. */
  tell(object: Movement, reason: string, message: string): void;
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
  readonly #stall: StallNote<T>;
  #ending = false;

  constructor(ports: DataPathRunPorts, kind: MovementKind<T>, object: T, handlers: DataPathRunHandlers) {
    this.#ports = ports;
    this.#kind = kind;
    this.#object = object;
    this.#on = handlers;
    this.#path = ports.makePath(object, this.#callbacks());
    this.#stall = new StallNote(ports, kind, object);
    this.#progress = new ProgressWriter({
      intervalMs: ports.progressIntervalMs,
      clock: ports.clock,
      write: (progress) => this.#writeProgress(progress),
    });
  }

  /** It is being recorded; `ended` comes. */
  get isEnding(): boolean {
    return this.#ending;
  }

  /** Resolves when no report of the pod can be missed any more. */
  async init(signal: AbortSignal): Promise<void> {
    const owner = ownerOf(this.#object);
    await this.#path.init({ namespace: owner.namespace, name: owner.name, container: owner.uid }, { signal });
  }

  /** Begins to act on reports; the object is InProgress by now. */
  async start(): Promise<void> {
    this.#stall.start();
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
    await Promise.all([this.#progress.stop(), this.#stall.stop()]);
    await this.#path.close();
  }

  /** Refused by the API server when the movement is no longer this node's: another attempt may have begun elsewhere. */
  async #writeProgress({ totalBytes = 0, doneBytes = 0 }: DataPathProgress): Promise<void> {
    const { kube, node, signal } = this.#ports;
    const value = { totalBytes, bytesDone: doneBytes };
    const body = [
      { op: 'test', path: '/status/node', value: node },
      { op: 'add', path: '/status/progress', value },
    ] as const;
    await kube.patch(this.#kind.type, keyOf(this.#object), { type: 'json', body }, { signal });
  }

  #callbacks(): DataPathCallbacks {
    const { log } = this.#ports;
    return {
      onStarted: () => log.info({}, 'the data path has started'),
      onProgress: (progress) => {
        this.#stall.report(progress);
        this.#progress.report(progress);
      },
      onCompleted: (result) => void this.#end({ phase: 'Completed', result }),
      onFailed: (error) => void this.#end({ phase: 'Failed', error }),
      onCancelled: () => void this.#end({ phase: 'Canceled' }),
    };
  }

  async #end(ending: Ending): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await Promise.all([this.#progress.stop(), this.#stall.stop()]);
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
    const { clock, random, log, signal } = this.#ports;
    for (let write = 1; !signal.aborted; write++) {
      try {
        return await this.#writeEnd(await this.#afterLoss(ending));
      } catch (error) {
        // Deleted under us: there is nothing left to write to.
        if (signal.aborted || isNotFound(error)) return;
        log.warn({ err: error, write }, 'the end of the data path could not be recorded; it is tried again');
        await clock.sleep(backoffMs(write, recordBackoff, random), signal).catch(() => {});
      }
    }
  }

  /** When the pod was lost and the data was not, a next attempt may begin; undefined when there is no end to record. */
  async #afterLoss(ending: Ending): Promise<Ending | undefined> {
    if (ending.phase !== 'Failed' || !isInterruption(ending.error)) return ending;
    const { log, signal, tell } = this.#ports;
    const cause = describeError(ending.error);
    const attempt = attemptOf(this.#object);
    const lost = { cause, moverEnded: moverHasEnded(ending.error) };
    const after = await tryAgain(this.#ports, this.#kind, { key: keyOf(this.#object), attempt, lost }, signal);
    switch (after) {
      case 'begun':
        log.warn({ err: ending.error, attempt }, 'the data path was lost; it is tried again');
        tell(this.#object, movementReasons.attemptLost, cause);
        return undefined;
      case 'over':
        return undefined;
      case 'canceled':
        return { phase: 'Canceled' };
      case 'used-up':
        return ending;
      default:
        return after satisfies never;
    }
  }

  async #writeEnd(ending: Ending | undefined): Promise<void> {
    if (ending === undefined) return;
    const { kube, log, signal } = this.#ports;
    const status = this.#statusOf(ending);
    const written = await endMovement(kube, this.#kind, this.#object, ending.phase, status, signal);
    const message = written.status?.message;
    const fields = { phase: written.status?.phase, ...(message === undefined ? {} : { reason: message }) };
    log.info(fields, 'the data path has ended');
  }

  #statusOf(ending: Ending): MovementPatch<T> {
    const completionTimestamp = timestamp(this.#ports.clock.now());
    const { words, verb } = this.#kind;
    switch (ending.phase) {
      case 'Completed': {
        const { totalBytes } = ending.result;
        const progress = { totalBytes, bytesDone: totalBytes };
        const cleared = this.#stall.clearing as MovementPatch<T>;
        return { ...this.#kind.completedStatus(ending.result), ...cleared, progress, completionTimestamp };
      }
      case 'Failed': {
        const attempts = isInterruption(ending.error) ? attemptText(this.#object, this.#ports.limits.attempts) : '';
        const message = `data path ${verb} failed: ${describeError(ending.error)}${attempts}`;
        return { message, completionTimestamp } as MovementPatch<T>;
      }
      case 'Canceled':
        return { message: `the ${words} was canceled`, completionTimestamp } as MovementPatch<T>;
      default:
        return ending satisfies never;
    }
  }
}
