import {
  type BackupStorageLocation,
  backupRepositoryType,
  backupStorageLocationType,
  backupType,
  getValidName,
  type KubeObject,
  labels,
  type ResourceType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi, keyOf, listAll } from '@lateen/kube';

/** The objects in the cluster that belong to a location; the data in its bucket stays. */
export interface Associated {
  backups: readonly KubeObject[];
  repositories: readonly KubeObject[];
}

/** How many delete calls run at the same time. */
const deletesAtOnceMax = 8;

/** Finds the objects with the location's label (cli.md section 6); long names are shortened in labels as everywhere. */
export async function findAssociated(
  kube: KubeApi,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<Associated> {
  const { namespace, name = '' } = location.metadata;
  const options = { namespace, labelSelector: `${labels.storageLocation}=${getValidName(name)}`, signal };
  const [backups, repositories] = await Promise.all([
    listAll(kube, backupType, options, onlyNames),
    listAll(kube, backupRepositoryType, options, onlyNames),
  ]);
  return { backups: backups.items, repositories: repositories.items };
}

/** Keeps only the names, because a location may have very many Backups. */
function onlyNames<T extends KubeObject>(object: T): T {
  const { name, namespace, uid } = object.metadata;
  return { ...object, metadata: { name, namespace, uid }, spec: undefined, status: undefined } as unknown as T;
}

/**
 * Deletes a location and then the objects that belong to it. They are listed again after the location is gone, because as long as it exists,
 * Backups are synced from its bucket. Objects that are gone already do not count. Returns how many were deleted.
 * @throws AppError DELETED_IN_PART naming what is left and how to delete it
 */
export async function deleteLocation(
  kube: KubeApi,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<{ backups: number; repositories: number }> {
  const { name = '' } = location.metadata;
  const { uid } = location.metadata;
  await kube.delete(backupStorageLocationType, keyOf(location), {
    signal,
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  });
  try {
    const { backups, repositories } = await findAssociated(kube, location, signal);
    return {
      backups: await deleteAll(kube, backupType, backups, signal),
      repositories: await deleteAll(kube, backupRepositoryType, repositories, signal),
    };
  } catch (cause) {
    const label = `${labels.storageLocation}=${getValidName(name)}`;
    throw new AppError(
      'DELETED_IN_PART',
      `backup storage location "${name}" is deleted, but not all that belongs to it`,
      {
        cause,
        nextStep: `Delete the rest with: kubectl delete backups.velero.io,backuprepositories.velero.io -n ${location.metadata.namespace} -l ${label}`,
      },
    );
  }
}

async function deleteAll<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<number> {
  const left = [...objects];
  const errors: unknown[] = [];
  let deleted = 0;
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      signal.throwIfAborted();
      try {
        await kube.delete(type, keyOf(next), { signal });
        deleted += 1;
      } catch (error) {
        if (!isNotFound(error)) errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: deletesAtOnceMax }, worker));
  const [first] = errors;
  if (first !== undefined)
    throw new AppError('NOT_DELETED', `${errors.length} of ${objects.length} ${type.resource} could not be deleted`, {
      cause: first,
    });
  return deleted;
}
