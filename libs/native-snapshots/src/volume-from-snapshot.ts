import type { Unstructured } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { AppError, isAppError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import type { OpenSnapshotters } from './open-snapshotters.ts';
import { untilAnswered } from './until-answered.ts';

export interface VolumeFromSnapshotPorts {
  clock: Clock;
  log: Logger;
  open: OpenSnapshotters;
}

export interface MadeVolume {
  /** Refers to the new volume; otherwise unchanged. */
  volume: Unstructured;
  volumeID: string;
}

/**
 * Creates a new volume from a native snapshot, and makes a PersistentVolume refer to it. Each call creates another volume.
 * @throws NATIVE_RESTORE_FAILED, what opening the location throws, the signal's reason; whatever was made by then is named in the error or
 *   in the log, because nothing that a plugin can do deletes a volume
 */
export async function volumeFromSnapshot(
  { clock, log, open }: VolumeFromSnapshotPorts,
  { spec, status }: NativeSnapshot,
  volume: Unstructured,
  signal: AbortSignal,
): Promise<MadeVolume> {
  const { providerSnapshotID: snapshot = '' } = status;
  const { location, volumeType: type, volumeAZ = '', volumeIOPS: iops } = spec;
  const snapshotter = await open.named(location, signal);
  const info = { type, volumeAZ, ...(iops === undefined ? {} : { iops }) };
  const failed = (cause: unknown, nextStep?: string) =>
    new AppError(
      'NATIVE_RESTORE_FAILED',
      `no volume for PersistentVolume ${spec.persistentVolumeName} could be made of native snapshot ${snapshot} in VolumeSnapshotLocation ${location}`,
      { cause, ...(nextStep === undefined ? {} : { nextStep }) },
    );
  let volumeID: string;
  try {
    volumeID = await untilAnswered(clock, signal, (patient) =>
      snapshotter.createVolumeFromSnapshot(snapshot, info, { signal: patient }),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw isAppError(error, 'SNAPSHOTTER_ANSWER_LOST')
      ? failed(error, `One may exist anyway: look at the provider for a volume of snapshot ${snapshot}.`)
      : failed(error);
  }
  try {
    signal.throwIfAborted();
    return { volumeID, volume: await snapshotter.setVolumeID(volume, volumeID, { signal }) };
  } catch (error) {
    if (!signal.aborted) throw failed(error, `Volume ${volumeID} was made: delete it at the provider.`);
    log.warn(
      {
        reason: `volume ${volumeID} of snapshot ${snapshot} in VolumeSnapshotLocation ${location}: delete it at the provider`,
      },
      'a volume was created from a native snapshot when the restore ended, and nothing uses it',
    );
    throw error;
  }
}
