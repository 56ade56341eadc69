import { errnoOf } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';

export const failureKinds = [
  'lost',
  'timeout',
  'refused',
  'io',
  'no-room',
  'not-back',
  'not-promoted',
  'evicted',
  'differs',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Why a replica has failed. The message is one sentence for conditions, Events and people. */
export interface FailureCause {
  readonly kind: FailureKind;
  readonly message: string;
}

export interface ReplicaFailure {
  readonly replica: string;
  readonly cause: FailureCause;
  /** Epoch ms. */
  readonly at: number;
  /**
   * The replica was the last readable one: it has everything that was acknowledged, and the set is over. The record must not make it look like a
   * replica that lacks data.
   */
  readonly last: boolean;
}

/** The failure cause that an error of a link means for its replica. */
export function failureCause(error: unknown): FailureCause {
  const text = error instanceof Error ? error.message : String(error);
  if (isAppError(error, 'LINK_LOST')) return { kind: 'lost', message: `connection lost: ${text}` };
  if (isAppError(error, 'LINK_REFUSED')) return { kind: 'refused', message: `refused: ${text}` };
  if (errnoOf(error) === 'ENOSPC') return { kind: 'no-room', message: `no room left: ${text}` };
  return { kind: 'io', message: `input/output error: ${text}` };
}
