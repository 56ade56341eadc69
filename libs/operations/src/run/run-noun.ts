import type { Backup, BackupPhase, Restore, RestorePhase } from '@lateen/api-types';
import type { Noun } from '../noun/noun.ts';

/** An object that the server works on for a while: it has a phase, counts and an end. */
export type Run = Backup | Restore;
export type RunPhase = BackupPhase | RestorePhase;

/** How many objects and operations of a run are done. */
export interface RunCounts {
  items: { done: number; total: number };
  operations: { attempted: number; completed: number; failed: number };
}

/** A kind whose objects are runs. Functions that follow, show, cancel and explain a run take one of these. */
export interface RunNoun<T extends Run> extends Noun<T> {
  /** The error code for a run that is deleted while it is waited for. */
  readonly deletedCode: string;
  /** The kinds of movements of its volumes: each movement has the name of the run under this label. */
  readonly movements: { readonly kinds: readonly string[]; readonly label: string };
  /** An absent or empty phase is New. */
  phaseOf(run: Pick<T, 'status'>): RunPhase;
  /** Whether all work for the run has ended. */
  hasEnded(run: Pick<T, 'status'>): boolean;
  countsOf(run: Pick<T, 'status'>): RunCounts;
}
