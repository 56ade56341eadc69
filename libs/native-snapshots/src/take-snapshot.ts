import type { Backup, PersistentVolume, Unstructured, VolumeSnapshotLocation } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { OpenSnapshotters } from './open-snapshotters.ts';
import { newSnapshotEntry, snapshotTags } from './snapshot-entry.ts';
import { untilAnswered } from './until-answered.ts';
import type { VolumeSnapshotter } from './volume-snapshotter.ts';
import { zoneOfVolume } from './volume-zone.ts';

/** The record of the snapshots of a backup, for the process that has to delete them when this one dies. */
export interface SnapshotRecord {
  /** The provider is about to be asked. @throws when it could not be written down: the snapshot must not be taken; the signal's reason */
  begin(entry: NativeSnapshot, signal: AbortSignal): Promise<void>;
  /** What came of it, in the place of what was begun. */
  end(begun: NativeSnapshot, ended: NativeSnapshot): void;
}

export interface TakeSnapshotPorts {
  clock: Clock;
  open: OpenSnapshotters;
  record: SnapshotRecord;
}

export interface SnapshotOrder {
  backup: Backup;
  /** One of each provider, in the order in which they are asked. */
  locations: readonly VolumeSnapshotLocation[];
  /** A PersistentVolume, with all its fields. */
  volume: Unstructured;
}

export type SnapshotEnd =
  /** With an error it failed; the data of the volume is not in the backup. */
  | { entry: NativeSnapshot; error?: AppError }
  /** No location has a plugin for it. `missing`: providers that no plugin offers; `error`: a location that could not be asked. */
  | { entry?: undefined; missing: readonly AppError[]; error?: AppError };

/**
 * Takes a snapshot of a volume with the first location whose plugin knows the volume. It is recorded before the provider is called, so that a
 * later process knows of it.
 * @throws the signal's reason; snapshots taken until then are recorded
 */
export async function takeNativeSnapshot(
  ports: TakeSnapshotPorts,
  order: SnapshotOrder,
  signal: AbortSignal,
): Promise<SnapshotEnd> {
  const asked = await findSnapshotter(ports, order, signal);
  if (!('volumeID' in asked)) return asked;
  const { snapshotter, location, volumeID } = asked;
  const { name = '' } = order.volume.metadata;
  const zone = zoneOfVolume(order.volume as unknown as PersistentVolume);
  const subject = { backup: order.backup, volume: name, location, volumeID, zone };
  const failed = (cause: unknown, entry: NativeSnapshot, tags = {}): SnapshotEnd => ({
    entry: { ...entry, status: { phase: 'Failed' } },
    error: snapshotFailed(entry, cause, tags),
  });
  let entry = newSnapshotEntry({ ...subject, info: { type: '' } });
  try {
    entry = newSnapshotEntry({ ...subject, info: await snapshotter.getVolumeInfo(volumeID, zone, { signal }) });
    await ports.record.begin(entry, signal);
  } catch (error) {
    signal.throwIfAborted();
    return failed(error, entry);
  }
  const tags = snapshotTags(order.backup, name);
  const end = await create(ports, { snapshotter, entry, tags }, signal).catch((error: unknown) => {
    // It is not known whether a snapshot exists: the record stays in the state "begun".
    signal.throwIfAborted();
    return failed(error, entry, tags);
  });
  if (end.entry !== undefined) ports.record.end(entry, end.entry);
  signal.throwIfAborted();
  return end;
}

async function create(
  { clock }: TakeSnapshotPorts,
  { snapshotter, entry, tags }: { snapshotter: VolumeSnapshotter; entry: NativeSnapshot; tags: Record<string, string> },
  signal: AbortSignal,
): Promise<SnapshotEnd> {
  const { providerVolumeID, volumeAZ = '' } = entry.spec;
  const providerSnapshotID = await untilAnswered(clock, signal, (patient) =>
    snapshotter.createSnapshot(providerVolumeID, volumeAZ, tags, { signal: patient }),
  );
  if (providerSnapshotID === '') throw new AppError('SNAPSHOT_WITHOUT_ID', 'the plugin gave no ID of the snapshot');
  return { entry: { ...entry, status: { providerSnapshotID, phase: 'Completed' } } };
}

type Asked = { snapshotter: VolumeSnapshotter; location: string; volumeID: string };

async function findSnapshotter(
  { open }: TakeSnapshotPorts,
  { locations, volume }: SnapshotOrder,
  signal: AbortSignal,
): Promise<Asked | Extract<SnapshotEnd, { missing: unknown }>> {
  const missing: AppError[] = [];
  let first: AppError | undefined;
  for (const location of locations) {
    const name = location.metadata.name ?? '';
    try {
      const snapshotter = await open.of(location, signal);
      const volumeID = await snapshotter.getVolumeID(volume, { signal });
      if (volumeID !== undefined) return { snapshotter, location: name, volumeID };
    } catch (error) {
      signal.throwIfAborted();
      if (isAppError(error, 'NO_VOLUME_SNAPSHOTTER')) missing.push(error);
      else first ??= notAsked(name, volume.metadata.name ?? '', error);
    }
  }
  return { missing, ...(first === undefined ? {} : { error: first }) };
}

const notAsked = (location: string, volume: string, cause: unknown): AppError =>
  new AppError(
    'SNAPSHOTTER_NOT_ASKED',
    `it is not known whether VolumeSnapshotLocation ${location} has a snapshot for PersistentVolume ${volume}`,
    { cause },
  );

function snapshotFailed({ spec }: NativeSnapshot, cause: unknown, tags: Record<string, string>): AppError {
  const { persistentVolumeName: volume, providerVolumeID: id, location } = spec;
  const lost = isAppError(cause, 'SNAPSHOTTER_ANSWER_LOST');
  const named = ['velero.io/backup', 'velero.io/pv'].map((key) => `${key}=${tags[key] ?? ''}`).join(' and ');
  return new AppError(
    'NATIVE_SNAPSHOT_FAILED',
    `no native snapshot of PersistentVolume ${volume}, volume ${id} of VolumeSnapshotLocation ${location}`,
    {
      cause,
      ...(lost ? { nextStep: `One may exist anyway: look at the provider for tags ${named}, and delete it.` } : {}),
    },
  );
}
