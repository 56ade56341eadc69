import {
  type Backup,
  type BackupVolumeStatus,
  backupStateOf,
  isBackupOver,
  longhornFinalizer,
} from '@lateen/storage-types';
import type { Decision } from '../decision/decision.ts';
import { isAhead } from '../decision/is-ahead.ts';
import type { BackupVolumeEffect, BackupVolumeSeen } from './backup-volume-seen.ts';
import { failedLookStatus, storedVolumeStatus } from './stored-volume-status.ts';

type BackupVolumeDecision = Decision<BackupVolumeStatus, BackupVolumeEffect>;

/**
 * What the cluster reports about a volume in a backup target, and which Backups it has. Runs after each read of the target and on
 * request; only a complete list removes Backups.
 */
export function decideBackupVolume(seen: BackupVolumeSeen, nowMs: number): BackupVolumeDecision {
  const { backupVolume, look, target } = seen;
  const { status = {}, metadata } = backupVolume;
  const hasFinalizer = (metadata.finalizers ?? []).includes(longhornFinalizer);
  if (metadata.deletionTimestamp !== undefined)
    return hasFinalizer ? removal(seen) : { status, effects: [], events: [] };
  if (!hasFinalizer) return { status, effects: [{ do: 'add-finalizer' }], events: [] };
  if (look !== undefined) return looked(seen, look);
  if (!isDue(seen, nowMs)) return { status, effects: [], events: [] };
  if (isTargetGone(seen)) return { status, effects: [], events: [], waitsFor: 'its backup target, which is gone' };
  if (target?.status?.available !== true) return { status, effects: [], events: [], waitsFor: targetText(seen) };
  return { status, effects: [{ do: 'look' }], events: [] };
}

const targetText = ({ target }: BackupVolumeSeen): string =>
  `backup target ${target?.metadata.name ?? ''} to be available`;

/** Without an address nothing can be read or deleted any more. */
const isTargetGone = ({ target }: BackupVolumeSeen): boolean =>
  target === undefined || target.metadata.deletionTimestamp !== undefined || (target.spec.backupTargetURL ?? '') === '';

/** Times have whole seconds: a request within the same second as the last read causes another read. */
function isDue({ backupVolume: { spec, status }, target }: BackupVolumeSeen, nowMs: number): boolean {
  const lastMs = Date.parse(status?.lastSyncedAt ?? '');
  if (Number.isNaN(lastMs) || isAhead(lastMs, nowMs)) return true;
  return Date.parse(target?.status?.lastSyncedAt ?? '') > lastMs || Date.parse(spec.syncRequestedAt ?? '') >= lastMs;
}

function looked(
  { backupVolume, backups }: BackupVolumeSeen,
  look: NonNullable<BackupVolumeSeen['look']>,
): BackupVolumeDecision {
  const before = backupVolume.status ?? {};
  if ('error' in look) return failed(before, failedLookStatus(before, look.error, look.atMs), [], look.error);
  const listed = new Set(look.backups);
  const known = new Set(backups.map(({ metadata }) => metadata.name ?? ''));
  const effects: BackupVolumeEffect[] = [
    ...[...listed]
      .filter((backup) => !known.has(backup))
      .sort()
      .map((backup) => ({ do: 'create-backup', backup }) as const),
    ...namesOf(backups.filter((backup) => isForgotten(backup, listed, look.atMs))).map(forget),
  ];
  if ('problem' in look.volume) {
    const { problem } = look.volume;
    return failed(before, failedLookStatus(before, problem, look.atMs), effects, problem);
  }
  return { status: storedVolumeStatus(before, look.volume, look.atMs), effects, events: [] };
}

/** Only a new problem gets an Event. */
function failed(
  before: BackupVolumeStatus,
  status: BackupVolumeStatus,
  effects: readonly BackupVolumeEffect[],
  message: string,
): BackupVolumeDecision {
  const isNew = before.messages?.error !== message;
  return { status, effects, events: isNew ? [{ type: 'Warning', reason: 'SyncFailed', message }] : [] };
}

/**
 * The Backup was on the target once, and had disappeared before the read began. A backup that was completed during the read may
 * be missing in its list; one that is in progress or has failed is not expected in the list. `lastSyncedAt` has whole seconds.
 */
function isForgotten(backup: Backup, listed: ReadonlySet<string>, lookAtMs: number): boolean {
  const { metadata, spec, status } = backup;
  if (listed.has(metadata.name ?? '') || metadata.deletionTimestamp !== undefined) return false;
  const state = backupStateOf(backup);
  const wasFound = (spec.snapshotName ?? '') === '';
  if (state !== 'Completed' && !(state === 'Error' && wasFound)) return false;
  return Date.parse(status?.lastSyncedAt ?? '') + 1000 <= lookAtMs;
}

/**
 * The volume and all its backups are to be deleted. Backups in progress are stopped first: they would write into what is being
 * deleted.
 */
function removal(seen: BackupVolumeSeen): BackupVolumeDecision {
  const { backupVolume, backups, target } = seen;
  const { status = {} } = backupVolume;
  const effects = [...namesOf(backups).map(forget), { do: 'drop-finalizer' } as const];
  // Neither garbage collection nor a namespace deletion asks to delete the backups: deleting an object's owner is not a request
  // to delete its backups.
  const isCollected = (backupVolume.metadata.ownerReferences ?? []).length > 0;
  if (isTargetGone(seen) || isCollected || seen.goesWithNamespace) return { status, effects, events: [] };
  const going = backups.filter((backup) => !isBackupOver(backup));
  const stopping = backups.filter((backup) => backupStateOf(backup) === 'Deleting');
  if (going.length + stopping.length > 0) {
    const asked = going.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const stops = namesOf(asked).map((backup) => ({ do: 'delete-backup', backup }) as const);
    const names = namesOf([...going, ...stopping]).join(', ');
    return { status, effects: stops, events: [], waitsFor: `running backups to end: ${names}` };
  }
  if (target?.status?.available !== true) return { status, effects: [], events: [], waitsFor: targetText(seen) };
  // The Backups are deleted last: as long as one exists, a manager that takes over sees what is left to do.
  return { status, effects: [{ do: 'delete-stored' }, ...effects], events: [] };
}

const namesOf = (backups: readonly Backup[]): string[] => backups.map(({ metadata }) => metadata.name ?? '').sort();

const forget = (backup: string): BackupVolumeEffect => ({ do: 'forget-backup', backup });
