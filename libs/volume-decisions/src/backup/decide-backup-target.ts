import { parseDurationMs } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import {
  type BackupTarget,
  type BackupTargetStatus,
  type BackupVolume,
  backupTargetUnavailable,
  longhornFinalizer,
} from '@lateen/storage-types';
import { backupTargetSyncMs } from '../checks/backup-target-checks.ts';
import { withCondition } from '../conditions/with-condition.ts';
import type { Decision, EventWish } from '../decision/decision.ts';
import { isAhead } from '../decision/is-ahead.ts';

const pollMsDefault = 300_000;

export interface BackupTargetSeen {
  readonly target: BackupTarget;
  /** The BackupVolumes of this target. */
  readonly backupVolumes: readonly BackupVolume[];
  /** Names of the volumes of this target that have a Backup in progress. */
  readonly busy: ReadonlySet<string>;
  /** The result of polling the target at `atMs`: the names of all volumes, damaged ones included, or why the poll failed. */
  readonly look?: { readonly atMs: number } & ({ readonly volumes: readonly string[] } | { readonly error: string });
}

/** `forget` removes the objects of a volume and keeps its data on the target. */
export type BackupTargetEffect =
  | { readonly do: 'add-finalizer' | 'drop-finalizer' | 'look' }
  | { readonly do: 'create-backup-volume'; readonly volume: string }
  | { readonly do: 'forget-backup-volume'; readonly name: string };

type TargetDecision = Decision<BackupTargetStatus, BackupTargetEffect>;

/** Decides when a target is polled, and which BackupVolumes exist. Only a successful poll removes any. */
export function decideBackupTarget(seen: BackupTargetSeen, nowMs: number): TargetDecision {
  const { target, backupVolumes, look } = seen;
  const { status = {}, metadata, spec } = target;
  const hasFinalizer = (metadata.finalizers ?? []).includes(longhornFinalizer);
  const forgetAll = backupVolumes.map(forget);
  if (metadata.deletionTimestamp !== undefined) {
    if (!hasFinalizer) return { status, effects: [], events: [] };
    if (forgetAll.length > 0) return { status, effects: forgetAll, events: [], waitsFor: 'its BackupVolumes to go' };
    return { status, effects: [{ do: 'drop-finalizer' }], events: [] };
  }
  if (!hasFinalizer) return { status, effects: [{ do: 'add-finalizer' }], events: [] };
  if ((spec.backupTargetURL ?? '') === '')
    return { ...unavailable(status, 'backup target URL is empty', nowMs, false), effects: forgetAll };
  const again = nextLook(target, look === undefined ? status.lastSyncedAt : apiTime(look.atMs), nowMs);
  if (look === undefined)
    return again.afterMs > 0
      ? { status, effects: [], events: [], again }
      : { status, effects: [{ do: 'look' }], events: [] };
  const lastSyncedAt = apiTime(look.atMs);
  if ('error' in look) {
    const failed = unavailable(status, look.error, nowMs, true);
    return { ...failed, status: { ...failed.status, lastSyncedAt }, effects: [], again };
  }
  const condition = { type: backupTargetUnavailable, status: 'False', reason: '', message: '' } as const;
  const conditions = withCondition(status.conditions, condition, nowMs);
  return {
    status: { ...status, available: true, conditions, lastSyncedAt },
    effects: changes(seen, look.volumes),
    events: [],
    again,
  };
}

const forget = ({ metadata }: BackupVolume): BackupTargetEffect => ({
  do: 'forget-backup-volume',
  name: metadata.name ?? '',
});

function changes({ backupVolumes, busy }: BackupTargetSeen, volumes: readonly string[]): readonly BackupTargetEffect[] {
  const listed = new Set(volumes);
  const known = new Set(backupVolumes.map(({ spec }) => spec.volumeName ?? ''));
  const create = [...listed].filter((volume) => !known.has(volume)).sort();
  const gone = backupVolumes.filter(
    ({ spec: { volumeName = '' } }) => !listed.has(volumeName) && !busy.has(volumeName),
  );
  return [...create.map((volume): BackupTargetEffect => ({ do: 'create-backup-volume', volume })), ...gone.map(forget)];
}

function unavailable(status: BackupTargetStatus, message: string, nowMs: number, tells: boolean): TargetDecision {
  const condition = { type: backupTargetUnavailable, status: 'True', reason: 'Unavailable', message } as const;
  const conditions = withCondition(status.conditions, condition, nowMs);
  const event: EventWish = { type: 'Warning', reason: 'Unavailable', message };
  const isNew = tells && status.conditions?.find(({ type }) => type === backupTargetUnavailable)?.message !== message;
  return { status: { ...status, available: false, conditions }, effects: [], events: isNew ? [event] : [] };
}

/** Polls are at least ten seconds apart, whatever requests them; without a poll interval the target is polled on request only. */
function nextLook(
  { spec }: BackupTarget,
  lastSyncedAt: string | null | undefined,
  nowMs: number,
): { afterMs: number; reason: string } {
  const lastMs = Date.parse(lastSyncedAt ?? '');
  if (Number.isNaN(lastMs) || isAhead(lastMs, nowMs)) return { afterMs: 0, reason: 'the first look at the target' };
  const pollMs = parseDurationMs(spec.pollInterval ?? '') ?? pollMsDefault;
  const asked = Date.parse(spec.syncRequestedAt ?? '') > lastMs;
  if (asked) return { afterMs: Math.max(lastMs + backupTargetSyncMs - nowMs, 0), reason: 'a look that was asked for' };
  if (pollMs <= 0) return { afterMs: 3_600_000, reason: 'a look that is asked for' };
  return {
    afterMs: Math.max(lastMs + Math.max(pollMs, backupTargetSyncMs) - nowMs, 0),
    reason: 'the poll interval of the target',
  };
}
