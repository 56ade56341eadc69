import type { BackupStore } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { semaphore } from '@lateen/kernel';
import { OpenSnapshotters, takeNativeSnapshot } from '@lateen/native-snapshots';
import type { NativeSnapshots } from '../engine/volumes/native-volumes.ts';
import type { Run } from '../run/run.ts';
import { StoredSnapshots } from './snapshot-record.ts';

export const nativeSnapshotLimits = {
  /** How many snapshots of one backup run at the same time, over all locations; providers limit calls. */
  atOnce: 8,
} as const;

/** The native snapshots of one run. */
export interface RunSnapshots {
  record: StoredSnapshots;
  /** For the engine; undefined when no location is chosen. */
  taking: NativeSnapshots | undefined;
  /** Call it when no snapshot is being taken any more. Never rejects; safe to repeat. */
  close(): Promise<void>;
}

export function runSnapshots({ ports, backup, plan, log }: Run, files: BackupStore): RunSnapshots {
  const { clock } = ports;
  const { snapshotLocations: locations } = plan;
  const record = new StoredSnapshots({ files, clock, log: log.log }, backup);
  if (locations.length === 0) return { record, taking: undefined, close: async () => {} };
  const open = new OpenSnapshotters(ports);
  const places = semaphore({
    placesMax: nativeSnapshotLimits.atOnce,
    waitingMax: Number.POSITIVE_INFINITY,
    full: () => new AppError('NATIVE_SNAPSHOTS_BUSY', 'too many native snapshots wait'),
  });
  const take: NativeSnapshots['take'] = async (volume, signal) => {
    const release = await places.take(signal);
    try {
      return await takeNativeSnapshot({ clock, open, record }, { backup, locations, volume }, signal);
    } finally {
      release();
    }
  };
  const close = async () => {
    await record.settle();
    await open.close();
  };
  return { record, taking: { take }, close };
}
