import type { Backup, BackupStorageLocation } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';
import type { EventRecorder } from '@lateen/kube-runtime';
import type { ReachPorts } from '@lateen/storage-location';

export interface SyncPorts extends ReachPorts {
  namespace: string;
  /** From the informer's cache, as all below. */
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  locations(): readonly BackupStorageLocation[];
  backups(): readonly Backup[];
  getBackup(key: ObjectKey): Backup | undefined;
  /** Between two looks into a location that does not say itself, in ms; 0: none. */
  serverPeriodMs: number;
  events: EventRecorder;
  clock: Clock;
  log: Logger;
}

/** Reasons of Events on BackupStorageLocations. */
export const syncReasons = {
  failed: 'SyncFailed',
  broken: 'BackupUnreadable',
  doubtful: 'BackupsNotInLocation',
} as const;
