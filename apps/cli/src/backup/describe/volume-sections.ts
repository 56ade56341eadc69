import { type DataUpload, labels } from '@lateen/api-types';
import type { BackupVolumeInfo } from '@lateen/backup-store';
import { byteSize, plainLine } from '@lateen/errors';
import type { InspectedBackup } from '@lateen/operations/backup';
import { hasEnded, type Movement, phaseOf, volumeOf } from '@lateen/operations/volume';
import { podVolumeOf, podVolumeOfInfo, podVolumeSections } from '../../describe/pod-volume-sections.ts';
import { unreadText } from '../../describe/results-sections.ts';
import { fields, section } from '../../output/description.ts';

const noneIncluded = '<none included>';
/** The line without details; a failed volume is not called included. */
const seeDetails = (result?: BackupVolumeInfo['result']): string =>
  `${result === 'failed' ? 'failed' : 'included'}, specify --details for more information`;

/** How each volume was backed up, and which volumes were not. Lines. */
export function volumeLines(inspected: InspectedBackup, details: boolean): string[] {
  const { volumes, uploads, podVolumeBackups } = inspected;
  const moving = [...uploads, ...podVolumeBackups];
  // Nothing is stored yet, so only the running movements are known.
  if (volumes === undefined) return moving.length === 0 ? [] : section('Backup Volumes', moving.map(movementLine));
  if (volumes.kind === 'failed') return [`Backup Volumes:  ${unreadText(volumes, 'backup volume info')}`];
  const infos = volumes.kind === 'read' ? volumes.value : [];
  const parts = [
    volumes.kind === 'missing' ? olderNativeLines(inspected) : nativeLines(infos, details),
    volumes.kind === 'missing' ? olderCsiLines(inspected) : csiLines(infos, inspected.uploads, details),
    ...podVolumeLines(inspected, infos, details),
    skippedLines(infos),
  ].filter((lines) => lines.length > 0);
  return section(
    'Backup Volumes',
    parts.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])),
  );
}

const movementLine = (movement: Movement): string => {
  const { bytesDone = 0, totalBytes = 0 } = movement.status?.progress ?? {};
  const amount = totalBytes > 0 && !hasEnded(movement) ? `, ${byteSize(bytesDone)} of ${byteSize(totalBytes)}` : '';
  return plainLine(`${volumeOf(movement)}: ${phaseOf(movement)}${amount}`);
};

const claimOf = ({ pvcNamespace, pvcName, pvName = '' }: BackupVolumeInfo): string =>
  plainLine(pvcName === undefined || pvcName === '' ? pvName : `${pvcNamespace}/${pvcName}`);

const inOrder = (infos: readonly BackupVolumeInfo[]): BackupVolumeInfo[] =>
  infos.toSorted((a, b) => (claimOf(a) < claimOf(b) ? -1 : 1));

function nativeLines(infos: readonly BackupVolumeInfo[], details: boolean): string[] {
  const native = inOrder(infos).filter(({ backupMethod }) => backupMethod === 'NativeSnapshot');
  const lines = native.flatMap(({ pvName = '', nativeSnapshotInfo, result }) => {
    if (!details) return [`${plainLine(pvName)}: ${seeDetails(result)}`];
    const { snapshotHandle = '', volumeType = '', volumeAZ = '', iops = '' } = nativeSnapshotInfo ?? {};
    return section(
      plainLine(pvName),
      fields([
        ['Snapshot ID', plainLine(snapshotHandle)],
        ['Type', plainLine(volumeType)],
        ['Availability Zone', plainLine(volumeAZ)],
        ['IOPS', plainLine(iops) || '<N/A>'],
        ['Result', plainLine(result ?? '')],
      ]),
    );
  });
  return lines.length === 0 ? [`Velero-Native Snapshots: ${noneIncluded}`] : section('Velero-Native Snapshots', lines);
}

function csiLines(infos: readonly BackupVolumeInfo[], uploads: readonly DataUpload[], details: boolean): string[] {
  const csi = inOrder(infos).filter(({ backupMethod }) => backupMethod === 'CSISnapshot');
  const lines = csi.flatMap((info) =>
    section(claimOf(info), info.snapshotDataMoved ? movedLines(info, uploads, details) : snapshotLines(info, details)),
  );
  return lines.length === 0 ? [`CSI Snapshots: ${noneIncluded}`] : section('CSI Snapshots', lines);
}

function snapshotLines({ csiSnapshotInfo, result }: BackupVolumeInfo, details: boolean): string[] {
  if (!details) return [`Snapshot: ${seeDetails(result)}`];
  const { operationID = '', vscName = '', snapshotHandle = '', size = 0, driver = '' } = csiSnapshotInfo ?? {};
  return section('Snapshot', [
    `Operation ID: ${plainLine(operationID)}`,
    `Snapshot Content Name: ${plainLine(vscName)}`,
    `Storage Snapshot ID: ${plainLine(snapshotHandle)}`,
    `Snapshot Size (bytes): ${size}`,
    `CSI Driver: ${plainLine(driver)}`,
    `Result: ${plainLine(result ?? '')}`,
  ]);
}

function movedLines(info: BackupVolumeInfo, uploads: readonly DataUpload[], details: boolean): string[] {
  const { snapshotDataMovementInfo, result } = info;
  if (!details) return [`Data Movement: ${seeDetails(result)}`];
  const moved = snapshotDataMovementInfo;
  return section('Data Movement', [
    `Operation ID: ${plainLine(moved?.operationID ?? '')}`,
    `Data Mover: ${plainLine(moved?.dataMover || 'velero')}`,
    `Uploader Type: ${plainLine(moved?.uploaderType ?? '')}`,
    `Moved data Size (bytes): ${moved?.size ?? 0}`,
    `Incremental data Size (bytes): ${moved?.incrementalSize ?? 0}`,
    ...changedBlocksLines(uploadOf(info, uploads)),
    `Result: ${plainLine(result ?? '')}`,
  ]);
}

/** The DataUpload that moved a volume, while it is there. */
export function uploadOf(
  { snapshotDataMovementInfo }: BackupVolumeInfo,
  uploads: readonly DataUpload[],
): DataUpload | undefined {
  const operationID = snapshotDataMovementInfo?.operationID || undefined;
  return uploads.find(
    ({ metadata }) => operationID !== undefined && metadata.labels?.[labels.asyncOperationId] === operationID,
  );
}

/** Our addition, of uploads that asked which blocks have changed; the object knows it, the files of the backup do not. */
function changedBlocksLines(upload: DataUpload | undefined): string[] {
  const { readBytes, changedBytes, uploadedBytes, verifiedBytes, differsAt, fullReadReason } =
    upload?.status?.changedBlocks ?? {};
  const line = (name: string, value: number | undefined) => (value === undefined ? [] : [`${name} (bytes): ${value}`]);
  return [
    ...line('Read', readBytes),
    ...line('Changed', changedBytes),
    ...line('Uploaded', uploadedBytes),
    ...line('Verified', verifiedBytes),
    ...(differsAt === undefined ? [] : [`Verification: FAILED, the base differs from offset ${differsAt} on`]),
    ...(fullReadReason === undefined ? [] : [`Read as a whole: ${plainLine(fullReadReason)}`]),
  ];
}

function olderNativeLines({ nativeSnapshots }: InspectedBackup): string[] {
  if (nativeSnapshots === undefined || nativeSnapshots.kind === 'missing')
    return [`Velero-Native Snapshots: ${noneIncluded}`];
  if (nativeSnapshots.kind === 'failed')
    return [`Velero-Native Snapshots: ${unreadText(nativeSnapshots, 'snapshot info')}`];
  const lines = nativeSnapshots.value.map(({ spec, status }) =>
    plainLine(`${spec.persistentVolumeName}: ${status.providerSnapshotID ?? status.phase}`),
  );
  return lines.length === 0 ? [`Velero-Native Snapshots: ${noneIncluded}`] : section('Velero-Native Snapshots', lines);
}

function olderCsiLines({ csiSnapshots }: InspectedBackup): string[] {
  const found = csiSnapshots?.kind === 'read' ? csiSnapshots.value : [];
  if (csiSnapshots?.kind === 'failed') return [`CSI Snapshots: ${unreadText(csiSnapshots, 'CSI snapshots')}`];
  if (found.length === 0) return ['CSI Snapshots: <none included or not detectable>'];
  return section(
    'CSI Snapshots',
    found.map(({ metadata }) => plainLine(`${metadata.namespace}/${metadata.name}`)),
  );
}

/** The objects have more details; without them, the facts that the backup has stored are used. */
function podVolumeLines(
  { podVolumeBackups }: InspectedBackup,
  infos: readonly BackupVolumeInfo[],
  details: boolean,
): string[][] {
  const stored = infos.flatMap(({ pvbInfo }) => (pvbInfo === undefined ? [] : [pvbInfo]));
  const shown = podVolumeBackups.length > 0 ? podVolumeBackups.map(podVolumeOf) : stored.map(podVolumeOfInfo);
  if (shown.length === 0) return [[`Pod Volume Backups: ${noneIncluded}`]];
  return podVolumeSections(shown, (uploader) => `Pod Volume Backups - ${uploader}`, details);
}

/** Volumes that no method protects; always shown, because the user must not miss them. */
function skippedLines(infos: readonly BackupVolumeInfo[]): string[] {
  const lines = inOrder(infos)
    .filter(({ skipped }) => skipped)
    .map((info) => `${claimOf(info)}: ${plainLine(info.skippedReason ?? 'no reason is given')}`);
  return lines.length === 0 ? [] : section('Not Backed Up', lines);
}
