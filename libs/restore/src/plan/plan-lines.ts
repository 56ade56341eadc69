import type { BackupVolumeInfo, RestoreItemOutcome, RestorePlanLine } from '@lateen/backup-store';
import type { RestoreItemsOutcome } from '../engine/contract.ts';

/** Acts of a claim whose volume gets its data from the backup. */
const brings = new Set<RestoreItemOutcome['act']>(['create']);

/** The plan file of a restore: each object, claims with the data that comes back, and then what waits for what. */
export function* planLines(
  { items, order = [] }: Pick<RestoreItemsOutcome, 'items' | 'order'>,
  volumes: readonly BackupVolumeInfo[],
): Generator<RestorePlanLine> {
  const byClaim = new Map(volumes.map((info) => [`${info.pvcNamespace}/${info.pvcName}`, info]));
  for (const item of items) {
    const { kind, namespace, name, sourceNamespace = namespace, sourceName = name } = item;
    const isClaim = kind === 'PersistentVolumeClaim' && brings.has(item.act);
    const info = isClaim ? byClaim.get(`${sourceNamespace}/${sourceName}`) : undefined;
    yield info === undefined ? item : { ...item, ...volumeFigures(info) };
  }
  yield* order;
}

/** How much there is to bring, and how long that is expected to take. Data in a snapshot is there as soon as it is asked for. */
function volumeFigures(info: BackupVolumeInfo): Pick<RestoreItemOutcome, 'volumeBytes' | 'volumeSeconds'> {
  const moved = info.snapshotDataMovementInfo ?? info.pvbInfo;
  const volumeBytes = moved?.size ?? info.csiSnapshotInfo?.size;
  if (volumeBytes === undefined || info.skipped) return {};
  if (moved === undefined) return { volumeBytes };
  const seconds = secondsFor(volumeBytes, moved.incrementalSize ?? volumeBytes, info);
  return { volumeBytes, ...(seconds === undefined ? {} : { volumeSeconds: seconds }) };
}

/** By the rate at which the backup has read the volume: it knows the storage, the bucket and what lies between. */
function secondsFor(
  bytes: number,
  movedBytes: number,
  { startTimestamp = '', completionTimestamp = '' }: BackupVolumeInfo,
): number | undefined {
  const tookMs = Date.parse(completionTimestamp) - Date.parse(startTimestamp);
  if (!(tookMs > 0) || movedBytes <= 0) return undefined;
  return Math.max(1, Math.round((tookMs / 1_000) * (bytes / movedBytes)));
}
