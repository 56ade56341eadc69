import { labels } from '@lateen/api-types';
import type { RestoreVolumeInfo } from '@lateen/backup-store';
import { byteSize, plainLine } from '@lateen/errors';
import type { InspectedRestore } from '@lateen/operations/restore';
import { hasEnded, phaseOf, throughputOf, volumeOf } from '@lateen/operations/volume';
import { podVolumeOf, podVolumeSections } from '../../describe/pod-volume-sections.ts';
import { unreadText } from '../../describe/results-sections.ts';
import { section } from '../../output/description.ts';
import { differencesText, limitText, ratesText, readerText } from '../../output/throughput-text.ts';

/** How each volume was restored: natively, by pods, from snapshots. Blocks. */
export function restoredVolumeSections(inspected: InspectedRestore, details: boolean): string[][] {
  const podVolumes = podVolumeSections(
    inspected.podVolumeRestores.map(podVolumeOf),
    (uploader) => `${uploader} Restores`,
    details,
  );
  return [nativeLines(inspected, details), ...podVolumes, snapshotLines(inspected, details)];
}

const claimOf = ({ pvcNamespace, pvcName, pvName = '' }: RestoreVolumeInfo): string =>
  plainLine(pvcName ? `${pvcNamespace}/${pvcName}` : pvName);

function infosOf({ volumes }: InspectedRestore, method: RestoreVolumeInfo['restoreMethod']): RestoreVolumeInfo[] {
  const infos = volumes?.kind === 'read' ? volumes.value : [];
  return infos
    .filter(({ restoreMethod }) => restoreMethod === method)
    .toSorted((a, b) => (claimOf(a) < claimOf(b) ? -1 : 1));
}

function nativeLines(inspected: InspectedRestore, details: boolean): string[] {
  const lines = infosOf(inspected, 'NativeSnapshot').flatMap(({ pvName = '', nativeSnapshotInfo: info }) => {
    if (!details || info === undefined) return [`${plainLine(pvName)}: specify --details for more information`];
    return section(plainLine(pvName), [
      `Snapshot ID: ${plainLine(info.snapshotHandle)}`,
      `Volume Type: ${plainLine(info.volumeType)}`,
      `Volume AZ: ${plainLine(info.volumeAZ)}`,
      `IOPS: ${plainLine(info.iops)}`,
    ]);
  });
  return lines.length === 0 ? [] : section('Velero-Native Snapshot Restores', lines);
}

function snapshotLines(inspected: InspectedRestore, details: boolean): string[] {
  const { volumes, downloads } = inspected;
  // Nothing is stored yet, so only the running movements are known.
  if (volumes === undefined)
    return downloads.length === 0 ? [] : section('CSI Snapshot Restores', downloads.map(lineOf));
  if (volumes.kind === 'failed') return [`CSI Snapshot Restores:  ${unreadText(volumes, 'restore volume info')}`];
  const lines = infosOf(inspected, 'CSISnapshot').flatMap((info) =>
    section(
      claimOf(info),
      info.snapshotDataMoved ? movedLines(info, downloadOf(info, downloads), details) : snapshotLinesOf(info, details),
    ),
  );
  return section('CSI Snapshot Restores', lines);
}

function lineOf(download: InspectedRestore['downloads'][number]): string {
  const { bytesDone = 0, totalBytes = 0 } = download.status?.progress ?? {};
  const amount = totalBytes > 0 && !hasEnded(download) ? `, ${byteSize(bytesDone)} of ${byteSize(totalBytes)}` : '';
  const pace = throughputLines(download)
    .map((text) => `, ${text}`)
    .join('');
  return plainLine(`${volumeOf(download)}: ${phaseOf(download)}${amount}${pace}`);
}

type Download = InspectedRestore['downloads'][number];

/** The operation names it, and it stays until the restore is deleted. */
const downloadOf = (
  { snapshotDataMovementInfo: moved }: RestoreVolumeInfo,
  downloads: readonly Download[],
): Download | undefined =>
  downloads.find(({ metadata }) => metadata.labels?.[labels.asyncOperationId] === moved?.operationID);

/** The rates, and what limited them: `64.0 MiB/s, 8,123 files/s`, `limited by the store's latency: …`. */
function throughputLines(download: Download): string[] {
  const throughput = throughputOf(download);
  const limit = limitText(throughput);
  return [ratesText(throughput), limit === '' ? '' : `limited by ${limit}`].filter(Boolean);
}

const seeDetails = 'specify --details for more information';

function movedLines(
  { snapshotDataMovementInfo: moved }: RestoreVolumeInfo,
  download: Download | undefined,
  details: boolean,
): string[] {
  const pace = download === undefined ? '' : throughputLines(download).join(', ');
  if (!details) return [`Data Movement: ${pace === '' ? '' : `${pace}; `}${seeDetails}`];
  const reader = download === undefined ? '' : readerText(throughputOf(download));
  const differences = download === undefined ? '' : differencesText(throughputOf(download));
  return section('Data Movement', [
    `Operation ID: ${plainLine(moved?.operationID ?? '')}`,
    `Data Mover: ${plainLine(moved?.dataMover || 'velero')}`,
    `Uploader Type: ${plainLine(moved?.uploaderType ?? '')}`,
    ...(moved?.size ? [`Size (bytes): ${moved.size}`] : []),
    ...(moved?.Phase ? [`Phase: ${plainLine(moved.Phase)}`] : []),
    ...(pace === '' ? [] : [`Throughput: ${pace}`]),
    ...(reader === '' ? [] : [`Read By: ${reader}`]),
    ...(differences === '' ? [] : [`Volume: ${differences}`]),
  ]);
}

function snapshotLinesOf({ csiSnapshotInfo: snapshot }: RestoreVolumeInfo, details: boolean): string[] {
  if (!details) return [`Snapshot: ${seeDetails}`];
  return section('Snapshot', [
    `Snapshot Content Name: ${plainLine(snapshot?.vscName ?? '')}`,
    `Storage Snapshot ID: ${plainLine(snapshot?.snapshotHandle ?? '')}`,
    `CSI Driver: ${plainLine(snapshot?.driver ?? '')}`,
  ]);
}
