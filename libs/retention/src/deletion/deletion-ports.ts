import type { Backup, BackupStorageLocation, DeleteBackupRequest, Job, Restore } from '@lateen/api-types';
import type { DeleteItemAction } from '@lateen/item-actions';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';
import type { EventRecorder } from '@lateen/kube-runtime';
import type { SnapshotterPorts } from '@lateen/native-snapshots';
import type { ReachPorts } from '@lateen/storage-location';
import type { ForgetQueue } from '../forget/forget-queue.ts';
import type { DeletionObserver } from './deletion-observer.ts';

export interface DeletionPorts extends ReachPorts, SnapshotterPorts {
  namespace: string;
  /** From informers' caches, as all below. */
  getRequest(key: ObjectKey): DeleteBackupRequest | undefined;
  requestsOf(backupName: string): readonly DeleteBackupRequest[];
  getBackup(key: ObjectKey): Backup | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  restores(): readonly Restore[];
  /** Those that forget, of one repository. */
  forgetJobsOf(repositoryName: string): readonly Job[];
  forget: ForgetQueue;
  /** Built in, and of plugins. */
  deleteActions: readonly DeleteItemAction[];
  events: EventRecorder;
  observer?: DeletionObserver | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Reason of the Event on a request that could not be followed. */
export const deletionFailedReason = 'DeletionFailed';
