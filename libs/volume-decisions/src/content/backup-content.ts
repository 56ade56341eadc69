import { int64Of, type Volume, type VolumeStatus } from '@lateen/storage-types';
import { type StatedCondition, withCondition } from '../conditions/with-condition.ts';
import type { VolumeEffect } from '../volume/volume-effect.ts';
import type { StepResult, VolumeSeen } from '../volume/volume-seen.ts';
import type { ContentKind } from './content-kind.ts';
import type { BackupSource, RestoreSeen } from './restore-seen.ts';
import { heldBackup, nextBackup } from './wanted-backup.ts';

/**
 * A restore: `spec.fromBackup` is the URL of a backup of blocks. The Engine's spec requests it, and the engine's host restores it by writing as a
 * front end does, so replicas, failures and rebuilds work as usual. A standby volume stays pending: each newer backup of the volume that it follows
 * is restored into it until it is activated.
 */
export const backupContent: ContentKind = {
  name: 'backup',
  isAsked: ({ fromBackup = '' }) => fromBackup !== '',
  ticket: 'volume-restore-controller',
  stateOf: ({ status: { restoreInitiated, restoreRequired } = {} }) => {
    if (restoreRequired === true) return 'pending';
    return restoreInitiated === true ? 'there' : 'unmarked';
  },
  because: ({ spec }) =>
    spec.Standby === true
      ? 'it is a standby volume, which follows the backups of another one until it is activated'
      : `its content is being restored from ${spec.fromBackup}`,
  mark: ({ volume, engine }, { isFresh }) => ({
    restoreInitiated: true,
    restoreRequired: isFresh || volume.spec.Standby === true || (engine?.spec.requestedBackupRestore ?? '') !== '',
    ...(volume.spec.Standby === true ? { isStandby: true } : {}),
  }),
  engineSpec: ({ restore }) => {
    const source = sourceOf(restore);
    return source === undefined ? {} : { backupVolume: source.volume, requestedBackupRestore: source.backup };
  },
  next: (seen, status, nowMs) => {
    const { restore, engine } = seen;
    const source = sourceOf(restore);
    if (restore === undefined || source === undefined) {
      const message = problemOf(restore);
      return { ...stated(status, failure(message), nowMs), waitsFor: message, ends: engine === undefined };
    }
    const grows = larger(seen, restore);
    if (grows !== undefined) return grows;
    if (engine === undefined) return stated(status, inProgress, nowMs);
    if (isDone(seen, source, restore)) return done(seen, status, nowMs);
    const next = isFollowing(seen.volume) ? nextBackup(engine, restore.backups, source.backup) : undefined;
    const told = stated(status, conditionOf(seen, source), nowMs);
    if (next === undefined) return told;
    const effect: VolumeEffect = { do: 'request-restore', backupVolume: source.volume, ...next };
    return { ...told, effects: [effect], waitsFor: `backup ${next.backup} is asked for` };
  },
};

const sourceOf = (restore: RestoreSeen | undefined): BackupSource | undefined =>
  restore === undefined || 'problem' in restore.source ? undefined : restore.source;

const problemOf = (restore: RestoreSeen | undefined): string =>
  restore !== undefined && 'problem' in restore.source ? restore.source.problem : 'the backup to be looked for';

/** It follows the backups of another volume, also while it is being activated. */
const isFollowing = ({ spec, status }: Volume): boolean => spec.Standby === true || status?.isStandby === true;

/** A standby volume has the size of the volume that it follows, and a backup does not fit into a volume smaller than the one it was made of. */
function larger({ volume }: VolumeSeen, { sizeBytes }: RestoreSeen): StepResult | undefined {
  if (sizeBytes === undefined || (int64Of(volume.spec.size) ?? 0n) >= sizeBytes) return undefined;
  const waitsFor = `it is made as large as the volume that was backed up: ${sizeBytes} bytes`;
  return { effects: [{ do: 'grow-volume', sizeBytes }], waitsFor, ends: true };
}

/**
 * The volume holds exactly one backup: the requested one, or, when the volume is being activated, the last one available. Volumes are activated
 * because a target is gone, so the newest backup that was on it is not waited for.
 */
function isDone({ volume, engine }: VolumeSeen, source: BackupSource, restore: RestoreSeen): boolean {
  const held = heldBackup(engine);
  if (held === '' || engine === undefined || volume.spec.Standby === true) return false;
  if (!isFollowing(volume)) return held === source.backup;
  return !source.isAvailable || nextBackup(engine, restore.backups, source.backup) === undefined;
}

function done({ volume, engine }: VolumeSeen, status: VolumeStatus, nowMs: number): StepResult {
  const held = heldBackup(engine);
  const message = isFollowing(volume) ? `Activated with backup ${held}` : `Restored from backup ${held}`;
  const { frontend } = volume.spec;
  return {
    status: {
      restoreRequired: false,
      isStandby: false,
      conditions: withCondition(status.conditions, { ...inProgress, status: 'False', reason: '', message: '' }, nowMs),
    },
    effects: [{ do: 'end-restore', ...(frontend === undefined ? {} : { frontend }) }],
    events: [{ type: 'Normal', reason: isFollowing(volume) ? 'Activated' : 'Restored', message }],
  };
}

const inProgress: StatedCondition = { type: 'Restore', status: 'True', reason: 'RestoreInProgress', message: '' };
const failure = (message: string): StatedCondition => ({
  type: 'Restore',
  status: 'False',
  reason: 'RestoreFailure',
  message,
});

/** A failed attempt is repeated: the cause may be corrected meanwhile. */
function conditionOf({ volume, engine }: VolumeSeen, source: BackupSource): StatedCondition {
  if (source.target === undefined) {
    return failure(`no backup target has the URL of ${volume.spec.fromBackup}`);
  }
  const tries = Object.values(engine?.status?.restoreStatus ?? {});
  const failed = tries.find(({ error = '' }) => error !== '')?.error;
  return failed === undefined ? inProgress : failure(failed);
}

/** With an Event for a failure that has not been reported yet. */
function stated(status: VolumeStatus, condition: StatedCondition, nowMs: number): StepResult {
  const isTold = status.conditions?.find(({ type }) => type === 'Restore')?.message === condition.message;
  const isFailure = condition.reason === 'RestoreFailure';
  return {
    status: { conditions: withCondition(status.conditions, condition, nowMs) },
    events: isFailure && !isTold ? [{ type: 'Warning', reason: 'RestoreFailure', message: condition.message }] : [],
    waitsFor: isFailure ? condition.message : 'its content is restored',
  };
}
