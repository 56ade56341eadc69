import type { Pod } from '@lateen/api-types';
import type { AppError } from '@lateen/errors';
import type { ClientState } from '../gather/client-seen.ts';
import type { Movement } from './movement-kind.ts';

/** The pod that a spec names. */
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
   * The pod uses its volume already, so a mover must not touch it any more. `isMoving`: a mover is running, and may just have
   * completed what the pod was waiting for.
   */
  isTooLate(state: ClientState, isMoving: boolean): boolean;
  /** Why the volume of this pod can no longer be used; undefined while there is no problem. */
  problem(pod: Pod | undefined, object: T): AppError | undefined;
  /** Data that was read without the pod is not a backup of its volume. */
  isNeededToTheEnd: boolean;
}
