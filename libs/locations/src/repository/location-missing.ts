import type { BackupRepository } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** Why a repository whose location does not exist cannot be opened. */
export function locationMissing(repository: BackupRepository): AppError {
  const { namespace } = repository.metadata;
  const { backupStorageLocation } = repository.spec;
  return new AppError(
    'LOCATION_NOT_FOUND',
    `BackupStorageLocation ${namespace}/${backupStorageLocation} does not exist`,
    {
      retry: 'later',
      nextStep: 'Create it, or delete this BackupRepository.',
    },
  );
}
