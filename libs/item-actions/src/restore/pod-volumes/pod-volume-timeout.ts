import { annotations, type Restore } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';

/** As the server's, should nobody say. */
const timeoutDefaultMs = 14_400_000;

/** How long the volumes of pods may take: by annotation on the Restore, else as the server says (`--fs-backup-timeout`). Pure. */
export function podVolumeTimeoutMs({ metadata }: Pick<Restore, 'metadata'>, ofServer: string | undefined): number {
  const own = parseDurationMs(metadata.annotations?.[annotations.podVolumeTimeout] ?? '') ?? 0;
  return own > 0 ? own : parseDurationMs(ofServer ?? '') || timeoutDefaultMs;
}
