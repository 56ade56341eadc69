import type { BackupStorageLocation } from '@lateen/api-types';
import type { ControllerBase, Informer } from '@lateen/kube-runtime';
import type { MaintenanceObserver } from '@lateen/maintenance';
import type { ReachPorts } from '@lateen/storage-location';
import type { Tell } from '../location/location-observer.ts';
import type { RepositoryPorts } from './repository-ports.ts';

/** Beside the ports, what `lateen-controller` can be told about repositories. */
export interface RepositorySettings {
  /** For repositories whose creator left it open. Default 1h. */
  maintenanceFrequency?: string | undefined;
  /** Name of the backup repository ConfigMap (api.md section 17.3). */
  repositoryConfigMap?: string | undefined;
  /** Name of the ConfigMap of maintenance Jobs (api.md section 17.2). */
  maintenanceConfigMap?: string | undefined;
  /** Maintenance Jobs at the same time. */
  maintenanceJobsMax?: number | undefined;
  /** Default: no observer. */
  tell?: Tell;
  maintenanceObserver?: MaintenanceObserver | undefined;
}

export interface RepositoryLoopsOptions extends RepositorySettings, ReachPorts, ControllerBase {
  namespace: string;
  locations: Informer<BackupStorageLocation>;
  openRepository: RepositoryPorts['openRepository'];
}
