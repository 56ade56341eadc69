import type { KubeObject } from '@lateen/api-types';
import type { ObjectKey, ResourceType } from '@lateen/kube';
import type { Informer, Watch } from '@lateen/kube-runtime';
import type { Decision, OwnedKind } from '@lateen/volume-decisions';
import type { GuardedWrites } from './guarded-writes.ts';

/** An object of the volume manager: the wanted state in `spec`, the actual state in `status`. */
export type StorageObject = KubeObject & { readonly spec?: object; readonly status?: object };

export type StatusOf<T extends StorageObject> = NonNullable<T['status']>;

/**
 * Which manager works on an object: a kind whose owner is in `status.ownerID` and follows the rules of that kind, or a function for objects without
 * an owner field.
 */
export type Ownership<T> = OwnedKind | ((object: T) => 'mine' | 'take' | 'leave');

/** Something is missing that a watch will deliver: no decision is possible before. */
export interface Gap {
  readonly missing: string;
}

/** One pass over one object. */
export interface Pass<T extends StorageObject, Seen> {
  /** The object as it was read, with what this pass has changed in it (`status.ownerID`). */
  readonly object: T;
  readonly seen: Seen;
  /** All writes of a pass go through it: each is guarded by the version that was read. */
  readonly writes: GuardedWrites;
  readonly signal: AbortSignal;
}

/**
 * A room is the controller logic for the objects of one kind. The frame (`roomController`) does the rest: which manager works on an object, the order
 * of effects, the status, Events, and when to look again.
 */
export interface Room<T extends StorageObject, Seen, Effect> {
  /** Used in log lines and metrics, for example `volume`. */
  readonly name: string;
  readonly type: ResourceType<T>;
  readonly informer: Informer<T>;
  readonly ownership: Ownership<T>;
  /** What adds a key to the queue, besides its object, the managers' leases and the controller's own writes. */
  readonly watches: readonly Watch[];
  /** Number of objects worked on at the same time. */
  readonly workers: number;
  /** Gathers everything that the decision needs, from caches and ports. Changes nothing. */
  gather(object: T, signal: AbortSignal): Seen | Gap | Promise<Seen | Gap>;
  /** The time for decisions about dates that people set; absent: the monotonic clock. */
  now?(): number;
  /** Pure. Does not change `status.ownerID`. */
  decide(seen: Seen, nowMs: number): Decision<StatusOf<T>, Effect>;
  /**
   * Carries out one effect; may be repeated. Its result is merged into the status, over what was decided. An error of the API server ends the pass
   * without a status write; other errors are thrown after the status was written, and skip the effects after it.
   */
  apply(effect: Effect, pass: Pass<T, Seen>): Promise<Partial<StatusOf<T>> | undefined>;
  /**
   * What the status says about an effect that failed, unless the API server was the reason; merged over what was decided. The error is still thrown:
   * the effect is retried as the error's retry fate says.
   */
  failed?(effect: Effect, error: unknown): Partial<StatusOf<T>> | undefined;
  /** The object is gone, or another manager works on it: the room drops what it remembers about it. */
  forget?(key: ObjectKey): void;
}

export const isGap = (found: unknown): found is Gap =>
  typeof found === 'object' && found !== null && 'missing' in found && typeof found.missing === 'string';
