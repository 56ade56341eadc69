import type { NativeSnapshot } from '@lateen/backup-store';
import { describeError, isAppError } from '@lateen/errors';
import { type Clock, eachAtOnce, type Logger, type Random, type RetryPolicy, retry } from '@lateen/kernel';
import { OpenSnapshotters, type OpenSnapshottersPorts } from './open-snapshotters.ts';

export interface DeleteSnapshotsPorts extends OpenSnapshottersPorts {
  clock: Clock;
  random: Random;
  log: Logger;
}

export const deleteSnapshotsLimits = {
  atOnce: 8,
  /** Tries of one snapshot; deleting is safe to repeat. */
  attemptsMax: 3,
  /** Errors that are told; more of them are counted. */
  errorsToldMax: 20,
} as const;

const tries: RetryPolicy = {
  backoff: { firstMs: 500, maxMs: 10_000, factor: 4, jitter: 0.2 },
  attemptsMax: deleteSnapshotsLimits.attemptsMax,
  mayRetry: (error) => isAppError(error) && error.retry !== 'never',
};

/** What came of it. */
export interface DeletedSnapshots {
  /** Those that may still be there, as they were given. */
  left: NativeSnapshot[];
  /** Why, for people. */
  errors: string[];
}

/**
 * Lets providers delete native snapshots, each by the plugin of its location; what fails keeps no other from being deleted. One without an
 * ID was never taken, as far as anybody knows, and is passed over. Safe to repeat.
 * @throws the signal's reason
 */
export async function deleteNativeSnapshots(
  ports: DeleteSnapshotsPorts,
  snapshots: readonly NativeSnapshot[],
  signal: AbortSignal,
): Promise<DeletedSnapshots> {
  const open = new OpenSnapshotters(ports);
  const failed = new Map<NativeSnapshot, string>();
  try {
    const named = snapshots.filter(({ status }) => status.providerSnapshotID);
    await eachAtOnce(named, deleteSnapshotsLimits.atOnce, async (snapshot) => {
      const error = await deleteOne(ports, open, snapshot, signal);
      if (error !== undefined) failed.set(snapshot, error);
    });
  } finally {
    await open.close();
  }
  return { left: snapshots.filter((each) => failed.has(each)), errors: told(snapshots, failed) };
}

async function deleteOne(
  { clock, random, log }: DeleteSnapshotsPorts,
  open: OpenSnapshotters,
  { spec, status }: NativeSnapshot,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { providerSnapshotID: id = '' } = status;
  const { location, persistentVolumeName: volume } = spec;
  try {
    const snapshotter = await open.named(location, signal);
    await retry({ clock, random }, tries, () => snapshotter.deleteSnapshot(id, { signal }), signal);
    log.info({ snapshot: id, volume, volumeSnapshotLocation: location }, 'native snapshot is deleted');
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return `error deleting snapshot ${id} of volume ${volume}: ${describeError(error)}`;
  }
}

function told(snapshots: readonly NativeSnapshot[], failed: ReadonlyMap<NativeSnapshot, string>): string[] {
  const { errorsToldMax } = deleteSnapshotsLimits;
  const errors = snapshots.flatMap((each) => failed.get(each) ?? []);
  const more = errors.length - errorsToldMax;
  return more > 0 ? [...errors.slice(0, errorsToldMax), `${more} more snapshots were not deleted`] : errors;
}
