import { annotations, type Restore } from '@lateen/api-types';
import { type Logger, parseDurationMs } from '@lateen/kernel';

/** The server's default, when no timeout is set. */
const timeoutDefaultMs = 14_400_000;

/**
 * The longest duration for the volumes of pods: the Restore's annotation, otherwise the server's flag (`--fs-backup-timeout`).
 * Pure.
 */
export function podVolumeTimeoutMs({ metadata }: Pick<Restore, 'metadata'>, ofServer: string | undefined): number {
  return (
    ownMs(metadata.annotations?.[annotations.podVolumeTimeout]) || parseDurationMs(ofServer ?? '') || timeoutDefaultMs
  );
}

/** An invalid annotation is ignored, as in Velero, and logged. */
export function tellBadTimeout({ metadata }: Pick<Restore, 'metadata'>, log: Logger): void {
  const value = metadata.annotations?.[annotations.podVolumeTimeout];
  if (value === undefined || ownMs(value) > 0) return;
  const fields = { annotation: annotations.podVolumeTimeout, value };
  log.warn(fields, 'the timeout for pod volumes is not a positive duration; that of the server is used');
}

const ownMs = (text: string | undefined): number => Math.max(parseDurationMs(text ?? '') ?? 0, 0);
