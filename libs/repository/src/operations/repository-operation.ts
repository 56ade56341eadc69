import type { RepositoryType } from '../conventions/repository-names.ts';

/** How far a long operation is. Told as often as the engine says it; callers throttle. */
export interface OperationProgress {
  /** What is being done, for people: `reading contents`. */
  doing: string;
  /** In `unit`. */
  done: number;
  /** Absent when nobody knows. */
  total?: number;
  unit: 'items' | 'bytes' | 'percent';
}

export interface OperationOptions {
  onProgress?: ((progress: OperationProgress) => void) | undefined;
  signal: AbortSignal;
}

/**
 * Reads what a kopia repository stores, without the engine. Tells each damage as a sentence. @returns how many stored pieces there are
 * @throws REPOSITORY_FORMAT_UNSUPPORTED before any damage is told: then the engine does it; else as the operations
 */
export type ReadStoredData = (
  options: OperationOptions & { percent: number; onProblem(text: string): void },
) => Promise<number>;

export interface CheckOptions extends OperationOptions {
  /** Of the stored data; 0: only the structure is looked at. */
  readDataPercent: number;
  /** For kopia; without it the engine reads, with a request for each stored piece. */
  readStoredData?: ReadStoredData | undefined;
}

/** What {@link import('./check-repository.ts').checkRepository} found. */
export interface RepositoryCheck {
  engine: RepositoryType;
  /** How much of the stored data was read and compared with its hash; 0: only the structure was looked at. */
  readDataPercent: number;
  /** What is damaged, one sentence each, at most `problemsMax`; empty: nothing is. */
  problems: string[];
  /** Those that are not listed counted too. */
  problemCount: number;
  /** Snapshots that were followed down to their data; absent where the engine does not say. */
  snapshots?: number;
  /** Stored pieces that were looked for; absent where the engine does not say. */
  contents?: number;
}

/** What the volumes of one repository take of the bucket. All in bytes as stored: compressed and encrypted. */
export interface RepositoryUsage {
  engine: RepositoryType;
  /** By namespace and claim; what only other programs have put there is under its own path. */
  volumes: VolumeUsage[];
  /** Needed by at least one snapshot. */
  referencedBytes: number;
  /** Needed by snapshots of more than one volume; counted once. */
  sharedBytes: number;
  /** Needed by no snapshot: what maintenance frees once it is old enough. */
  reclaimableBytes: number;
}

export interface VolumeUsage {
  namespace: string;
  persistentVolumeClaim: string;
  /** The snapshots' source, when it is none of the convention's; namespace and claim are then empty. */
  source?: string;
  snapshots: number;
  /** Freed if only this volume's snapshots were deleted. */
  uniqueBytes: number;
  /** Needed by this volume and by others as well. */
  sharedBytes: number;
}

export const maintenanceModes = ['quick', 'full'] as const;
export type MaintenanceMode = (typeof maintenanceModes)[number];

/** What {@link import('./maintain-repository.ts').maintainRepository} did. */
export interface RepositoryMaintenance {
  engine: RepositoryType;
  mode: MaintenanceMode;
  /** Stored bytes before and after; absent where the engine does not say. */
  bytesBefore?: number;
  bytesAfter?: number;
}

/** What {@link import('./unlock-repository.ts').unlockRepository} did. */
export interface RepositoryUnlock {
  engine: RepositoryType;
  /** Stale locks that are gone now. */
  removed: number;
  /** Locks that are left because whoever made them may still be at work. */
  remaining: number;
  /** False for kopia, which has none. */
  hasLocks: boolean;
}

/** What {@link import('./forget-snapshots.ts').forgetSnapshots} did. */
export interface SnapshotsForgotten {
  engine: RepositoryType;
  /** Taken out by this run. */
  forgotten: number;
  /** Asked for, and not there: forgotten before. */
  missing: number;
}

/** What {@link import('./change-password.ts').changePassword} did. */
export interface PasswordChange {
  engine: RepositoryType;
}

export interface MaintainOptions extends OperationOptions {
  mode: MaintenanceMode;
  /** How often kopia's full cycle is due; written into the repository when it is another there. See `fullInterval`. */
  fullIntervalMs?: number | undefined;
}
