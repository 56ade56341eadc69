import { backupStorageLocationType } from '@lateen/api-types';
import { type KubeApi, readObject } from '@lateen/kube';
import type { LocationForOperations } from './operations-kind.ts';

/** The location of a run that continues; or why it cannot be written to any more. */
export async function usableLocation(
  { kube, namespace }: { kube: KubeApi; namespace: string },
  name: string,
  signal: AbortSignal,
): Promise<LocationForOperations> {
  const location = await readObject(kube, backupStorageLocationType, { namespace, name }, signal);
  if (location === undefined) return { gone: `BackupStorageLocation ${name} does not exist any more` };
  if (location.spec.accessMode === 'ReadOnly') return { gone: `BackupStorageLocation ${name} has become read-only` };
  return { usable: location };
}
