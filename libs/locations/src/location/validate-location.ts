import type { BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { askedText, type ReachPorts, specFingerprint, withStore } from '@lateen/storage-location';
import type { Attempts } from './attempts.ts';
import { checkTopLevelDirectories } from './top-level-directories.ts';

/** A location that does not answer is Unavailable after this. */
export const validationTimeoutMs = 30_000;

export interface ValidateOptions {
  /** Give up after this. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Reaches for a location as a backup would: spec, Secrets, one listing of its first level. Writes nothing, whatever the
 * access mode. Comes back when the time is over even when the store does not.
 * @throws whatever stands in the way, LOCATION_TIMEOUT included
 */
export async function validateLocation(
  ports: ReachPorts & { clock: Clock; attempts: Attempts },
  location: BackupStorageLocation,
  { timeoutMs, signal }: ValidateOptions,
): Promise<void> {
  const timeout = ports.clock.deadline(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  let asked = '';
  const onAsk = (text: string) => {
    asked = ` from ${text}`;
  };
  try {
    await ports.attempts.run(specFingerprint(location), () => reach(ports, location, onAsk, either), either);
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new AppError('LOCATION_TIMEOUT', `no answer within ${durationText(timeoutMs)}${asked}`, {
      retry: 'later',
      nextStep:
        'Check the address in spec.config, the DNS of the cluster, and the network between it and the object store.',
    });
  }
}

async function reach(
  ports: ReachPorts,
  location: BackupStorageLocation,
  onAsk: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await withStore(ports, location, { signal, customerKey: true }, async (store, resolved) => {
    onAsk(askedText(resolved));
    const prefix = resolved.prefix === '' ? '' : `${resolved.prefix}/`;
    checkTopLevelDirectories(await store.listCommonPrefixes(prefix, { signal }));
  });
}
