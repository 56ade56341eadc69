import { annotations } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { isConflict, isNotFound, type KubeApi } from '@lateen/kube';
import { again, type Outcome, type WorkQueue, waiting } from '@lateen/kube-runtime';
import type { SeenPod } from '../gather/seen.ts';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { placeKey, rankOf, type Slots } from '../slots.ts';
import { noteRemoval } from '../status/status-notes.ts';
import { moveTo, timestamp } from '../status/write-movement.ts';
import { DataPathRun, type DataPathRunPorts } from './data-path-run.ts';

export interface ActivePathsPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  clock: Clock;
  log: Logger;
  queue: WorkQueue;
  slots: Slots;
  runPorts(log: Logger): DataPathRunPorts;
}

/** The fields of the hosting pod that a data path needs to start. */
export type StartingPod = Pick<SeenPod, 'uid' | 'volumeBytes'>;

/** The data paths that this process watches, one per key, and the slots that they hold. */
export class ActivePaths<T extends Movement> {
  readonly #ports: ActivePathsPorts<T>;
  readonly #runs = new Map<string, DataPathRun<T>>();

  constructor(ports: ActivePathsPorts<T>) {
    this.#ports = ports;
  }

  has(key: string): boolean {
    return this.#runs.has(key);
  }

  /**
   * Starts the watcher before it sets the object to InProgress, so that no report of the mover is missed. Returns undefined when
   * no slot is free; the key is put into the queue when it gets one. The object records the pod's name, so that no other pod acts
   * for this movement.
   */
  async start(object: T, key: string, pod: StartingPod, signal: AbortSignal): Promise<Outcome | undefined> {
    const { kube, kind, clock, slots, queue } = this.#ports;
    if (!slots.tryTake(this.#slot(key), { rank: rankOf(kind, object), size: pod.volumeBytes }, () => queue.add(key)))
      return undefined;
    const run = this.#newRun(object, key);
    let asked = false;
    try {
      await run.init(signal);
      const startTimestamp = timestamp(clock.now());
      const noNote = noteRemoval(object.status?.message);
      const status = { ...kind.startedStatus(), startTimestamp, ...noNote } as MovementPatch<T>;
      asked = true;
      const marks = { [annotations.hostingPodUid]: pod.uid };
      await moveTo(kube, kind, object, 'InProgress', status, signal, marks);
    } catch (error) {
      this.#runs.delete(key);
      // When only the answer was lost, the data path runs: the slot stays taken until the object has been read again.
      if (!asked || isConflict(error) || isNotFound(error)) this.release(key);
      await run.close();
      throw error;
    }
    await run.start();
    return waiting('the data path');
  }

  /** `ending`: the data path has ended and its end is about to be recorded. The run does that without a further call. */
  stateOf(key: string): { active: boolean; ending: boolean } {
    const run = this.#runs.get(key);
    return { active: run !== undefined, ending: run?.isEnding === true };
  }

  /** Asks a movement to end. Safe to repeat; does nothing when its data path does not run here. */
  cancel(object: T, key: string): void {
    const run = this.#runs.get(key);
    if (run?.uid === object.metadata.uid) run?.cancel();
  }

  /**
   * Watches a data path again after a restart of this process. The slot limit does not apply: the data path is running already.
   */
  async attach(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { kind, slots, log } = this.#ports;
    slots.force(this.#slot(key));
    const isFinishing = (await kind.finish?.hasBegun(object, signal)) === true;
    const run = this.#newRun(object, key);
    try {
      await run.init(signal);
    } catch (error) {
      this.#drop(key);
      await run.close();
      throw error;
    }
    if (isFinishing) {
      if (object.spec.cancel === true) run.cancel();
      run.resumeFinish();
      return waiting('the restored volume to be bound to its target');
    }
    log.info({ key }, 'attached to a data path that was running before');
    await run.start();
    return again(0, 'the object may have been canceled meanwhile');
  }

  #newRun(object: T, key: string): DataPathRun<T> {
    const { kind, log, runPorts, queue } = this.#ports;
    const run: DataPathRun<T> = new DataPathRun(runPorts(log.child({ key })), kind, object, {
      moved: () => this.#isPresent(key, run) && this.release(key),
      ended: () => {
        if (this.#isPresent(key, run)) this.#drop(key);
        queue.add(key);
      },
    });
    this.#runs.set(key, run);
    return run;
  }

  /**
   * Stops watching a movement that has another node or another attempt by now. A run that is recording its end finishes without
   * this.
   */
  async letGo(key: string): Promise<Outcome> {
    if (this.stateOf(key).ending) return waiting('the end of the data path to be recorded');
    await this.close(key);
    return again(0, 'it runs elsewhere, or again');
  }

  /** Stops watching; resolves when the pod's log has been copied. The slot is free then. */
  async close(key: string): Promise<void> {
    await this.#runs.get(key)?.close();
    this.#drop(key);
  }

  /** Frees the key's slot, or removes the key from the queue for one. */
  release(key: string): void {
    this.#ports.slots.release(this.#slot(key));
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.close()));
    this.#runs.clear();
  }

  #drop(key: string): void {
    this.#runs.delete(key);
    this.release(key);
  }

  /** The key may belong to another movement by now. */
  #isPresent(key: string, run: DataPathRun<T>): boolean {
    return this.#runs.get(key) === run;
  }

  #slot(key: string): string {
    return placeKey(this.#ports.kind.type.kind, key);
  }
}
