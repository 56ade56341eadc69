import type { KubeObject } from '../meta/kube-object.ts';
import type { Duration, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';

/** One repository: the data of all volumes of one namespace in one storage location. */
export interface BackupRepository extends KubeObject {
  spec: BackupRepositorySpec;
  status?: BackupRepositoryStatus;
}

/** Which repository this is and how it is kept. */
export interface BackupRepositorySpec {
  /** Namespace whose volumes are stored in the repository. */
  volumeNamespace: string;
  /** Name of the BackupStorageLocation the repository is in. */
  backupStorageLocation: string;
  /** Engine that owns the repository's format. */
  repositoryType?: BackupRepositoryType;
  /** Address of a restic repository; empty for others. */
  resticIdentifier?: string;
  /** Time between two maintenance runs; zero asks the controller to fill in its default. */
  maintenanceFrequency: Duration;
  /** Settings of the engine, for example cacheLimitMB. */
  repositoryConfig?: Record<string, string> | null;
}

/** The empty string stands in objects from before the field existed. */
export const backupRepositoryTypes = ['kopia', 'restic', ''] as const;
export type BackupRepositoryType = (typeof backupRepositoryTypes)[number];

export const backupRepositoryPhases = ['New', 'Ready', 'NotReady'] as const;
export type BackupRepositoryPhase = (typeof backupRepositoryPhases)[number];

export const maintenanceResults = ['Succeeded', 'Failed'] as const;
export type MaintenanceResult = (typeof maintenanceResults)[number];

/** Whether the repository can be used, and how its maintenance went. */
export interface BackupRepositoryStatus {
  /** Ready when the repository exists and could be opened. */
  phase?: BackupRepositoryPhase;
  /** Why the repository is not ready. */
  message?: string;
  /** When maintenance last succeeded. */
  lastMaintenanceTime?: Timestamp | null;
  /** The latest maintenance runs, newest last. */
  recentMaintenance?: RecentMaintenance[];
}

export interface RecentMaintenance {
  /** How the run ended. */
  result?: MaintenanceResult;
  /** When the run began. */
  startTimestamp?: Timestamp | null;
  /** When the run ended. */
  completeTimestamp?: Timestamp | null;
  /** Why the run failed. */
  message?: string;
}

export const backupRepositoryType = veleroType<BackupRepository>('v1', 'BackupRepository', 'backuprepositories');
