import type { BackupRepository, BackupStorageLocation, Job } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import type { EventSubject } from '@lateen/kube-runtime';
import type { MaintenanceSettings } from '../settings/maintenance-settings.ts';
import type { MaintenanceObserver } from './maintenance-observer.ts';
import type { MaintenancePlaces } from './maintenance-places.ts';

/** What keeping the maintenance of repositories going needs. */
export interface MaintenanceReconcilerPorts {
  kube: KubeApi;
  getRepository(key: ObjectKey): BackupRepository | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  /** Those with the label of a repository of that name. */
  jobsOf(repositoryName: string): readonly Job[];
  settingsOf(repository: BackupRepository, signal: AbortSignal): Promise<MaintenanceSettings>;
  places: MaintenancePlaces;
  /** Brings a repository to the reconciler again, by its key: its turn for a place has come. */
  wake(key: string): void;
  /** Records an Event. */
  tell(subject: EventSubject, reason: string, message: string, type: 'Normal' | 'Warning'): void;
  observer?: MaintenanceObserver | undefined;
  clock: Clock;
  log: Logger;
}

/** A repository as it was when it was decided on. */
export interface MaintenanceSubject {
  key: ObjectKey;
  repository: BackupRepository;
}
