import { type Replica, storageAnnotations, volumeStateOf } from '@lateen/storage-types';
import { pendingContent } from '../../content/content-of.ts';
import { antiAffinityOf } from '../../scheduler/anti-affinity.ts';
import { type AutoBalance, autoBalanceOf, type BalanceMove, decideBalance } from '../../scheduler/balance.ts';
import { schedulerSettingsOf } from '../../settings/scheduler-settings.ts';
import { changedReplica } from '../changed-replica.ts';
import { nameOf, replicaText } from '../replica-facts.ts';
import { givenUpAtMs, isBeingDeleted, isInUse, isServing, placedReplicas, wantedReplicas } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { leavingReplicas } from './evict.ts';
import { newReplica } from './new-objects.ts';
import { rebuildPlaceRetryMs } from './rebuild.ts';
import { volumeFactsOf } from './schedule.ts';

/** How full disks are changes without a word to volumes: a volume whose replicas may move is looked at so often. */
export const balanceLookMs = 300_000;

/**
 * One replica more in a better place, for a volume that is attached and healthy and of which nothing else is going on. It names the one whose place it
 * takes, which then counts as one that leaves: it goes when the new one has all the data, and stays when that fails.
 */
export const balance: VolumeStep = (seen, status, nowMs) => {
  const { volume, settings } = seen;
  const mode = autoBalanceOf(volume.spec.replicaAutoBalance, settings.text('replica-auto-balance') as AutoBalance);
  if (mode === 'disabled' || status.robustness !== 'healthy') return undefined;
  const failed = seen.replicas.flatMap((replica) => givenUpAtMs(replica) ?? []);
  if (failed.length > 0) return later(Math.max(0, Math.min(...failed) - nowMs), 'a move that failed is given up');
  if (!isAtRest(seen)) return undefined;
  const move = moveOf(seen, mode, nowMs);
  if (move === undefined) return later(balanceLookMs, 'whether its replicas are spread well');
  const limit = settings.number('concurrent-replica-rebuild-per-node-limit');
  const there = seen.rebuildsOn.get(move.place.node) ?? 0;
  if (there < limit && !(move.fromFullDisk && there > 0)) return begin(seen, move);
  return later(rebuildPlaceRetryMs, `${there} replicas are being rebuilt on ${move.place.node}`);
};

const later = (afterMs: number, reason: string): StepResult => ({ again: { afterMs, reason } });

/** Nothing of it is on its way, missing or too many: all that comes before a better place. */
function isAtRest(seen: VolumeSeen): boolean {
  const { volume, engine, replicas } = seen;
  if (volumeStateOf(volume) !== 'attached' || !isServing(engine)) return false;
  const { spec, status } = volume;
  const moves = (spec.migrationNodeID ?? '') !== '' || (engine.spec.image ?? '') !== (spec.image ?? '');
  const grows = status?.expansionRequired === true || engine.status?.isExpanding === true;
  const merges = Object.values(engine.status?.purgeStatus ?? {}).some(({ isPurging }) => isPurging === true);
  if (moves || grows || merges || spec.Standby === true || pendingContent(volume) !== undefined) return false;
  // One that is deleted on a node that is down stays as an object until that is back.
  const isWhole = (replica: Replica) => isInUse(seen, replica) && !isBeingDeleted(replica);
  const there = replicas.filter((replica) => !isBeingDeleted(replica) || isInUse(seen, replica));
  return there.length === wantedReplicas(seen) && there.every(isWhole);
}

function moveOf(seen: VolumeSeen, mode: AutoBalance, nowMs: number): BalanceMove | undefined {
  const { volume, cluster, settings } = seen;
  const scheduler = schedulerSettingsOf(settings);
  return decideBalance({
    mode,
    request: {
      volume: volumeFactsOf(seen),
      replicas: placedReplicas(seen, nowMs),
      leaving: leavingReplicas(seen),
      policies: antiAffinityOf(volume.spec, scheduler),
    },
    numberOfReplicas: wantedReplicas(seen),
    cluster,
    settings: scheduler,
    diskPressurePercentage: settings.number('replica-auto-balance-disk-pressure-percentage'),
    ...((volume.spec.dataLocality ?? 'disabled') === 'disabled' ? {} : { keepNode: volume.spec.nodeID ?? '' }),
  });
}

function begin(seen: VolumeSeen, { place, replaces, because }: BalanceMove): StepResult | undefined {
  const [uuid] = seen.uuids;
  const old = seen.replicas.find((replica) => nameOf(replica) === replaces);
  if (uuid === undefined || old === undefined) return undefined;
  const empty = newReplica(seen.volume, seen.engine?.spec.volumeSize, uuid);
  const { metadata } = empty;
  const annotations = {
    ...metadata.annotations,
    [storageAnnotations.replaces]: replaces,
    [storageAnnotations.replacesBecause]: because,
  };
  const named = { ...empty, metadata: { ...metadata, annotations } };
  const object = changedReplica(named, { do: 'place-replica', replica: nameOf(named), place });
  const message = `Replica ${replicaText(old)} moves to disk ${place.disk} of ${place.node}, because ${because}`;
  return {
    effects: [{ do: 'create-replica', object }],
    events: [{ type: 'Normal', reason: 'ReplicaMoves', message }],
    waitsFor: 'a replica in a better place is made',
  };
}
