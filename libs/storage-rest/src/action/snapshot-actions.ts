import { backupLabels, backupModes, defaultBackupTarget, snapshotName } from '@lateen/storage-types';
import {
  checkBackupTargetAvailable,
  checkEngineIsRunning,
  checkNotMigrating,
  checkNotStandby,
  checkRevert,
  checkSnapshotLabels,
  type StandbyAction,
} from '@lateen/volume-decisions';
import { notFound, refused } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { activeEngine } from '../format/volume/volume-seen.ts';
import {
  type DecideAction,
  factsOf,
  isEngineRunning,
  unlessRefused,
  type VolumeActionSeen,
} from './volume-action-seen.ts';

/** Of all that asks the engine. */
function checkEngine(seen: VolumeActionSeen, action?: StandbyAction): void {
  const facts = factsOf(seen);
  unlessRefused(
    action === undefined ? undefined : checkNotStandby(facts, action),
    checkNotMigrating(seen.volume.spec.migrationNodeID ?? ''),
    checkEngineIsRunning(facts.name, isEngineRunning(seen)),
  );
}

/** @throws REST_NOT_FOUND */
function engineSnapshot(name: string, seen: VolumeActionSeen): string {
  if (!Object.hasOwn(activeEngine(seen.engines)?.status?.snapshots ?? {}, name))
    throw notFound(`snapshot ${JSON.stringify(name)} of volume ${nameOf(seen.volume)} is not there`);
  return name;
}

/** @throws REST_NOT_FOUND also for one of another volume */
function snapshotObject(name: string, seen: VolumeActionSeen): string {
  if (!seen.snapshots.some((snapshot) => nameOf(snapshot) === name))
    throw notFound(`snapshot ${JSON.stringify(name)} of volume ${nameOf(seen.volume)} is not there`);
  return name;
}

export const snapshotCreate: DecideAction = (input, seen) => {
  checkEngine(seen, 'create snapshot');
  const [name, labels] = [input.text('name') || snapshotName(seen.uuid), input.map('labels')];
  unlessRefused(checkSnapshotLabels(labels));
  return { intent: { do: 'take-snapshot', name, labels, wait: true }, about: name };
};

export const snapshotGet: DecideAction = (input, seen) => {
  checkEngine(seen);
  return { intent: { do: 'nothing' }, about: engineSnapshot(input.text('name'), seen) };
};

export const snapshotList: DecideAction = (_, seen) => {
  checkEngine(seen);
  return { intent: { do: 'nothing' } };
};

export const snapshotDelete: DecideAction = (input, seen) => {
  checkEngine(seen, 'delete snapshot');
  return { intent: { do: 'remove-snapshot', name: engineSnapshot(input.text('name'), seen) } };
};

export const snapshotRevert: DecideAction = (input, seen) => {
  checkEngine(seen, 'revert snapshot');
  unlessRefused(checkRevert(nameOf(seen.volume), seen.volume.status?.frontendDisabled ?? false));
  return { intent: { do: 'revert', snapshot: engineSnapshot(input.text('name'), seen) } };
};

export const snapshotPurge: DecideAction = (_, seen) => {
  checkEngine(seen);
  return { intent: { do: 'purge-snapshots' } };
};

export const trimFilesystem: DecideAction = (_, seen) => {
  checkEngine(seen);
  return { intent: { do: 'trim-filesystem' } };
};

/** Needs no engine: who makes the backup attaches the volume. */
export const snapshotBackup: DecideAction = (input, seen) => {
  const { spec, status = {} } = seen.volume;
  const [snapshot, asked] = [input.text('name'), input.text('backupMode')];
  const target = spec.backupTargetName || defaultBackupTarget;
  unlessRefused(
    checkNotStandby(factsOf(seen), 'create backup'),
    checkSnapshotLabels(input.map('labels')),
    checkBackupTargetAvailable(target, seen.availableTargets.has(target)),
  );
  if (snapshot === '') throw refused('snapshot name is required');
  const mode = asked === '' ? 'incremental' : backupModes.find((one) => one === asked);
  if (mode === undefined) throw refused(`invalid backup mode: ${asked}`);
  const labels = {
    ...input.map('labels'),
    [backupLabels.kubernetesStatus]: JSON.stringify(status.kubernetesStatus ?? {}),
    [backupLabels.accessMode]: spec.accessMode ?? 'rwo',
  };
  return { intent: { do: 'back-up', snapshot, labels, mode, target } };
};

export const snapshotCRCreate: DecideAction = (input, seen) => {
  unlessRefused(checkNotStandby(factsOf(seen), 'create snapshot'), checkSnapshotLabels(input.map('labels')));
  const name = input.text('name') || snapshotName(seen.uuid);
  return { intent: { do: 'take-snapshot', name, labels: input.map('labels'), wait: false }, about: name };
};

export const snapshotCRGet: DecideAction = (input, seen) => ({
  intent: { do: 'nothing' },
  about: snapshotObject(input.text('name'), seen),
});

export const snapshotCRDelete: DecideAction = (input, seen) => ({
  intent: { do: 'delete-snapshot-object', name: snapshotObject(input.text('name'), seen) },
});
