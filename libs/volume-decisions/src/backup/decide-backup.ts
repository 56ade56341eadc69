import { apiTime } from '@lateen/kube';
import {
  type Backup,
  type BackupState,
  type BackupStatus,
  backupLabels,
  backupStateOf,
  longhornFinalizer,
  storageLabels,
} from '@lateen/storage-types';
import type { Decision, EventWish } from '../decision/decision.ts';
import type { BackupEffect, BackupSeen, StoredBackupFacts } from './backup-seen.ts';
import { beforeTransfer } from './before-transfer.ts';
import { type LostTransfer, othersFirst, withLostTransfer } from './lost-transfer.ts';
import { completedStatus } from './stored-status.ts';

type BackupDecision = Decision<BackupStatus, BackupEffect>;

/** After a host has not answered for so long, its transfer counts as lost: the lock of a dead one has expired twice by then. */
export const transferLostMs = 300_000;

/** The next state of a Backup, by the table `backupMoves`; in the end, what the target has is the truth. */
export function decideBackup(seen: BackupSeen, nowMs: number): BackupDecision {
  const decision = decideWithoutLeftovers(seen, nowMs);
  // Last: a host that refuses must not block anything else.
  return seen.hasLeftovers === true
    ? { ...decision, effects: [...decision.effects, { do: 'stop-leftovers' }] }
    : decision;
}

function decideWithoutLeftovers(seen: BackupSeen, nowMs: number): BackupDecision {
  const { backup } = seen;
  const { status = {}, metadata } = backup;
  if (metadata.deletionTimestamp !== undefined) return removal(seen);
  if (!(metadata.finalizers ?? []).includes(longhornFinalizer))
    return { status, effects: [{ do: 'add-finalizer' }], events: [] };
  const state = backupStateOf(backup);
  if ((backup.spec.snapshotName ?? '') === '') return found(seen, state, nowMs);
  if (state === '' || state === 'Pending') return begin(seen, state, nowMs);
  if (state === 'InProgress' || state === 'Unknown') return goOn(seen, nowMs);
  if (state === 'Error') return expire(seen, nowMs);
  return { status, effects: [], events: [] };
}

const isComplete = (stored: BackupSeen['stored']): stored is StoredBackupFacts =>
  typeof stored === 'object' && stored.createdTime !== '';

const damagedText = 'the target has a file of this backup that cannot be used';

/** Its labels say what it is on the target. */
const isNamed = ({ metadata: { labels = {} } }: Backup): boolean =>
  [storageLabels.backupVolume, storageLabels.backupTarget].every((label) => (labels[label] ?? '') !== '');

const stay = (seen: BackupSeen, waitsFor: string, effects: readonly BackupEffect[] = []): BackupDecision => ({
  status: seen.backup.status ?? {},
  effects,
  events: [],
  waitsFor,
});

function failed({ backup }: BackupSeen, error: string, nowMs: number): BackupDecision {
  const status: BackupStatus = { ...backup.status, state: 'Error', error, lastSyncedAt: apiTime(nowMs) };
  const event: EventWish = { type: 'Warning', reason: 'BackupFailed', message: error };
  return { status, effects: [{ do: 'stop-transfer' }], events: [event] };
}

function completed(seen: BackupSeen, nowMs: number): BackupDecision {
  const { backup, stored, settings } = seen;
  if (stored === undefined) return stay(seen, 'the target to be read', [{ do: 'read-stored' }]);
  if (!isComplete(stored))
    return failed(seen, stored === 'damaged' ? damagedText : 'the target does not have the backup', nowMs);
  const { labels = {} } = backup.metadata;
  const names = {
    volumeName: labels[storageLabels.backupVolume] ?? '',
    backupTargetName: labels[storageLabels.backupTarget] ?? '',
  };
  const status = completedStatus(backup.status ?? {}, names, stored, apiTime(nowMs));
  const { snapshotName: snapshot = '' } = backup.spec;
  const onDemand = snapshot !== '' && backup.spec.labels?.[backupLabels.recurringJob] === undefined;
  const cleans = onDemand && settings.flag('auto-cleanup-snapshot-after-on-demand-backup-completed');
  const effects: BackupEffect[] = [
    { do: 'stop-transfer' },
    ...(cleans ? [{ do: 'delete-snapshot' as const, snapshot }] : []),
  ];
  return {
    status,
    effects,
    events: [{ type: 'Normal', reason: 'BackupCompleted', message: `backup of snapshot ${snapshot} is complete` }],
  };
}

function begin(seen: BackupSeen, state: BackupState, nowMs: number): BackupDecision {
  const { backup, transfer } = seen;
  if (state === '') return { status: { ...backup.status, state: 'Pending', progress: 0 }, effects: [], events: [] };
  // The transfer was started but the start was not written down; it may have ended by now.
  if (transfer?.state === 'running' || transfer?.state === 'completed' || transfer?.state === 'failed')
    return { status: { ...backup.status, state: 'InProgress' }, effects: [], events: [] };
  if (seen.target?.status?.available === true && isNamed(backup)) {
    // The object may have been restored from a backup of the cluster's objects: what it requested was made long ago and is not made again.
    if (seen.stored === undefined) return stay(seen, 'the target to be read', [{ do: 'read-stored' }]);
    if (isComplete(seen.stored)) return { ...completed(seen, nowMs), effects: [] };
    if (seen.stored === 'damaged') return failed(seen, damagedText, nowMs);
  }
  const next = beforeTransfer(seen, nowMs);
  if ('error' in next) return failed(seen, next.error, nowMs);
  if ('waits' in next) return stay(seen, next.waits);
  // The Backup counts as in progress only when its host reports so: a start that fails leaves the state unchanged.
  return {
    status: backup.status ?? {},
    effects: [{ do: 'start-transfer', replicas: othersFirst(backup, seen.engine, next.replicas) }],
    events: [],
    waitsFor: 'its transfer to begin',
  };
}

/** A backup that is complete on the target is complete, whatever the host reports. */
function goOn(seen: BackupSeen, nowMs: number): BackupDecision {
  const { backup, transfer, stored } = seen;
  const { status = {} } = backup;
  if (transfer === undefined) return stay(seen, 'the host of the transfer to be asked');
  if (transfer.state === 'running') {
    const { progress, replicaAddress } = transfer;
    return { status: { ...status, state: 'InProgress', progress, replicaAddress }, effects: [], events: [] };
  }
  if (transfer.state === 'completed') return completed(seen, nowMs);
  if (transfer.state === 'failed' && transfer.code !== 'BLOCK_BACKUP_EXISTS') {
    const messages = withLostTransfer(backup, transfer);
    return messages === undefined ? failed(seen, transfer.error, nowMs) : beginAgain(seen, messages, transfer.error);
  }
  if (transfer.state === 'silent' && nowMs - transfer.sinceMs < transferLostMs) {
    const afterMs = transfer.sinceMs + transferLostMs - nowMs;
    const unknown: BackupStatus = { ...status, state: 'Unknown' };
    const reason = 'the host of the transfer does not answer';
    return { status: unknown, effects: [], events: [], again: { afterMs, reason }, waitsFor: reason };
  }
  if (stored === undefined) return stay(seen, 'the target to be read', [{ do: 'read-stored' }]);
  if (isComplete(stored)) return completed(seen, nowMs);
  if (transfer.state === 'failed') return failed(seen, transfer.error, nowMs);
  const lost = transfer.state === 'silent' ? silent : absent;
  const messages = withLostTransfer(backup, lost);
  return messages === undefined
    ? failed(seen, `interrupted: ${lost.error}`, nowMs)
    : beginAgain(seen, messages, lost.error);
}

const silent: LostTransfer = {
  error: 'the node that reads for it has not answered for five minutes',
  code: 'HOST_UNREACHABLE',
  isSilent: true,
};
const absent: LostTransfer = { error: 'its host does not know of it any more', code: 'INSTANCE_NOT_FOUND' };

/** The blocks that it has stored are on the target, so another transfer continues from there, reading another replica if there is one. */
const beginAgain = ({ backup }: BackupSeen, messages: Record<string, string>, error: string): BackupDecision => ({
  status: { ...backup.status, state: 'Pending', messages },
  effects: [{ do: 'stop-transfer' }],
  events: [{ type: 'Warning', reason: 'BackupBeginsAgain', message: `Its transfer was lost: ${error}` }],
  waitsFor: 'its transfer to begin again',
});

/** A backup found on the target has no transfer of ours: another cluster may be making it. */
function found(seen: BackupSeen, state: BackupState, nowMs: number): BackupDecision {
  const { backup, stored } = seen;
  if (state === 'Completed') return { status: backup.status ?? {}, effects: [], events: [] };
  if (state === 'Error') return expire(seen, nowMs);
  if (stored === undefined) return stay(seen, 'the target to be read', [{ do: 'read-stored' }]);
  if (isComplete(stored)) return { ...completed(seen, nowMs), effects: [] };
  if (stored === 'absent')
    return {
      status: {
        ...backup.status,
        state: 'Error',
        error: 'the target does not have the backup',
        lastSyncedAt: apiTime(nowMs),
      },
      effects: [],
      events: [],
    };
  const unknown: BackupStatus = { ...backup.status, state: 'Unknown', error: 'in progress on the target' };
  return {
    ...expireSince(seen, Date.parse(backup.metadata.creationTimestamp ?? apiTime(nowMs)), nowMs),
    status: unknown,
  };
}

const expire = (seen: BackupSeen, nowMs: number): BackupDecision =>
  expireSince(seen, Date.parse(seen.backup.status?.lastSyncedAt ?? apiTime(nowMs)), nowMs);

/** After `failed-backup-ttl` the object is deleted, together with what it left on the target, as far as locks allow. */
function expireSince({ backup, settings }: BackupSeen, sinceMs: number, nowMs: number): BackupDecision {
  const { status = {} } = backup;
  const ttlMs = settings.number('failed-backup-ttl') * 60_000;
  if (ttlMs === 0) return { status, effects: [], events: [] };
  const afterMs = sinceMs + ttlMs - nowMs;
  if (afterMs <= 0) return { status, effects: [{ do: 'delete-backup' }], events: [] };
  return { status, effects: [], events: [], again: { afterMs, reason: 'failed backups go after failed-backup-ttl' } };
}

/**
 * If the target is gone, only the object is deleted; if the target cannot be read now, the deletion waits. Only the object is deleted, too, when
 * nobody asked to delete the data: garbage collection deletes objects whose owners are gone; deleting a namespace deletes what is in it; and an
 * object that never reported its backup as complete (it was restored without its status, or could not begin) does not represent the complete backup
 * of its name.
 */
function removal(seen: BackupSeen): BackupDecision {
  const { backup, target, transfer, settings } = seen;
  if (!(backup.metadata.finalizers ?? []).includes(longhornFinalizer))
    return { status: backup.status ?? {}, effects: [], events: [] };
  const status: BackupStatus = { ...backup.status, state: 'Deleting' };
  if (transfer?.state === 'running' || seen.hasLeftovers === true) {
    return { status, effects: [{ do: 'stop-transfer' }], events: [], waitsFor: 'the transfer to end' };
  }
  if ((backup.metadata.ownerReferences ?? []).length > 0)
    return kept(status, 'garbage collection has deleted the object');
  // No Event: the API server accepts no new objects in a namespace that is being deleted.
  if (seen.goesWithNamespace) return { status, effects: [{ do: 'drop-finalizer' }], events: [] };
  const { snapshotName: snapshot = '' } = backup.spec;
  const cleans = snapshot !== '' && settings.flag('auto-cleanup-when-delete-backup');
  const last: BackupEffect[] = [
    ...(cleans ? [{ do: 'delete-snapshot' as const, snapshot }] : []),
    { do: 'drop-finalizer' },
  ];
  const isGone =
    target === undefined ||
    target.metadata.deletionTimestamp !== undefined ||
    (target.spec.backupTargetURL ?? '') === '';
  if (isGone) return { status, effects: last, events: [] };
  if (target.status?.available !== true)
    return { status, effects: [], events: [], waitsFor: `backup target ${target.metadata.name} to be available` };
  const wasComplete = (backup.status?.url ?? '') !== '';
  if (!wasComplete && isNamed(backup)) {
    if (seen.stored === undefined) return { ...stay(seen, 'the target to be read', [{ do: 'read-stored' }]), status };
    if (isComplete(seen.stored)) return kept(status, 'the object that was deleted had not told of it');
    if (seen.stored === 'damaged') return kept(status, 'its file cannot be used, and its content is not known');
  }
  return { status, effects: [{ do: 'delete-stored' }, ...last], events: [] };
}

const kept = (status: BackupStatus, why: string): BackupDecision => ({
  status,
  effects: [{ do: 'drop-finalizer' }],
  events: [
    {
      type: 'Warning',
      reason: 'BackupKept',
      message: `The backup stays on the target, since ${why}. To delete it, delete the Backup that the next look at the target makes`,
    },
  ],
});
