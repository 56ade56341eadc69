import { backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';

/**
 * A movement cannot succeed when its location is missing, so this is checked before any volume is made.
 * @throws LOCATION_NOT_FOUND | LOCATION_UNAVAILABLE, naming the location
 */
export async function requireLocation(
  kube: KubeApi,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const location = await kube
    .get(backupStorageLocationType, { namespace, name }, { signal })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      throw new AppError('LOCATION_NOT_FOUND', `BackupStorageLocation ${namespace}/${name} does not exist`, {
        nextStep: 'Create the location, or name another one in spec.backupStorageLocation.',
      });
    });
  if (location.status?.phase !== 'Unavailable') return;
  throw new AppError(
    'LOCATION_UNAVAILABLE',
    location.status.message ?? `BackupStorageLocation ${namespace}/${name} is unavailable`,
    { nextStep: 'Correct the location and start again.' },
  );
}
