import type { BackupRepository, BackupStorageLocation } from '@lateen/api-types';
import { withSpecOr } from '@lateen/kube-runtime';

/** A location as caches hold it. */
export const wholeLocation = withSpecOr<BackupStorageLocation>(() => ({ provider: '', objectStorage: { bucket: '' } }));

/** The same for a repository: without a type, no engine takes it. */
export const wholeRepository = withSpecOr<BackupRepository>(() => ({
  volumeNamespace: '',
  backupStorageLocation: '',
  repositoryType: '',
  resticIdentifier: '',
  maintenanceFrequency: '',
}));
