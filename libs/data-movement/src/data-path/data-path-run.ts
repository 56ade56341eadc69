import type { AsyncBR, DataPathCallbacks, DataPathProgress } from '@lateen/datapath';
import type { AppError } from '@lateen/errors';
import { settledOrAborted } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { ProgressWriter } from '@lateen/kube-runtime';
import type { HostingPod, WatchHostingPodOptions } from '@lateen/watcher';
import { type Movement, type MovementKind, ownerOf } from '../kinds/movement-kind.ts';
import { StallNote, type StallNotePorts } from '../status/stall-note.ts';
import { RunningThroughput } from '../status/throughput.ts';
import { type CheckClientPorts, checkClient } from './check-client.ts';
import { finishPath } from './finish-path.ts';
import { noteResult } from './note-result.ts';
import { recordContradiction } from './record-contradiction.ts';
import { type Ending, type RecordEndPorts, recordBackoff, recordEnd } from './record-end.ts';

export interface DataPathRunPorts extends RecordEndPorts, StallNotePorts, CheckClientPorts {
  log: RecordEndPorts['log'];
  limits: RecordEndPorts['limits'] & StallNotePorts['limits'];
  progressIntervalMs: number;
  /** A watcher of the movement's hosting pod. */
  makePath(
    object: Movement,
    callbacks: PathCallbacks,
    options: Pick<WatchHostingPodOptions, 'needsPodEnd'>,
  ): AsyncBR<HostingPod, undefined>;
  /** Aborts when the process shuts down. The next process finds and records an end that could not be recorded. */
  signal: AbortSignal;
}

export interface PathCallbacks extends DataPathCallbacks {
  /** Called after `onCompleted` when the exit of the pod contradicts the reported success. */
  onContradicted(error: AppError): void;
}

export interface DataPathRunHandlers {
  /** Called once, when no more data moves: the node may start its next data path. */
  moved(): void;
  /** Called once after `moved`, when the end is recorded and the log is copied. */
  ended(): void;
}

/** One data path that this process watches, from its attachment to its recorded end. */
export class DataPathRun<T extends Movement> {
  readonly #ports: DataPathRunPorts;
  readonly #kind: MovementKind<T>;
  readonly #object: T;
  readonly #on: DataPathRunHandlers;
  readonly #path: AsyncBR<HostingPod, undefined>;
  readonly #progress: ProgressWriter<DataPathProgress>;
  readonly #stall: StallNote<T>;
  readonly #throughput = new RunningThroughput();
  readonly #canceled = new AbortController();
  readonly #closed = new AbortController();
  /** Aborts when the end must not be processed any further: on shutdown and by {@link close}. */
  readonly #signal: AbortSignal;
  #ending = false;
  /** Set when the exit of the pod contradicts the recorded end. */
  #contradiction: AppError | undefined;
  /** Resolves when no step of the end is running. */
  #over: Promise<void> = Promise.resolve();

  constructor(ports: DataPathRunPorts, kind: MovementKind<T>, object: T, handlers: DataPathRunHandlers) {
    this.#ports = ports;
    this.#kind = kind;
    this.#object = object;
    this.#on = handlers;
    this.#signal = AbortSignal.any([ports.signal, this.#closed.signal]);
    this.#path = ports.makePath(object, this.#callbacks(), { needsPodEnd: kind.finish !== undefined });
    this.#stall = new StallNote(ports, kind, object);
    this.#progress = new ProgressWriter({
      intervalMs: ports.progressIntervalMs,
      clock: ports.clock,
      write: (progress) => this.#writeProgress(progress),
    });
  }

  /** UID of the movement. */
  get uid(): string | undefined {
    return this.#object.metadata.uid;
  }

  /** The end is being recorded; `ended` will be called. */
  get isEnding(): boolean {
    return this.#ending;
  }

  /** Resolves when the watch is established, so that no report of the pod can be missed. */
  async init(signal: AbortSignal): Promise<void> {
    const owner = ownerOf(this.#object);
    await this.#path.init({ namespace: owner.namespace, name: owner.name, container: owner.uid }, { signal });
  }

  /** Starts to process reports; the object is InProgress at this point. */
  async start(): Promise<void> {
    this.#stall.start();
    await this.#kind.startPath(this.#path, this.#object);
  }

  /** For a data path that succeeded before this process started, when the step after it was interrupted. */
  resumeFinish(): void {
    const totalBytes = this.#object.status?.progress?.totalBytes ?? 0;
    const { uid } = ownerOf(this.#object);
    const result = { target: { byPath: `/${uid}`, volumeMode: 'Filesystem' as const }, totalBytes };
    this.#end({ phase: 'Completed', result });
  }

  /**
   * Cancels the movement: the step after a successful data path is skipped or undone. Another part of the agent asks the mover to
   * stop.
   */
  cancel(): void {
    this.#canceled.abort(new Error('the movement is canceled'));
  }

  /**
   * Stops watching without recording an end: on shutdown, and when the path is given up. Resolves when the log is copied and no
   * step after the data path is running; such a step is then complete, or stopped where it was.
   */
  async close(): Promise<void> {
    this.#ending = true;
    this.#closed.abort(new Error('the data path is given up'));
    await Promise.all([this.#progress.stop(), this.#stall.stop()]);
    await this.#path.close();
    await this.#over;
  }

  /** The API server refuses the write when the movement has another node by now: another attempt may have started there. */
  async #writeProgress(progress: DataPathProgress): Promise<void> {
    const { kube, node, signal } = this.#ports;
    const { totalBytes = 0, doneBytes = 0 } = progress;
    const value = { totalBytes, bytesDone: doneBytes };
    const throughput = { op: 'add', path: '/status/throughput', value: this.#throughput.of(progress) } as const;
    const body = [
      { op: 'test', path: '/metadata/uid', value: this.uid },
      { op: 'test', path: this.#kind.owner.field, value: node },
      { op: 'add', path: '/status/progress', value },
      ...(this.#kind.tellsThroughput ? [throughput] : []),
    ] as const;
    await kube.patch(this.#kind.type, keyOf(this.#object), { type: 'json', body }, { signal });
  }

  #callbacks(): PathCallbacks {
    const { log } = this.#ports;
    return {
      onStarted: () => log.info({}, 'the data path has started'),
      onProgress: (progress) => {
        this.#stall.report(progress);
        this.#throughput.see(progress, this.#ports.clock.monotonicMs());
        this.#progress.report(progress);
      },
      onCompleted: (result) => this.#end({ phase: 'Completed', result }),
      onFailed: (error) => this.#end({ phase: 'Failed', error }),
      onCancelled: () => this.#end({ phase: 'Canceled' }),
      onContradicted: (error) => {
        this.#contradiction = error;
      },
    };
  }

  #end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#over = this.#runEnd(ending);
  }

  async #runEnd(ending: Ending): Promise<void> {
    await Promise.all([this.#progress.stop(), this.#stall.stop()]);
    this.#on.moved();
    const finished = await this.#finish(ending);
    if (finished !== undefined) {
      const end = { kind: this.#kind, object: this.#object, ending: finished, clearing: this.#stall.clearing };
      await recordEnd(this.#ports, end, this.#signal);
    }
    await this.#path.close();
    if (this.#contradiction !== undefined)
      await recordContradiction(this.#ports, this.#kind, this.#object, this.#contradiction, this.#signal);
    if (!this.#closed.signal.aborted) this.#on.ended();
  }

  /**
   * Runs the step after a successful data path; it can still fail, for example while a restored volume is bound to its target.
   * The log is copied and the result is written first, because that step deletes the pod. Returns undefined when this process
   * shall not record the end.
   */
  async #finish(ending: Ending): Promise<Ending | undefined> {
    const canceled = this.#canceled.signal;
    const signal = this.#signal;
    const step = this.#kind.finish;
    try {
      const checked = await checkClient(this.#ports, this.#kind, { object: this.#object, ending }, signal);
      if (checked.phase !== 'Completed' || step === undefined) return checked;
      await settledOrAborted(this.#path.close(), AbortSignal.any([signal, canceled]));
      const run: typeof step.run = async (object, options) => {
        await noteResult(this.#ports, this.#kind, object, checked.result, signal);
        await step.run(object, options);
      };
      const options = { signal, canceled, backoff: recordBackoff };
      const finished = await finishPath(this.#ports, { ...step, run }, this.#object, options);
      switch (finished.kind) {
        case 'done':
          return ending;
        case 'canceled':
          return { phase: 'Canceled' };
        case 'failed':
          return { phase: 'Failed', error: finished.error };
        default:
          return finished satisfies never;
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}
