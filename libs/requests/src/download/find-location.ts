import {
  type Backup,
  type BackupStorageLocation,
  backupStorageLocationType,
  backupType,
  type DownloadRequest,
  isObjectName,
  restoreType,
} from '@lateen/api-types';
import { targetOwner } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi, type KubeObject, type ResourceType } from '@lateen/kube';

/**
 * The location that holds the file which is asked for: that of the Backup, or of the Restore's Backup.
 * @throws DOWNLOAD_TARGET_INVALID, DOWNLOAD_TARGET_NOT_FOUND (both need another request), LOCATION_NOT_FOUND, KUBE_…
 */
export async function findLocation(
  kube: KubeApi,
  request: DownloadRequest,
  signal: AbortSignal,
): Promise<BackupStorageLocation> {
  const namespace = request.metadata.namespace ?? '';
  const { kind, name } = request.spec.target;
  const owner = targetOwner(kind);
  if (owner === undefined) throw invalid(`"${kind}" is not a known kind of file`);
  const backupName = owner === 'Backup' ? name : await backupOfRestore(kube, namespace, name, signal);
  const backup = await read<Backup>(kube, backupType, { namespace, name: backupName }, signal);
  const location = backup.spec.storageLocation;
  if (!location) throw invalid(`Backup ${namespace}/${backupName} has no storage location yet`);
  return await read(kube, backupStorageLocationType, { namespace, name: location }, signal);
}

async function backupOfRestore(kube: KubeApi, namespace: string, name: string, signal: AbortSignal): Promise<string> {
  const restore = await read(kube, restoreType, { namespace, name }, signal);
  const { backupName } = restore.spec;
  if (!backupName) throw invalid(`Restore ${namespace}/${name} names no Backup yet`);
  return backupName;
}

async function read<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  key: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<T> {
  // A GET of a name that is empty, or holds a slash, would ask for something else.
  if (typeof key.name !== 'string' || !isObjectName(key.name))
    throw invalid(`"${key.name}" is not the name of a ${type.kind}`);
  return await kube.get(type, key, { signal }).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause;
    const code = type.kind === 'BackupStorageLocation' ? 'LOCATION_NOT_FOUND' : 'DOWNLOAD_TARGET_NOT_FOUND';
    throw new AppError(code, `${type.kind} ${key.namespace}/${key.name} does not exist`);
  });
}

const invalid = (message: string): AppError => new AppError('DOWNLOAD_TARGET_INVALID', message);
