import { describeError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { type KubeApi, keyOf, readObject } from '@lateen/kube';
import { again, type Outcome, type WorkQueue, waiting } from '@lateen/kube-runtime';
import { Sight } from '../gather/sight.ts';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { rankOf } from '../slots.ts';
import { phaseOf } from '../status/phase-moves.ts';
import { endMovement, timestamp } from '../status/write-movement.ts';
import { writeWaitingNote } from '../status/write-note.ts';
import { type Exposures, exposureKey } from './exposures.ts';

export interface ExposingPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  clock: { now(): number };
  log: Logger;
  queue: WorkQueue;
  exposures: Exposures;
  /** Aborts when the process shuts down. */
  signal: AbortSignal;
}

/** Starts exposures, records those that fail, and writes what a slow exposure waits for. */
export class Exposing<T extends Movement> {
  readonly #ports: ExposingPorts<T>;

  constructor(ports: ExposingPorts<T>) {
    this.#ports = ports;
  }

  /**
   * Takes a place among the running exposures, or waits in the queue, which then triggers the reconciliation. Makes no call: a
   * thousand movements may wait here.
   * @param withinMs when to look again in any case, because the movement must have been prepared by then
   */
  waitsInLine(object: T, withinMs: number | undefined): Outcome | undefined {
    const { kind, exposures, queue } = this.#ports;
    const wake = () => queue.add(Sight.key(object));
    if (exposures.enter(exposureKey(object), { rank: rankOf(kind, object), size: 0 }, wake)) return undefined;
    const line = `${exposures.max} exposures to end that are under way`;
    return withinMs === undefined ? waiting(line) : again(withinMs, `waiting for ${line}`);
  }

  begin(object: T, withinMs?: number): Outcome {
    const { kind, exposures, log, queue } = this.#ports;
    const inLine = this.waitsInLine(object, withinMs);
    if (inLine !== undefined) return inLine;
    const key = Sight.key(object);
    let repeats = false;
    exposures.start(
      exposureKey(object),
      async (signal) => {
        if (repeats && !(await this.#isStillAccepted(object, signal))) return;
        repeats = true;
        await kind.expose(object, signal);
        // From now on the pod is expected to appear.
        queue.add(key);
      },
      async (error) => {
        log.warn({ key, err: error }, 'the exposure failed');
        await this.#recordFailure(object, `${kind.exposeFailure}: ${describeError(error)}`);
        queue.add(key);
      },
    );
    return again(0, 'the exposure has begun');
  }

  /** Leaves the queue, and frees a place that was kept for the object. */
  leaveLine(object: T): void {
    this.#ports.exposures.leave(exposureKey(object));
  }

  /**
   * Writes what the exposure waits for into status.message; does nothing when the cause cannot be found, or is written there
   * already.
   */
  async explain(object: T, signal: AbortSignal): Promise<void> {
    const cause = await this.#ports.kind.diagnose(object, signal);
    if (cause !== undefined) await writeWaitingNote(this.#ports, object, cause, signal);
  }

  /** Stops the exposure of the object's attempt; it counts as done until {@link stop}. */
  async cutShort(object: T): Promise<void> {
    await this.#ports.exposures.cutShort(exposureKey(object));
  }

  /**
   * Cleans up what the exposure created after other nodes had concluded the movement. The exposure counts as done until {@link
   * stop}, so that a failed clean-up is tried again.
   */
  async undo(object: T, signal: AbortSignal): Promise<void> {
    await this.cutShort(object);
    await this.#ports.kind.cleanUp(object, signal);
  }

  /** Stops the exposure of the object's attempt; resolves when nothing of it runs any more. */
  async stop(object: T): Promise<void> {
    await this.#ports.exposures.stop(exposureKey(object));
  }

  /**
   * The call that failed last may have taken effect. An exposure of a volume that is in use, or handed over, would do harm, so
   * the object is read first.
   */
  async #isStillAccepted(object: T, signal: AbortSignal): Promise<boolean> {
    const { kube, kind } = this.#ports;
    const latest = await readObject(kube, kind.type, keyOf(object), signal);
    return latest !== undefined && exposureKey(latest) === exposureKey(object) && phaseOf(latest) === 'Accepted';
  }

  async #recordFailure(object: T, message: string): Promise<void> {
    const { kube, kind, clock, signal } = this.#ports;
    const status = { message, completionTimestamp: timestamp(clock.now()) } as MovementPatch<T>;
    await endMovement(kube, kind, object, 'Failed', status, signal);
  }
}
