import type { Pod } from '@lateen/api-types';
import type { BackupResult, DataPathProgress, RestoreResult } from '@lateen/datapath';
import type { MovementLimits } from '../limits.ts';
import type { Movement } from '../movement.ts';

/** How a data path ended. A result is missing when an earlier process saw it and only the rest is to be done. */
export type PathEnding =
  | { kind: 'completed'; result: BackupResult | RestoreResult | undefined }
  | { kind: 'failed'; error: unknown }
  | { kind: 'canceled' };

/** What this process is doing about one object. Lost with the process; nothing that matters is only here. */
export interface WorkSeen {
  exposure: { state: 'none' | 'running' | 'done' } | { state: 'failed'; error: unknown };
  path:
    | { state: 'none' }
    | { state: 'running'; progress: DataPathProgress | undefined; progressDueMs: number }
    | { state: 'ended'; ending: PathEnding };
  /** When spec.cancel was first seen, epoch ms. */
  cancelSeenMs: number | undefined;
}

/** Everything that a decision looks at. */
export interface Seen {
  object: Movement;
  /** The node this process works for. */
  node: string;
  nowMs: number;
  /** The hosting pod, as the watch knows it. */
  pod: Pod | undefined;
  work: WorkSeen;
  limits: MovementLimits;
}
