import type { BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { readLocation } from '@lateen/repository';
import type { OpenStore } from '../open-store.ts';
import { checkTopLevelDirectories } from './top-level-directories.ts';

/** A location that does not answer is Unavailable after this; it holds up nobody but its own worker meanwhile. */
export const validationTimeoutMs = 30_000;

/**
 * Reaches for a location as a backup would: Secrets, one listing of its first level. Writes nothing.
 * @throws whatever stands in the way, LOCATION_TIMEOUT included
 */
export async function validateLocation(
  ports: { kube: KubeApi; openStore: OpenStore; clock: Clock },
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<void> {
  const timeout = ports.clock.deadline(validationTimeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const resolved = await readLocation(ports.kube, location, { signal: either });
    const store = ports.openStore(resolved);
    try {
      const prefix = resolved.prefix === '' ? '' : `${resolved.prefix}/`;
      checkTopLevelDirectories(await store.listCommonPrefixes(prefix, { signal: either }));
    } finally {
      await store.close();
    }
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('LOCATION_TIMEOUT', `no answer within ${validationTimeoutMs / 1000} s`, {
      retry: 'later',
      nextStep: 'Check s3Url and the network between the cluster and the object store.',
    });
  }
}
