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

/** A snapshot that may still be there, and why. */
export interface SnapshotLeft {
  snapshot: NativeSnapshot;
  error: unknown;
}

/**
 * Lets providers delete native snapshots, each by the plugin of its location; what fails keeps no other from being deleted. One without an
 * ID was never taken, as far as anybody knows, and is passed over. Safe to repeat.
 * @returns what is left, in the order that was given
 * @throws the signal's reason
 */
export async function deleteNativeSnapshots(
  ports: DeleteSnapshotsPorts,
  snapshots: readonly NativeSnapshot[],
  signal: AbortSignal,
): Promise<SnapshotLeft[]> {
  const open = new OpenSnapshotters(ports);
  const failed = new Map<NativeSnapshot, unknown>();
  try {
    const named = snapshots.filter(({ status }) => status.providerSnapshotID);
    await eachAtOnce(named, deleteSnapshotsLimits.atOnce, async (snapshot) => {
      try {
        await deleteOne(ports, open, snapshot, signal);
      } catch (error) {
        signal.throwIfAborted();
        failed.set(snapshot, error);
      }
    });
  } finally {
    await open.close();
  }
  return snapshots.filter((each) => failed.has(each)).map((snapshot) => ({ snapshot, error: failed.get(snapshot) }));
}

async function deleteOne(
  { clock, random, log }: DeleteSnapshotsPorts,
  open: OpenSnapshotters,
  { spec, status }: NativeSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const { providerSnapshotID: id = '' } = status;
  const { location, persistentVolumeName: volume } = spec;
  const snapshotter = await open.named(location, signal);
  await retry({ clock, random }, tries, () => snapshotter.deleteSnapshot(id, { signal }), signal);
  log.info({ snapshot: id, volume, volumeSnapshotLocation: location }, 'native snapshot is deleted');
}

/** A line for each, up to a limit. Pure. */
export function snapshotsLeftText(left: readonly SnapshotLeft[]): string[] {
  const { errorsToldMax } = deleteSnapshotsLimits;
  const lines = left.slice(0, errorsToldMax).map(({ snapshot: { spec, status }, error }) => {
    const which = `${status.providerSnapshotID} of volume ${spec.persistentVolumeName}`;
    return `error deleting snapshot ${which}: ${describeError(error)}`;
  });
  const more = left.length - lines.length;
  return more > 0 ? [...lines, `${more} more snapshots were not deleted`] : lines;
}

/** Whether another attempt is useless until a person restores the location or its plugin. Pure. */
export const isBeyondReach = ({ error }: SnapshotLeft): boolean =>
  isAppError(error, 'SNAPSHOT_LOCATION_NOT_FOUND') || isAppError(error, 'NO_VOLUME_SNAPSHOTTER');
