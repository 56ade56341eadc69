import { describeError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { again, type KubeApi, keyOf, type Outcome, readObject, type WorkQueue } from '@lateen/kube';
import { type Exposures, exposureKey } from './exposures.ts';
import type { Movement, MovementKind } from './movement-kind.ts';
import { phaseOf } from './phase-moves.ts';
import { Sight } from './sight.ts';
import { endMovement, type MovementPatch, timestamp } from './write-movement.ts';
import { writeWaitingNote } from './write-note.ts';

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

/** How soon an exposure that found no room is tried again; the end of another one wakes nobody. */
export const noRoomMs = 1_000;

/** Begins exposures, records those that fail, and says of those that take long what they wait for. */
export class Exposing<T extends Movement> {
  readonly #ports: ExposingPorts<T>;

  constructor(ports: ExposingPorts<T>) {
    this.#ports = ports;
  }

  begin(object: T): Outcome {
    const { kind, exposures, log, queue } = this.#ports;
    const key = Sight.key(object);
    let repeats = false;
    const started = exposures.start(
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
    return started ? again(0, 'the exposure has begun') : again(noRoomMs, 'too many exposures are under way');
  }

  /** Writes what the exposure waits for into status.message; nothing when that cannot be seen, or is there already. */
  async explain(object: T, signal: AbortSignal): Promise<void> {
    const cause = await this.#ports.kind.diagnose(object, signal);
    if (cause !== undefined) await writeWaitingNote(this.#ports, object, cause, signal);
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
