import type { BackupVolumeInfo, PodVolumeInfo, RestoreItemOutcome, RestorePlanLine } from '@lateen/backup-store';
import type { RestoreItemsOutcome } from '../engine/contract.ts';

/** Outcomes of objects whose volumes get their data from the backup. */
const brings = new Set<RestoreItemOutcome['act']>(['create']);

/** The lines of a restore's plan file: each object, claims and pods with the data to restore, then which object waits for which. */
export function* planLines(
  { items, order = [] }: Pick<RestoreItemsOutcome, 'items' | 'order'>,
  volumes: readonly BackupVolumeInfo[],
): Generator<RestorePlanLine> {
  const byClaim = new Map(volumes.map((info) => [`${info.pvcNamespace}/${info.pvcName}`, info]));
  const byPod = Map.groupBy(volumes.flatMap(ofPodAlone), ({ of }) => `${of.podNamespace}/${of.podName}`);
  for (const item of items) {
    const { kind, namespace, name, sourceNamespace = namespace, sourceName = name } = item;
    const key = `${sourceNamespace}/${sourceName}`;
    const isBrought = brings.has(item.act);
    const info = isBrought && kind === 'PersistentVolumeClaim' ? byClaim.get(key) : undefined;
    const ofPod = isBrought && kind === 'Pod' ? byPod.get(key) : undefined;
    if (info !== undefined) yield { ...item, ...volumeFigures(info) };
    else if (ofPod !== undefined) yield { ...item, podVolumes: ofPod.map(podVolumeFigures) };
    else yield item;
  }
  yield* order;
}

interface OfPod {
  info: BackupVolumeInfo;
  of: PodVolumeInfo;
}

/** Pod volumes without a claim; a volume with a claim is reported with the claim. */
const ofPodAlone = (info: BackupVolumeInfo): OfPod[] =>
  info.pvbInfo === undefined || info.skipped || (info.pvcName ?? '') !== '' ? [] : [{ info, of: info.pvbInfo }];

function podVolumeFigures({ info, of }: OfPod): NonNullable<RestoreItemOutcome['podVolumes']>[number] {
  const bytes = of.size ?? 0;
  const seconds = secondsFor(bytes, of.incrementalSize ?? bytes, info);
  return { volume: of.volumeName, bytes, ...(seconds === undefined ? {} : { seconds }) };
}

/** How much data is restored, and how long that is expected to take. Data in a snapshot is available at once. */
function volumeFigures(
  info: BackupVolumeInfo,
): Pick<RestoreItemOutcome, 'volumeBytes' | 'volumeSeconds' | 'volumeWay'> {
  const moved = info.snapshotDataMovementInfo ?? info.pvbInfo;
  const volumeBytes = moved?.size ?? info.csiSnapshotInfo?.size;
  if (volumeBytes === undefined || info.skipped) return {};
  if (moved === undefined) return { volumeBytes, volumeWay: 'CSISnapshot' };
  const volumeWay = info.snapshotDataMovementInfo === undefined ? 'PodVolumeRestore' : 'DataDownload';
  const seconds = secondsFor(volumeBytes, moved.incrementalSize ?? volumeBytes, info);
  return { volumeBytes, ...(seconds === undefined ? {} : { volumeSeconds: seconds }), volumeWay };
}

/** Estimated by the rate at which the backup read the volume, which reflects the storage, the bucket and the network between them. */
function secondsFor(
  bytes: number,
  movedBytes: number,
  { startTimestamp = '', completionTimestamp = '' }: BackupVolumeInfo,
): number | undefined {
  const tookMs = Date.parse(completionTimestamp) - Date.parse(startTimestamp);
  if (!(tookMs > 0) || movedBytes <= 0) return undefined;
  return Math.max(1, Math.round((tookMs / 1_000) * (bytes / movedBytes)));
}
