import type { BackupRepository, BackupStorageLocation } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import type { Tell } from '../location/location-observer.ts';
import type { SecretLooks } from '../secret-looks.ts';
import type { OpenedRepository } from './open-repository.ts';
import type { RepositoryMemories, RepositoryMemory } from './repository-memory.ts';
import type { Presence } from './repository-presence.ts';

/** What bringing repositories to Ready needs. */
export interface RepositoryPorts {
  kube: KubeApi;
  getRepository(key: ObjectKey): BackupRepository | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  /** Makes sure that the repository exists and opens. Rejects with the reason why not. */
  openRepository(
    repository: BackupRepository,
    location: BackupStorageLocation,
    signal: AbortSignal,
  ): Promise<OpenedRepository>;
  /** A look into the bucket; nothing older than `sinceMs`, on the monotonic clock, counts for missing. */
  look(
    repository: BackupRepository,
    location: BackupStorageLocation,
    options: { sinceMs: number; signal: AbortSignal },
  ): Promise<Presence>;
  maintenanceFrequency: string;
  /** Of the backup repository ConfigMap, for repositories of that type. */
  repositoryConfig(type: string, signal: AbortSignal): Promise<Record<string, string> | undefined>;
  memories: RepositoryMemories;
  /** Notices corrected Secrets of what does not work. */
  looks: SecretLooks;
  tell: Tell;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** One repository, with what is known of it. */
export interface RepositorySubject {
  key: ObjectKey;
  repository: BackupRepository;
  location: BackupStorageLocation | undefined;
  memory: RepositoryMemory;
}
