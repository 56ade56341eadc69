import type { Backup, BackupPhase, Restore, RestorePhase } from '@lateen/api-types';
import type { Noun } from '../noun/noun.ts';

/** What the server works on for a while: it has a phase, counts and an end. */
export type Run = Backup | Restore;
export type RunPhase = BackupPhase | RestorePhase;

/** How many objects and operations of a run are done. */
export interface RunCounts {
  items: { done: number; total: number };
  operations: { attempted: number; completed: number; failed: number };
}

/** A kind whose objects are runs. What follows, shows, cancels and explains one takes one of these. */
export interface RunNoun<T extends Run> extends Noun<T> {
  /** Code of the error for one that vanishes while it is waited for. */
  readonly deletedCode: string;
  /** What moves the data of its volumes: each carries its name under this label. */
  readonly movements: { readonly kinds: readonly string[]; readonly label: string };
  /** An absent or empty phase is New. */
  phaseOf(run: Pick<T, 'status'>): RunPhase;
  /** Nothing is done for it any more. */
  hasEnded(run: Pick<T, 'status'>): boolean;
  countsOf(run: Pick<T, 'status'>): RunCounts;
}
