import { labels } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import { type EngineSnapshot, int64Of, longhornFinalizer, type SnapshotStatus } from '@lateen/storage-types';
import { pendingContent } from '../content/content-of.ts';
import type { Decision } from '../decision/decision.ts';
import { removeSnapshot } from './remove-snapshot.ts';
import { checkSnapshotLimits } from './snapshot-limits.ts';
import { isRunning, type SnapshotEffect, type SnapshotSeen, wasTaken } from './snapshot-seen.ts';

type SnapshotDecision = Decision<SnapshotStatus, SnapshotEffect>;

/**
 * Decides about a Snapshot: it is taken once and never again, because a later one would have other data; its status follows the engine's report; when
 * it is deleted, its data is marked and merged, and the object stays until that is done.
 */
export function decideSnapshot(seen: SnapshotSeen, nowMs: number): SnapshotDecision {
  const { snapshot, engine } = seen;
  if (snapshot.metadata.deletionTimestamp !== undefined) return removeSnapshot(seen);
  if (!(snapshot.metadata.finalizers ?? []).includes(longhornFinalizer))
    return { status: snapshot.status ?? {}, effects: [{ do: 'add-finalizer' }], events: [] };
  const found = engine?.status?.snapshots?.[snapshot.metadata.name ?? ''];
  if (found !== undefined && isRunning(seen)) return settled(statusOf(seen, found));
  return wasTaken(snapshot) ? afterItWasTaken(seen) : take(seen, nowMs);
}

const settled = (status: SnapshotStatus): SnapshotDecision => ({ status, effects: [], events: [] });

function failed({ snapshot }: SnapshotSeen, error: string): SnapshotDecision {
  const status = { ...snapshot.status, readyToUse: false, error };
  if (snapshot.status?.error === error) return settled(status);
  return { status, effects: [], events: [{ type: 'Warning', reason: 'SnapshotError', message: error }] };
}

function statusOf({ snapshot, volume }: SnapshotSeen, found: EngineSnapshot): SnapshotStatus {
  const { removed = false } = found;
  return {
    ...snapshot.status,
    parent: found.parent ?? '',
    children: found.children ?? null,
    size: Number(int64Of(found.size) ?? 0n),
    creationTime: found.created ?? '',
    userCreated: found.usercreated ?? false,
    labels: found.labels ?? null,
    restoreSize: snapshot.status?.restoreSize ?? Number(int64Of(volume?.spec.size) ?? 0n),
    markRemoved: removed,
    readyToUse: !removed,
    error: '',
  };
}

/** While no engine runs, the status has the newest known facts. */
function afterItWasTaken(seen: SnapshotSeen): SnapshotDecision {
  if (seen.volume === undefined) return failed(seen, 'the volume of the snapshot is not there');
  const { status = {} } = seen.snapshot;
  const unknown = !isRunning(seen) || (seen.engine?.status?.snapshotsError ?? '') !== '' || !hasList(seen);
  return unknown ? settled(status) : failed(seen, 'the volume does not have the snapshot any more');
}

const hasList = ({ engine }: SnapshotSeen): boolean => Object.keys(engine?.status?.snapshots ?? {}).length > 0;

function take(seen: SnapshotSeen, nowMs: number): SnapshotDecision {
  const { snapshot, volume, engine, settings } = seen;
  const { volume: name } = snapshot.spec;
  if (volume === undefined) return failed(seen, `volume ${name} is not there`);
  if (volume.metadata.deletionTimestamp !== undefined) return failed(seen, `volume ${name} is being deleted`);
  const status = { ...snapshot.status, requestedTime: snapshot.status?.requestedTime || apiTime(nowMs) };
  // A snapshot in the middle of a restore would hold a part of one backup, and would be kept, or backed up, as if it were complete.
  const pending = pendingContent(volume)?.because(volume);
  if (pending !== undefined) return { ...settled(status), waitsFor: `volume ${name} to have its content: ${pending}` };
  const known = isRunning(seen) && hasList(seen) && (engine?.status?.snapshotsError ?? '') === '';
  if (!known)
    return { ...settled(status), waitsFor: `volume ${name} to be attached, and its engine to list its snapshots` };
  if (snapshot.spec.createSnapshot !== true) return failed(seen, `volume ${name} has no such snapshot`);
  // The object was restored from a backup of objects: a snapshot taken now would have other data under its name.
  if (snapshot.metadata.labels?.[labels.restoreName] !== undefined)
    return failed(
      seen,
      `the object was restored, and volume ${name} does not have its data; delete it, and take another one`,
    );
  const refused = checkSnapshotLimits(volume, engine?.status?.snapshots ?? {}, settings);
  if (refused !== undefined) return failed(seen, refused);
  const { freezeFilesystemForSnapshot: own } = volume.spec;
  const freeze = own === 'enabled' || (own !== 'disabled' && settings.flag('freeze-filesystem-for-snapshot'));
  const effects: SnapshotEffect[] = [{ do: 'take-snapshot', labels: snapshot.spec.labels ?? {}, freeze }];
  return { status: { ...status, error: '' }, effects, events: [], waitsFor: 'the engine to take the snapshot' };
}
