import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';

/**
 * Finds the BackupStorageLocation of a command: the named one, otherwise the default.
 * @throws AppError LOCATION_NOT_FOUND naming the existing locations | LOCATION_UNAVAILABLE with the location's own reason
 */
export async function findLocation(
  kube: KubeApi,
  namespace: string,
  name: string | undefined,
  signal: AbortSignal,
): Promise<BackupStorageLocation> {
  const { items } = await kube.list(backupStorageLocationType, { namespace, signal });
  const found = items.find((each) => (name === undefined ? each.spec.default === true : each.metadata.name === name));
  const known = items.map((each) => each.metadata.name).join(', ') || 'none';
  if (found === undefined)
    throw new AppError(
      'LOCATION_NOT_FOUND',
      name === undefined
        ? `no BackupStorageLocation in namespace ${namespace} is marked default`
        : `BackupStorageLocation "${name}" does not exist in namespace ${namespace}`,
      { nextStep: `Name one with --storage-location. There are: ${known}.` },
    );
  if (found.status?.phase === 'Unavailable')
    throw new AppError(
      'LOCATION_UNAVAILABLE',
      found.status.message ?? `BackupStorageLocation "${found.metadata.name}" is unavailable`,
      { nextStep: 'Correct the location, or name another with --storage-location.' },
    );
  return found;
}
