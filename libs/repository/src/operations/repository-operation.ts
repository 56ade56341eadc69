import type { RepositoryType } from '../conventions/repository-names.ts';

/** The progress of a long operation. Reported as often as the engine does; callers throttle. */
export interface OperationProgress {
  /** The present step, as text for users: `reading contents`. */
  doing: string;
  /** In `unit`. */
  done: number;
  /** Absent when the total is not known. */
  total?: number;
  unit: 'items' | 'bytes' | 'percent';
}

export interface OperationOptions {
  onProgress?: ((progress: OperationProgress) => void) | undefined;
  signal: AbortSignal;
}

/**
 * Reads the stored data of a kopia repository without the engine. Reports each damage as a sentence. @returns the number of
 * stored pieces
 * @throws REPOSITORY_FORMAT_UNSUPPORTED before any damage is reported: then the engine has to do it; otherwise as the operations
 */
export type ReadStoredData = (
  options: OperationOptions & { percent: number; onProblem(text: string): void },
) => Promise<number>;

/**
 * Reads one snapshot of a kopia repository without the engine, and compares it with the block device at `volumePath`, if there is one. Reports each
 * damage as a sentence.
 * @throws REPOSITORY_FORMAT_UNSUPPORTED before any damage is reported: then the engine has to do it; otherwise as the operations
 */
export type VerifyStoredSnapshot = (
  options: OperationOptions & {
    snapshotID: string;
    percent: number;
    volumePath?: string | undefined;
    onProblem(text: string): void;
  },
) => Promise<{ readBytes: number; comparedBytes: number }>;

/** What {@link import('./verify-snapshot.ts').verifySnapshot} found. */
export interface SnapshotVerification {
  engine: RepositoryType;
  snapshotID: string;
  /** The share of the pieces of data that was read and compared with its hash; 0: only whether they exist. */
  readDataPercent: number;
  /** The damages, one sentence each, at most `problemsMax`; empty: none. */
  problems: string[];
  /** Number of all problems, including those that are not listed. */
  problemCount: number;
  /** Absent when the engine has read, which does not report it. */
  readBytes?: number;
  /** Of those, compared with the volume; 0: no volume was given. */
  comparedBytes?: number;
}

export interface CheckOptions extends OperationOptions {
  /** Share of the stored data; 0: only the structure is checked. */
  readDataPercent: number;
  /** For kopia; without it the engine reads, with one request for each stored piece. */
  readStoredData?: ReadStoredData | undefined;
}

/** What {@link import('./check-repository.ts').checkRepository} found. */
export interface RepositoryCheck {
  engine: RepositoryType;
  /** The share of the stored data that was read and compared with its hash; 0: only the structure was checked. */
  readDataPercent: number;
  /** The damages, one sentence each, at most `problemsMax`; empty: none. */
  problems: string[];
  /** Number of all problems, including those that are not listed. */
  problemCount: number;
  /** Snapshots that were followed down to their data; absent when the engine does not report it. */
  snapshots?: number;
  /** Stored pieces that were checked; absent when the engine does not report it. */
  contents?: number;
}

/** The space that the volumes of one repository take in the bucket. All in bytes as stored: compressed and encrypted. */
export interface RepositoryUsage {
  engine: RepositoryType;
  /** By namespace and claim; data of other programs is listed under its own path. */
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
  /** The snapshots' source, when it follows no convention; namespace and claim are then empty. */
  source?: string;
  snapshots: number;
  /** Bytes that are freed if only this volume's snapshots are deleted. */
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
  /** Stored bytes before and after; absent when the engine does not report it. */
  bytesBefore?: number;
  bytesAfter?: number;
}

/** What {@link import('./unlock-repository.ts').unlockRepository} did. */
export interface RepositoryUnlock {
  engine: RepositoryType;
  /** Stale locks that were removed. */
  removed: number;
  /** Locks that stay because their owner may still be running. */
  remaining: number;
  /** False for kopia, which has no locks. */
  hasLocks: boolean;
}

/** What {@link import('./forget-snapshots.ts').forgetSnapshots} did. */
export interface SnapshotsForgotten {
  engine: RepositoryType;
  /** Deleted by this run. */
  forgotten: number;
  /** Requested and missing: forgotten before. */
  missing: number;
}

/** What {@link import('./change-password.ts').changePassword} did. */
export interface PasswordChange {
  engine: RepositoryType;
}

export interface MaintainOptions extends OperationOptions {
  mode: MaintenanceMode;
  /** The interval of kopia's full cycle; written into the repository when it differs there. See `fullInterval`. */
  fullIntervalMs?: number | undefined;
}
