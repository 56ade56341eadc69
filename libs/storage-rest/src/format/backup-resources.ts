import { durationText, parseDurationMs } from '@lateen/kernel';
import { type Backup, type BackupTarget, type BackupVolume, backupTargetUnavailable } from '@lateen/storage-types';
import { type Resource, resource } from '../envelope/resource.ts';
import { nameOf } from './given.ts';

/** A backup target; its poll interval goes in as whole seconds and comes out as a duration. */
export function backupTargetResource(target: BackupTarget, base: string): Resource {
  const { spec, status = {} } = target;
  const condition = status.conditions?.find(({ type }) => type === backupTargetUnavailable);
  const pollMs = parseDurationMs(spec.pollInterval ?? '0s');
  const fields = {
    name: nameOf(target),
    backupTargetURL: spec.backupTargetURL ?? '',
    credentialSecret: spec.credentialSecret ?? '',
    pollInterval: pollMs === undefined ? (spec.pollInterval ?? '') : durationText(pollMs),
    available: status.available ?? false,
    message: condition?.message ?? '',
  };
  const actions = ['backupTargetSync', 'backupTargetUpdate'];
  return resource({ type: 'backupTarget', id: nameOf(target), fields, actions }, base);
}

/** What a target has of one volume. */
export function backupVolumeResource(backupVolume: BackupVolume, base: string): Resource {
  const { spec, status = {} } = backupVolume;
  const fields = {
    name: nameOf(backupVolume),
    volumeName: spec.volumeName ?? '',
    backupTargetName: spec.backupTargetName ?? '',
    size: status.size ?? '',
    labels: status.labels ?? {},
    created: status.createdAt ?? '',
    lastBackupName: status.lastBackupName ?? '',
    lastBackupAt: status.lastBackupAt ?? '',
    dataStored: status.dataStored ?? '',
    messages: status.messages ?? {},
    backingImageName: status.backingImageName ?? '',
    backingImageChecksum: status.backingImageChecksum ?? '',
    storageClassName: status.storageClassName ?? '',
  };
  const actions = ['backupList', 'backupListByVolume', 'backupGet', 'backupDelete', 'backupVolumeSync'];
  return resource({ type: 'backupVolume', id: nameOf(backupVolume), fields, actions }, base);
}

/** One backup. There is no route to it: it comes through actions of its volume, and through the stream of backups. */
export function backupResource(backup: Backup, base: string): Resource {
  const { spec, status = {} } = backup;
  const fields = {
    name: nameOf(backup),
    state: status.state ?? '',
    progress: status.progress ?? 0,
    error: status.error ?? '',
    url: status.url ?? '',
    snapshotName: status.snapshotName || spec.snapshotName || '',
    snapshotCreated: status.snapshotCreatedAt ?? '',
    created: status.backupCreatedAt ?? '',
    size: status.size ?? '',
    labels: status.labels ?? {},
    backupMode: spec.backupMode ?? '',
    messages: status.messages ?? {},
    volumeName: status.volumeName ?? '',
    volumeSize: status.volumeSize ?? '',
    volumeCreated: status.volumeCreated ?? '',
    volumeBackingImageName: status.volumeBackingImageName ?? '',
    compressionMethod: status.compressionMethod ?? '',
    newlyUploadDataSize: status.newlyUploadDataSize ?? '',
    reUploadedDataSize: status.reUploadedDataSize ?? '',
    backupTargetName: status.backupTargetName ?? '',
    blockSize: spec.backupBlockSize ?? '',
  };
  return resource({ type: 'backup', id: nameOf(backup), fields }, base);
}
