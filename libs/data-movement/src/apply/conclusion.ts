import { movementReasons } from '@lateen/api-types';
import { describeError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { Step } from '../decide/step.ts';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { phaseOf } from '../status/phase-moves.ts';
import { isHeld, moveTo, removeFinalizer, timestamp } from '../status/write-movement.ts';

export interface ConclusionPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  clock: Clock;
  /** Tells the user about a movement; the reason is one of movementReasons. */
  tell(object: Movement, reason: string, message: string): void;
}

/** Records the ends that no data path reports, and cleans up after a movement that has ended. */
export class Conclusion<T extends Movement> {
  readonly #ports: ConclusionPorts<T>;

  constructor(ports: ConclusionPorts<T>) {
    this.#ports = ports;
  }

  /** @throws KUBE_CONFLICT */
  async end(step: Extract<Step, { do: 'end' }>, object: T, signal: AbortSignal): Promise<void> {
    const { kube, kind, clock } = this.#ports;
    const cause = step.diagnose === true ? await this.#causeOf(object, signal) : undefined;
    const message = cause === undefined ? step.message : `${step.message}: ${cause}`;
    // The object has no finalizer of ours and is being deleted: it was deleted before we saw it, and other finalizers still
    // hold it.
    if (!isHeld(kind, object) && object.metadata.deletionTimestamp !== undefined) await this.cleanUp(object, signal);
    // The node that ran it may be gone, and may have completed the last step. Then the movement must not be recorded as Canceled.
    const isDone = hasRun(object) && (await kind.finish?.undo(object, signal)) === false;
    const status = { ...(isDone ? {} : { message }), completionTimestamp: timestamp(clock.now()) } as MovementPatch<T>;
    await moveTo(kube, kind, object, isDone ? 'Completed' : step.phase, status, signal);
  }

  /** The end is recorded even when the cause of the wait cannot be found. */
  async #causeOf(object: T, signal: AbortSignal): Promise<string | undefined> {
    try {
      return await this.#ports.kind.diagnose(object, signal);
    } catch (error) {
      signal.throwIfAborted();
      return `the cause of its wait could not be determined: ${describeError(error)}`;
    }
  }

  /** Cleans up everything, then removes the finalizer. @throws CLEAN_UP_INCOMPLETE; KUBE_CONFLICT */
  async conclude(object: T, signal: AbortSignal): Promise<void> {
    await this.cleanUp(object, signal);
    await removeFinalizer(this.#ports.kube, this.#ports.kind, object, signal);
  }

  /**
   * A user who deletes the object waits for this clean-up. A failure that needs more than a repeated call is therefore reported
   * to the user.
   * @throws CLEAN_UP_INCOMPLETE
   */
  async cleanUp(object: T, signal: AbortSignal): Promise<void> {
    const { kind, tell } = this.#ports;
    try {
      await kind.cleanUp(object, signal);
    } catch (error) {
      if (isAppError(error, 'CLEAN_UP_INCOMPLETE') && error.retry !== 'soon')
        tell(object, movementReasons.cleanUpIncomplete, error.message);
      throw error;
    }
  }
}

const hasRun = (object: Movement): boolean => ['InProgress', 'Canceling'].includes(phaseOf(object));
