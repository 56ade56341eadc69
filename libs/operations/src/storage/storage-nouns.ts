import {
  type Backup,
  type BackupTarget,
  backupTargetType,
  backupType,
  type Engine,
  engineType,
  type InstanceManager,
  instanceManagerType,
  type LonghornNode,
  longhornNodeType,
  type Orphan,
  orphanType,
  type RecurringJob,
  type Replica,
  recurringJobType,
  replicaType,
  type Setting,
  type Snapshot,
  settingType,
  snapshotType,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import type { Noun } from '../noun/noun.ts';

/** Kinds of replicated volumes, as commands name them. */
export const volumeNoun: Noun<Volume> = { type: volumeType, word: 'volume', notFoundCode: 'NO_SUCH_VOLUME' };
export const nodeNoun: Noun<LonghornNode> = { type: longhornNodeType, word: 'node', notFoundCode: 'NO_SUCH_NODE' };
export const replicaNoun: Noun<Replica> = { type: replicaType, word: 'replica', notFoundCode: 'NO_SUCH_REPLICA' };
export const engineNoun: Noun<Engine> = { type: engineType, word: 'engine', notFoundCode: 'NO_SUCH_ENGINE' };
export const snapshotNoun: Noun<Snapshot> = { type: snapshotType, word: 'snapshot', notFoundCode: 'NO_SUCH_SNAPSHOT' };
export const storageBackupNoun: Noun<Backup> = { type: backupType, word: 'backup', notFoundCode: 'NO_SUCH_BACKUP' };
export const backupTargetNoun: Noun<BackupTarget> = {
  type: backupTargetType,
  word: 'backup-target',
  notFoundCode: 'NO_SUCH_BACKUP_TARGET',
};
export const settingNoun: Noun<Setting> = { type: settingType, word: 'setting', notFoundCode: 'NO_SUCH_SETTING' };
export const recurringJobNoun: Noun<RecurringJob> = {
  type: recurringJobType,
  word: 'job',
  notFoundCode: 'NO_SUCH_JOB',
};
export const orphanNoun: Noun<Orphan> = { type: orphanType, word: 'orphan', notFoundCode: 'NO_SUCH_ORPHAN' };
export const instanceManagerNoun: Noun<InstanceManager> = {
  type: instanceManagerType,
  word: 'instance-manager',
  notFoundCode: 'NO_SUCH_INSTANCE_MANAGER',
};
export const attachmentNoun: Noun<VolumeAttachmentObject> = {
  type: volumeAttachmentObjectType,
  word: 'attachment',
  notFoundCode: 'NO_SUCH_ATTACHMENT',
};
