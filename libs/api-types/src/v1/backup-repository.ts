import type { KubeObject } from '../meta/kube-object.ts';
import type { Duration, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';

/**
 * A repository that stores volume data of one namespace in one BackupStorageLocation, in the format of one engine (kopia or restic). Lateen
 * creates it when the first volume is uploaded.
 */
export interface BackupRepository extends KubeObject {
  spec: BackupRepositorySpec;
  status?: BackupRepositoryStatus;
}

/** Which repository this is, and how it is maintained. */
export interface BackupRepositorySpec {
  /** Namespace whose volumes are stored in the repository. */
  volumeNamespace: string;
  /** Name of the BackupStorageLocation that contains the repository. */
  backupStorageLocation: string;
  /** Engine that reads and writes the repository: `kopia` or `restic`. Empty in old objects. */
  repositoryType?: BackupRepositoryType;
  /** Address of a restic repository. Empty for kopia. */
  resticIdentifier?: string;
  /**
   * Time between two maintenance runs, as a duration such as `1h`. With `0s`, the controller writes its default here: the flag
   * --default-repo-maintain-frequency, 1h if that is not set.
   */
  maintenanceFrequency: Duration;
  /**
   * Settings of the engine, as text: `cacheLimitMB`, `fullMaintenanceInterval` (`normalGC`, `fastGC`, `eagerGC`), `blockSplitter`. The
   * controller fills it once from the ConfigMap of its flag --backup-repository-configmap.
   */
  repositoryConfig?: Record<string, string> | null;
}

/** The empty string stands in objects from before the field existed. */
export const backupRepositoryTypes = ['kopia', 'restic', ''] as const;
export type BackupRepositoryType = (typeof backupRepositoryTypes)[number];

export const backupRepositoryPhases = ['New', 'Ready', 'NotReady'] as const;
export type BackupRepositoryPhase = (typeof backupRepositoryPhases)[number];

export const maintenanceResults = ['Succeeded', 'Failed'] as const;
export type MaintenanceResult = (typeof maintenanceResults)[number];

/** Whether the repository can be used, and the results of its maintenance. */
export interface BackupRepositoryStatus {
  /**
   * `New`: not created or opened yet. `Ready`: it can be used. `NotReady`: it cannot be used; `message` says why, and the controller tries
   * again.
   */
  phase?: BackupRepositoryPhase;
  /** Why the repository is not ready, and what to do. Empty when it is ready. */
  message?: string;
  /** When maintenance last ended successfully. At first, when the repository was created or opened. */
  lastMaintenanceTime?: Timestamp | null;
  /** The last maintenance runs, at most 25, newest last. */
  recentMaintenance?: RecentMaintenance[];
}

/** One run of maintenance. */
export interface RecentMaintenance {
  /** How the run ended: `Succeeded` or `Failed`. */
  result?: MaintenanceResult;
  /** When the run started. */
  startTimestamp?: Timestamp | null;
  /** When the run ended. */
  completeTimestamp?: Timestamp | null;
  /** Why the run failed. Empty after a success. */
  message?: string;
}

export const backupRepositoryType = veleroType<BackupRepository>('v1', 'BackupRepository', 'backuprepositories');
