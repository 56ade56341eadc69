import { isAppError } from '@lateen/errors';
import { orAborted } from '@lateen/kernel';
import { apiTime, isNotFound, type KubeApi, type Patch } from '@lateen/kube';
import { engineType, type Replica, replicaType, storageAnnotations } from '@lateen/storage-types';
import { engineOfRun } from './engine-of-run.ts';
import { type EngineRun, failurePatch } from './engine-patch.ts';
import { type RecordingPorts, untilRecorded } from './until-recorded.ts';

/** A failure as the engine reports it (`ReplicaFailure` of `@lateen/replica-set`). */
export interface RecordedFailure {
  readonly replica: string;
  readonly cause: { readonly kind: string; readonly message: string };
  /** Epoch ms. */
  readonly at: number;
  /** Then nothing is recorded: the replica has everything that was acknowledged. */
  readonly last: boolean;
}

export interface FailureRecorderPorts extends RecordingPorts {
  kube: KubeApi;
}

interface Job {
  readonly replica: string;
  readonly inEngine: Promise<void>;
  /** Never rejects. */
  readonly all: Promise<void>;
}

/**
 * Writes the failures of one start of an engine into the API (docs/adr/0050). Each failure is recorded once, however often it is requested, and is
 * retried without a limit; what {@link record} began continues when its caller is gone.
 */
export class FailureRecorder {
  readonly #ports: FailureRecorderPorts;
  readonly #run: EngineRun;
  /** Names of Replica objects, by replica. */
  readonly #objects: Readonly<Record<string, string>>;
  readonly #stopping: AbortSignal;
  /** By replica and time: a later failure of the same replica is a separate one. Written failures are removed from it. */
  readonly #jobs = new Map<string, Job>();

  /** @param stopping ends the work that continues without a caller */
  constructor(
    ports: FailureRecorderPorts,
    { run, objects, stopping }: { run: EngineRun; objects: Readonly<Record<string, string>>; stopping: AbortSignal },
  ) {
    this.#ports = { ...ports, log: ports.log.child({ engine: run.engine, generation: run.generation }) };
    this.#run = run;
    this.#objects = objects;
    this.#stopping = stopping;
  }

  /**
   * Resolves when the failure is in the Engine: no later start treats the replica as whole. Its Replica object is written afterwards.
   * @throws `GENERATION_OVER` when another start has begun or the Engine is gone; the signal's reason on abort
   */
  async record(failure: RecordedFailure, signal: AbortSignal): Promise<void> {
    if (failure.last) return;
    signal.throwIfAborted();
    const key = `${failure.replica} ${failure.at}`;
    const job = this.#jobs.get(key) ?? this.#begin(failure);
    this.#jobs.set(key, job);
    void job.all.then(() => this.#jobs.delete(key));
    await orAborted(job.inEngine, signal);
  }

  #begin(failure: RecordedFailure): Job {
    const inEngine = this.#untilDone(failure, (s) => this.#recordInEngine(failure, s));
    const inReplica = inEngine.then(() => this.#untilDone(failure, (s) => this.#recordInReplica(failure, s)));
    // The waiting caller sees how it ended.
    return { replica: failure.replica, inEngine, all: inReplica.catch(() => {}) };
  }

  /**
   * Resolves when no more writes for this replica are pending. Callers wait for it before they accept the replica again within the same generation:
   * its old failure must not be written after its recovery.
   */
  async settled(replica: string): Promise<void> {
    const jobs = [...this.#jobs.values()].filter((job) => job.replica === replica);
    await Promise.all(jobs.map(({ all }) => all));
  }

  async #recordInEngine({ replica, at }: RecordedFailure, signal: AbortSignal): Promise<void> {
    const failed = { replica: this.#objectOf(replica), atMs: at };
    try {
      await this.#patchStatus(failurePatch(this.#run, failed), signal);
    } catch (error) {
      // A failed test and a patch that does not apply have the same answer: the present object decides.
      if (!isAppError(error, 'KUBE_INVALID') && !isNotFound(error)) throw error;
      await this.#patchStatus(
        failurePatch(this.#run, failed, await engineOfRun(this.#ports.kube, this.#run, { signal })),
        signal,
      );
    }
    this.#ports.log.info({ replica }, 'the failure of a replica is recorded');
  }

  async #recordInReplica({ replica, at, cause }: RecordedFailure, signal: AbortSignal): Promise<void> {
    const { kube, log } = this.#ports;
    const key = { namespace: this.#run.namespace, name: this.#objectOf(replica) };
    try {
      const read = await kube.get(replicaType, key, { signal });
      if ((read.spec.failedAt ?? '') !== '') return;
      const { status } = await engineOfRun(kube, this.#run, { signal });
      // The replica was accepted again, so this failure is over.
      if (status?.replicaModeMap?.[key.name] !== 'ERR') return;
      await kube.patch(replicaType, key, failedPatch(read, cause.message, at), { signal });
    } catch (error) {
      if (isNotFound(error) || isAppError(error, 'GENERATION_OVER'))
        return log.info({ replica }, 'a failed replica may no longer be written to');
      throw error;
    }
  }

  async #patchStatus(body: ReturnType<typeof failurePatch>, signal: AbortSignal): Promise<void> {
    const key = { namespace: this.#run.namespace, name: this.#run.engine };
    await this.#ports.kube.patch(engineType, key, { type: 'json', body }, { signal, subresource: 'status' });
  }

  #untilDone({ replica }: RecordedFailure, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const log = this.#ports.log.child({ replica });
    return untilRecorded({ ...this.#ports, log }, 'a failure cannot be recorded yet', act, this.#stopping);
  }

  #objectOf(replica: string): string {
    return this.#objects[replica] ?? replica;
  }
}

/** Fails with a conflict when the Replica has changed since it was read. */
function failedPatch({ metadata: { resourceVersion } }: Replica, cause: string, atMs: number): Patch {
  const annotations = { [storageAnnotations.failureCause]: cause };
  const at = apiTime(atMs);
  return {
    type: 'merge',
    body: { metadata: { resourceVersion, annotations }, spec: { failedAt: at, lastFailedAt: at } },
  };
}
