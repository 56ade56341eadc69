import type { KubeObject } from '@lateen/api-types';
import type { ObjectKey, ResourceType } from '@lateen/kube';
import type { Informer, Watch } from '@lateen/kube-runtime';
import type { Decision, OwnedKind } from '@lateen/volume-decisions';
import type { GuardedWrites } from './guarded-writes.ts';

/** An object of the volume manager: what is wanted in `spec`, what is in `status`. */
export type StorageObject = KubeObject & { readonly spec?: object; readonly status?: object };

export type StatusOf<T extends StorageObject> = NonNullable<T['status']>;

/**
 * Who works on an object: a kind whose owner stands in `status.ownerID` and is taken by the rules of that kind, or a function for what has
 * no owner of its own.
 */
export type Ownership<T> = OwnedKind | ((object: T) => 'mine' | 'take' | 'leave');

/** Something is missing that a watch will bring: nothing can be decided before. */
export interface Gap {
  readonly missing: string;
}

/** One pass over one object. */
export interface Pass<T extends StorageObject, Seen> {
  /** As it was read, with what this pass has taken of it (`status.ownerID`). */
  readonly object: T;
  readonly seen: Seen;
  /** All writes of a pass go through it: each is guarded by what was read. */
  readonly writes: GuardedWrites;
  readonly signal: AbortSignal;
}

/**
 * What is done about the objects of one kind. The frame does the rest: who works on it, the order of effects, the status, Events, when to
 * look again (`roomController`).
 */
export interface Room<T extends StorageObject, Seen, Effect> {
  /** `volume`: in log lines and metrics. */
  readonly name: string;
  readonly type: ResourceType<T>;
  readonly informer: Informer<T>;
  readonly ownership: Ownership<T>;
  /** What wakes a key besides its object, the leases of managers and its own writes. */
  readonly watches: readonly Watch[];
  /** Objects worked on at the same time. */
  readonly workers: number;
  /** All that is decided by, from caches and ports. It changes nothing. */
  gather(object: T, signal: AbortSignal): Seen | Gap | Promise<Seen | Gap>;
  /** The time for its decisions where they are about dates of people; the clock that does not leap when absent. */
  now?(): number;
  /** Pure. `status.ownerID` is left as it is. */
  decide(seen: Seen, nowMs: number): Decision<StatusOf<T>, Effect>;
  /**
   * Carries out one effect; may be repeated. What it returns is put into the status, over what was decided. Errors of the API server end
   * the pass without a status; others are thrown after the status was written, and no effect comes after them.
   */
  apply(effect: Effect, pass: Pass<T, Seen>): Promise<Partial<StatusOf<T>> | undefined>;
  /**
   * What the status says of an effect that has failed for another reason than the API server, over what was decided. The error goes its way all the
   * same: the effect is tried again as its fate says.
   */
  failed?(effect: Effect, error: unknown): Partial<StatusOf<T>> | undefined;
  /** The object is gone, or is looked after by somebody else: what is remembered of it is forgotten. */
  forget?(key: ObjectKey): void;
}

export const isGap = (found: unknown): found is Gap =>
  typeof found === 'object' && found !== null && 'missing' in found && typeof found.missing === 'string';
