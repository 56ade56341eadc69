import type { Pod } from '@lateen/api-types';
import type { AppError } from '@lateen/errors';
import type { ClientState } from '../gather/client-seen.ts';
import type { Movement } from './movement-kind.ts';

/** A pod as a spec names it. */
export interface NamedPod {
  namespace: string;
  name: string;
  uid: string;
}

/** The pod that mounts the volume of a movement: the client pod. */
export interface ClientOf<T extends Movement> {
  podOf(object: T): NamedPod;
  /** The movement may begin on the node where the pod is in this state. */
  mayBegin(state: ClientState): boolean;
  /**
   * The pod uses its volume already, so a mover may not touch that any more. `isMoving`: one is at work, and has perhaps just done what the
   * pod has waited for.
   */
  isTooLate(state: ClientState, isMoving: boolean): boolean;
  /** Why the volume of this pod is of no use any more; undefined when nothing speaks against it. */
  problem(pod: Pod | undefined, object: T): AppError | undefined;
  /** Data that was read without the pod is no backup of its volume. */
  isNeededToTheEnd: boolean;
}
