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

/** Begins exposures, records those that fail, and says of those that take long what they wait for. */
export class Exposing<T extends Movement> {
  readonly #ports: ExposingPorts<T>;

  constructor(ports: ExposingPorts<T>) {
    this.#ports = ports;
  }

  /**
   * Takes a place among the exposures, or stands in line for one and is woken by it. Makes no call: a thousand may wait here.
   * @param withinMs when to look again all the same, because the movement must have been prepared by then
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
        // The pod is expected from now on.
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

  /** It does not stand in line any more, and uses no room that was kept for it. */
  leaveLine(object: T): void {
    this.#ports.exposures.leave(exposureKey(object));
  }

  /** Writes what the exposure waits for into status.message; nothing when that cannot be seen, or is there already. */
  async explain(object: T, signal: AbortSignal): Promise<void> {
    const cause = await this.#ports.kind.diagnose(object, signal);
    if (cause !== undefined) await writeWaitingNote(this.#ports, object, cause, signal);
  }

  /** Ends the exposure of the object's attempt, which counts as done until {@link stop}. */
  async cutShort(object: T): Promise<void> {
    await this.#ports.exposures.cutShort(exposureKey(object));
  }

  /**
   * Takes away what the exposure has made after others had concluded the movement. It counts as done until {@link stop}, so
   * that what fails here is tried again.
   */
  async undo(object: T, signal: AbortSignal): Promise<void> {
    await this.cutShort(object);
    await this.#ports.kind.cleanUp(object, signal);
  }

  /** Stops the exposure of the object's attempt; resolves when nothing of it runs any more. */
  async stop(object: T): Promise<void> {
    await this.#ports.exposures.stop(exposureKey(object));
  }

  /** What failed last may have been done all the same; an exposure of a volume that is in use, or handed over, would harm it. */
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
