import {
  type Backup,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  labels,
  type Restore,
} from '@lateen/api-types';
import { isRunning, neverStored, restoreInHand } from '../use/backup-use.ts';

export interface DeletionView {
  request: DeleteBackupRequest;
  /** The one it names. */
  backup: Backup | undefined;
  location: BackupStorageLocation | undefined;
  restores: readonly Restore[];
  nowMs: number;
}

/** An answered request stays so long, for people to read what went wrong (api.md section 8). */
export const processedKeptMs = 86_400_000;

export type DeletionStep =
  | { kind: 'wait'; afterMs: number }
  /** The request has been there long enough. */
  | { kind: 'forget' }
  /** The Backup has gone, and only the end of it is missing. */
  | { kind: 'finish' }
  | { kind: 'refuse'; error: string }
  | { kind: 'work'; backup: Backup; location: BackupStorageLocation | undefined };

/** What is to be done about a request now; pure. The errors are Velero's where it has one (object-store-layout.md section 9). */
export function decideDeletion(view: DeletionView): DeletionStep {
  const { request, backup, location, nowMs } = view;
  if (request.status?.phase === 'Processed') {
    const ageMs = nowMs - (Date.parse(request.metadata.creationTimestamp ?? '') || 0);
    return ageMs >= processedKeptMs ? { kind: 'forget' } : { kind: 'wait', afterMs: processedKeptMs - ageMs };
  }
  if (!request.spec.backupName) return { kind: 'refuse', error: 'spec.backupName is required' };
  if (backup === undefined)
    return request.status?.phase === 'InProgress' ? { kind: 'finish' } : { kind: 'refuse', error: 'backup not found' };
  const error = refusal(view, backup);
  return error === undefined ? { kind: 'work', backup, location } : { kind: 'refuse', error };
}

function refusal({ request, location, restores }: DeletionView, backup: Backup): string | undefined {
  const uid = request.metadata.labels?.[labels.backupUid];
  if (uid && uid !== backup.metadata.uid) return 'backup not found: there is another one of that name by now';
  if (isRunning(backup)) return 'backup is still in progress';
  const restore = restoreInHand(backup, restores);
  if (restore !== undefined)
    return `backup is in use by Restore ${restore.metadata.name}: wait for its end, or delete it first`;
  return neverStored(backup) ? undefined : wrongWithLocation(backup.spec.storageLocation ?? '', location);
}

function wrongWithLocation(name: string, location: BackupStorageLocation | undefined): string | undefined {
  if (location === undefined) return `backup storage location ${name} not found`;
  if (location.spec.accessMode === 'ReadOnly')
    return `cannot delete backup because backup storage location ${name} is currently in read-only mode`;
  if (location.status?.phase !== 'Available')
    return `cannot delete backup because backup storage location ${name} is currently in Unavailable state`;
  return undefined;
}
