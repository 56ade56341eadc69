import type { ResourceType } from '@lateen/api-types';
import type { PhaseTable } from './phases/phase-table.ts';
import type { RunObject } from './run-object.ts';

export type StatusOf<R extends RunObject> = NonNullable<R['status']>;
export type PhaseOf<R extends RunObject> = NonNullable<StatusOf<R>['phase']>;

type Nullable<T> = { [K in keyof T]?: T[K] | null };
export type StatusPatch<R extends RunObject> = Nullable<Omit<StatusOf<R>, 'phase'>>;

/** The fields to write; null removes a field, absent fields stay. */
export interface RunPatch<R extends RunObject> {
  spec?: Nullable<R['spec']>;
  status?: StatusPatch<R>;
  labels?: Readonly<Record<string, string | null>>;
  annotations?: Readonly<Record<string, string | null>>;
}

/** The differences between Backups and Restores, for code that handles both. */
export interface RunKind<R extends RunObject> {
  readonly type: ResourceType<R>;
  /** The name in fields of log lines: `backup`. */
  readonly word: 'backup' | 'restore';
  readonly phases: PhaseTable<PhaseOf<R>>;
  /** Phases in which a run is being worked on, or has to be cleaned up. */
  readonly underWay: readonly PhaseOf<R>[];
  /** The phase in which a run can be claimed. */
  readonly unclaimed: PhaseOf<R>;
  /** The finalizer that is on the object exactly while the run is under way. */
  readonly finalizer: string;
  /** A finalizer that the first move under way adds, and that other components remove. */
  readonly lastingFinalizer?: string;
  /** Annotations that a move to a phase changes in addition to those of the caller. */
  notesOnMove?(run: R, to: PhaseOf<R>): Readonly<Record<string, string | null>>;
}
