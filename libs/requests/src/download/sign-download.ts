import type { BackupStorageLocation, DownloadTarget } from '@lateen/api-types';
import { objectKey } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { type ReachPorts, withStore } from '@lateen/storage-location';
import { downloadTtlMs } from './decide-download.ts';

export interface SignPorts extends ReachPorts {
  clock: Clock;
}

/** Signing is mostly arithmetic; where a store first has to get keys, this is the longest wait. */
export const signTimeoutMs = 15_000;

/**
 * A link to the file in its location, good for {@link downloadTtlMs}. Whether the file exists is not checked: the
 * store answers 404 to a request for a missing file.
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
    return await withStore(ports, location, { signal: either, customerKey: true }, (store, { prefix }) =>
      store.signedUrl(objectKey(target, prefix), { ttlMs: downloadTtlMs, signal: either }),
    );
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('DOWNLOAD_SIGN_TIMEOUT', `no link could be made within ${durationText(signTimeoutMs)}`, {
      retry: 'later',
      nextStep: `Check BackupStorageLocation "${location.metadata.name}" and the network to its provider.`,
    });
  }
}
