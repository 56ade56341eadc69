import type { BackupRepository, BackupStorageLocation } from '@lateen/api-types';
import { dropManagedFields } from '@lateen/kube-runtime';

/** The definitions let objects without a spec through. One of those must not stop the work on the others. */
export function wholeLocation(location: BackupStorageLocation): BackupStorageLocation {
  const kept = dropManagedFields(location);
  kept.spec ??= { provider: '', objectStorage: { bucket: '' } };
  return kept;
}

/** The same for a repository: without a type, no engine takes it. */
export function wholeRepository(repository: BackupRepository): BackupRepository {
  const kept = dropManagedFields(repository);
  kept.spec ??= {
    volumeNamespace: '',
    backupStorageLocation: '',
    repositoryType: '',
    resticIdentifier: '',
    maintenanceFrequency: '',
  };
  return kept;
}
