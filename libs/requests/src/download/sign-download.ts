import type { BackupStorageLocation, DownloadTarget } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ObjectStore } from '@lateen/object-store';
import { type ListAccountKey, type ResolvedLocation, readLocation } from '@lateen/storage-location';
import { downloadTtlMs } from './decide-download.ts';
import { objectKey } from './object-key.ts';

/** Makes the object store of a location; nothing is contacted. Closed after use. */
export type OpenStore = (location: ResolvedLocation) => ObjectStore | Promise<ObjectStore>;

export interface SignPorts {
  kube: KubeApi;
  /** Asked for the key of an Azure storage account, with which a link is signed. */
  listAccountKey: ListAccountKey;
  openStore: OpenStore;
  clock: Clock;
}

/** Signing is mostly arithmetic; where a store asks somebody for keys, this is how long a person is let wait. */
export const signTimeoutMs = 15_000;

/**
 * A link to the file in its location, good for {@link downloadTtlMs}. Whether the file is there is not looked at: the
 * store answers 404 to whoever follows the link.
 * @throws DOWNLOAD_SIGN_TIMEOUT, SIGNED_URL_UNSUPPORTED, and what reading the location's Secrets throws
 */
export async function signDownload(
  ports: SignPorts,
  { location, target }: { location: BackupStorageLocation; target: DownloadTarget },
  signal: AbortSignal,
): Promise<string> {
  const timeout = ports.clock.deadline(signTimeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const resolved = await readLocation(ports.kube, location, { ...ports, signal: either, customerKey: true });
    const store = await ports.openStore(resolved);
    try {
      return await store.signedUrl(objectKey(target, resolved.prefix), { ttlMs: downloadTtlMs, signal: either });
    } finally {
      await store.close();
    }
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('DOWNLOAD_SIGN_TIMEOUT', `no link could be made within ${signTimeoutMs / 1000} s`, {
      retry: 'later',
      nextStep: `Check BackupStorageLocation "${location.metadata.name}" and the network to its provider.`,
    });
  }
}
