import type { ResourceType } from '@lateen/api-types';
import type { PhaseTable } from './phases/phase-table.ts';
import type { RunObject } from './run-object.ts';

export type StatusOf<R extends RunObject> = NonNullable<R['status']>;
export type PhaseOf<R extends RunObject> = NonNullable<StatusOf<R>['phase']>;

type Nullable<T> = { [K in keyof T]?: T[K] | null };
export type StatusPatch<R extends RunObject> = Nullable<Omit<StatusOf<R>, 'phase'>>;

/** What to write; null takes a field away, what is absent stays. */
export interface RunPatch<R extends RunObject> {
  spec?: Nullable<R['spec']>;
  status?: StatusPatch<R>;
  labels?: Readonly<Record<string, string | null>>;
  annotations?: Readonly<Record<string, string | null>>;
}

/** What tells Backups and Restores apart, for those who treat them in one way. */
export interface RunKind<R extends RunObject> {
  readonly type: ResourceType<R>;
  /** `backup`: in fields of log lines. */
  readonly word: 'backup' | 'restore';
  readonly phases: PhaseTable<PhaseOf<R>>;
  /** Work is done for one in these phases, or has to be taken back. */
  readonly underWay: readonly PhaseOf<R>[];
  /** The phase from which a run claims it. */
  readonly unclaimed: PhaseOf<R>;
  /** On it exactly while it is under way. */
  readonly finalizer: string;
  /** Put on it by the first move that finds it under way, and left to others to take off. */
  readonly lastingFinalizer?: string;
  /** Annotations that a move to a phase changes beside what the mover asks for. */
  notesOnMove?(run: R, to: PhaseOf<R>): Readonly<Record<string, string | null>>;
}
