import type { Instance, StartRestore } from '@lateen/block-engine';
import {
  type Engine,
  type EngineRestoreStatus,
  type EngineStatus,
  generationOf,
  restoreRequestOf,
  restoreTransferName,
} from '@lateen/storage-types';
import { type HostFacts, instanceOf, isThere } from '../instance/host-facts.ts';
import { nameOf } from '../volume/replica-facts.ts';
import { type EngineEffect, type EngineSeen, progressMs } from './engine-seen.ts';

interface RestoreTurn {
  readonly status: Partial<EngineStatus>;
  readonly effects: readonly EngineEffect[];
  readonly waitsFor?: string;
}

/** Restores are recognised by this prefix of their names; the rest identifies one. */
const restorePrefix = restoreTransferName('', 0, '').split('-')[0];

/** Restores into the volume of the engine that its host still has. */
export const restoresOn = ({ instances }: HostFacts, volume?: string): readonly Instance[] =>
  instances.filter(
    ({ kind, name, volume: of }) =>
      kind === 'transfer' && name.startsWith(`${restorePrefix}-`) && (volume === undefined || of === volume),
  );

/** Each is stopped before its engine stops, and before another restore of the volume begins: two would overwrite each other. */
export const stopRestores = (instances: readonly Instance[]): EngineEffect[] =>
  instances.map(({ name }) => ({ do: 'stop', request: { kind: 'transfer', name, generation: 0 } }));

/**
 * The restore that the Engine requests: begun again with each start of the engine, until its host reports it as complete; then the volume holds that
 * backup, which is recorded before anything else is requested.
 */
export function restoreOfEngine(seen: EngineSeen, generation: number): RestoreTurn | undefined {
  const { engine, host } = seen;
  const requested = engine.spec.requestedBackupRestore ?? '';
  const own = restoresOn(host, engine.spec.volumeName ?? '');
  if (requested === '') {
    const status = Object.keys(engine.status?.restoreStatus ?? {}).length === 0 ? {} : { restoreStatus: {} };
    return { status, effects: stopRestores(own) };
  }
  const name = restoreTransferName(nameOf(engine), generation, requested);
  if (engine.status?.lastRestoredBackup === requested)
    return { status: { restoreStatus: told(seen, requested, { state: 'complete' }) }, effects: stopRestores(own) };
  const others = own.filter((each) => each.name !== name);
  const transfer = instanceOf(host, 'transfer', name);
  const progress = transfer?.transfer;
  const failure = transfer?.error ?? progress?.error;
  if (progress?.ended === true && failure === undefined) {
    const restoreStatus = told(seen, requested, { state: 'complete' });
    return { status: { lastRestoredBackup: requested, restoreStatus }, effects: [] };
  }
  if (isThere(transfer) && failure === undefined && progress?.ended !== true) {
    const { doneBytes = 0n, totalBytes = 0n } = progress ?? {};
    const percent = totalBytes === 0n ? 0 : Number((doneBytes * 99n) / totalBytes);
    const waitsFor = `backup ${requested} is restored: ${percent}%`;
    return { status: { restoreStatus: going(seen, requested, percent) }, effects: follow(seen, name, false), waitsFor };
  }
  if (others.some(isThere)) return { status: {}, effects: stopRestores(others), waitsFor: 'another restore to end' };
  const error = failure?.message ?? seen.restore?.failure ?? '';
  const restoreStatus = told(seen, requested, error === '' ? { state: 'in_progress' } : { state: 'error', error });
  return { status: { restoreStatus }, ...begin(seen, name, transfer !== undefined) };
}

function begin(seen: EngineSeen, name: string, again: boolean): Pick<RestoreTurn, 'effects' | 'waitsFor'> {
  const limit = seen.settings.number('concurrent-volume-backup-restore-per-node-limit');
  if (seen.restore?.target === undefined) return { effects: [], waitsFor: 'a backup target that has the backup' };
  if (seen.restore.onNode >= limit)
    return { effects: [], waitsFor: `a place among the ${limit} restores of ${seen.engine.spec.nodeID}` };
  return { effects: follow(seen, name, again), waitsFor: `backup ${seen.engine.spec.requestedBackupRestore} to begin` };
}

/** Requested also while it runs: a manager that takes over the engine learns how it ends. */
function follow(seen: EngineSeen, name: string, again: boolean): EngineEffect[] {
  const target = seen.restore?.target?.name;
  return target === undefined ? [] : [{ do: 'restore', target, request: requestOf(seen, name), again }];
}

function requestOf({ engine, settings }: EngineSeen, restore: string): Omit<StartRestore, 'target'> {
  const { held } = restoreRequestOf(engine);
  return {
    restore,
    engine: nameOf(engine),
    generation: generationOf(engine) ?? 0,
    volume: engine.spec.volumeName ?? '',
    backup: engine.spec.requestedBackupRestore ?? '',
    backupVolume: engine.spec.backupVolume ?? '',
    ...(typeof held === 'object' ? { since: held.backup } : {}),
    isNew: held === 'zeros',
    workers: settings.number('restore-concurrent-limit'),
    detached: true,
  };
}

function going(seen: EngineSeen, requested: string, progress: number): Record<string, EngineRestoreStatus> {
  const before = seen.engine.status?.restoreStatus ?? {};
  const isSame = Object.values(before).some(
    ({ isRestoring, currentRestoringBackup }) => isRestoring === true && currentRestoringBackup === requested,
  );
  if (isSame && seen.sinceProgressMs < progressMs) return before;
  return told(seen, requested, { state: 'in_progress', isRestoring: true, progress });
}

/** The same for each replica, because the engine writes to all of them. */
function told(
  { engine, restore }: EngineSeen,
  requested: string,
  { state = '', error = '', isRestoring = false, progress = state === 'complete' ? 100 : 0 }: EngineRestoreStatus,
): Record<string, EngineRestoreStatus> {
  const one: EngineRestoreStatus = {
    isRestoring,
    lastRestored: state === 'complete' ? requested : (engine.status?.lastRestoredBackup ?? ''),
    currentRestoringBackup: requested,
    progress,
    error,
    filename: '',
    state,
    backupURL: restore?.target?.url ?? '',
  };
  return Object.fromEntries(addressesOf(engine).map((address) => [address, one]));
}

const addressesOf = ({ spec, status }: Engine): string[] =>
  Object.entries(spec.replicaAddressMap ?? {})
    .filter(([name]) => (status?.replicaModeMap?.[name] ?? 'RW') === 'RW')
    .map(([, address]) => address)
    .sort();
