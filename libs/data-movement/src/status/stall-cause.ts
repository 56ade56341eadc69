import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { type KubeApi, readObject } from '@lateen/kube';
import { type BackupRepositoryKey, findBackupRepository } from '@lateen/repository';

/**
 * Why the data path of a hosting pod has made no progress since a time, as far as the API server shows it: three reads, no side
 * effects. A mover that waits for its repository, and an engine that waits for an object store, print nothing.
 */
export async function stallCause(
  kube: KubeApi,
  { pod, key }: { pod: string; key: BackupRepositoryKey },
  since: string,
  signal: AbortSignal,
): Promise<string> {
  const { namespace } = key;
  const [location, repository] = await Promise.all([
    readObject(kube, backupStorageLocationType, { namespace, name: key.location }, signal),
    findBackupRepository(kube, key, { signal }),
  ]);
  const said = locationTrouble(location, `${namespace}/${key.location}`);
  if (said !== undefined) return said;
  if (repository?.status?.phase !== 'Ready') {
    const which =
      repository === undefined
        ? 'its BackupRepository does not exist'
        : `BackupRepository ${namespace}/${repository.metadata.name} is ${repository.status?.phase ?? 'New'}`;
    return `${which}. Check that the controller (Deployment lateen-controller) runs, and its log.`;
  }
  return `the data mover has reported nothing since ${since}. See what it does: kubectl logs -n ${namespace} ${pod}`;
}

function locationTrouble(location: BackupStorageLocation | undefined, key: string): string | undefined {
  if (location === undefined) return `BackupStorageLocation ${key} does not exist any more. Create it again.`;
  if (location.status?.phase !== 'Unavailable') return undefined;
  const why = location.status.message ?? `BackupStorageLocation ${key} is unavailable`;
  return `${why.replace(/[.\s]+$/, '')}. Correct the location: the data path then continues.`;
}
