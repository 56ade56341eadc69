import { annotations, type Backup, type UploaderType } from '@lateen/api-types';
import { type Logger, parseDurationMs } from '@lateen/kernel';

/** How volumes of pods are read through the file system; the same for all backups of an installation. */
export interface PodVolumeOptions {
  /** False when no node-agent may read pod volumes: then each chosen volume is an error, and no PodVolumeBackup is created. */
  enabled: boolean;
  /** A Go duration: the time-out from the first PodVolumeBackup of a backup to the end of all. */
  timeout: string;
  uploaderType: UploaderType;
}

export const podVolumeOptionsDefault: PodVolumeOptions = { enabled: true, timeout: '4h0m0s', uploaderType: 'kopia' };

/** The time-out; the Backup itself may set another one. */
export function podVolumeTimeout({ metadata }: Backup, { timeout }: PodVolumeOptions, log: Logger): string {
  const own = metadata.annotations?.[annotations.podVolumeTimeout];
  if (own === undefined) return timeout;
  if ((parseDurationMs(own) ?? 0) > 0) return own;
  log.warn(
    { annotation: annotations.podVolumeTimeout, value: own, timeout },
    'the timeout for pod volumes is not a positive duration; that of the server is used',
  );
  return timeout;
}
