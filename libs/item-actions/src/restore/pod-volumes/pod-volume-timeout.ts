import { annotations, type Restore } from '@lateen/api-types';
import { type Logger, parseDurationMs } from '@lateen/kernel';

/** As the server's, should nobody say. */
const timeoutDefaultMs = 14_400_000;

/** How long the volumes of pods may take: by annotation on the Restore, else as the server says (`--fs-backup-timeout`). Pure. */
export function podVolumeTimeoutMs({ metadata }: Pick<Restore, 'metadata'>, ofServer: string | undefined): number {
  return (
    ownMs(metadata.annotations?.[annotations.podVolumeTimeout]) || parseDurationMs(ofServer ?? '') || timeoutDefaultMs
  );
}

/** An annotation that cannot be read is none, as in Velero, and told. */
export function tellBadTimeout({ metadata }: Pick<Restore, 'metadata'>, log: Logger): void {
  const value = metadata.annotations?.[annotations.podVolumeTimeout];
  if (value === undefined || ownMs(value) > 0) return;
  const fields = { annotation: annotations.podVolumeTimeout, value };
  log.warn(fields, 'the time for pod volumes is no positive duration; that of the server holds');
}

const ownMs = (text: string | undefined): number => Math.max(parseDurationMs(text ?? '') ?? 0, 0);
