import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll, readObject } from '@lateen/kube';

export interface LocationSelection {
  /** Absent or empty: all. */
  names?: readonly string[];
  labelSelector?: string | undefined;
}

/** Several objects are read at once, a few at a time. */
const readsAtOnceMax = 8;

/** The locations that are selected: those named in the order of the names, each once, otherwise by name. @throws AppError LOCATION_NOT_FOUND */
export async function findLocations(
  kube: KubeApi,
  namespace: string,
  { names = [], labelSelector }: LocationSelection,
  signal: AbortSignal,
): Promise<BackupStorageLocation[]> {
  if (names.length === 0) {
    const options = { namespace, signal, ...(labelSelector === undefined ? {} : { labelSelector }) };
    return (await listAll(kube, backupStorageLocationType, options)).items;
  }
  const unique = [...new Set(names)];
  const found: BackupStorageLocation[] = [];
  for (let at = 0; at < unique.length; at += readsAtOnceMax) {
    const some = unique.slice(at, at + readsAtOnceMax);
    const read = await Promise.all(
      some.map((name) => readObject(kube, backupStorageLocationType, { namespace, name }, signal)),
    );
    found.push(...read.filter((each) => each !== undefined));
  }
  const known = new Set(found.map(({ metadata }) => metadata.name));
  const missing = unique.filter((name) => !known.has(name));
  if (missing.length > 0) throw locationNotFound(missing);
  return found;
}

/** In the API server's words, several as the reference joins them. */
export function locationNotFound(names: readonly string[]): AppError {
  const each = names.map((name) => `backupstoragelocations.velero.io "${name}" not found`);
  return new AppError('LOCATION_NOT_FOUND', each.length === 1 ? (each[0] ?? '') : `[${each.join(', ')}]`);
}
