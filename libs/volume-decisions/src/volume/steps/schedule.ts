import { int64Of, type Replica } from '@lateen/storage-types';
import { withCondition } from '../../conditions/with-condition.ts';
import { antiAffinityOf } from '../../scheduler/anti-affinity.ts';
import type { ClusterFacts } from '../../scheduler/cluster-facts.ts';
import { affinityOf } from '../../scheduler/locality.ts';
import { isPlace, placeReplica } from '../../scheduler/place-replica.ts';
import type { PlacedReplica, PlaceRequest, VolumeFacts } from '../../scheduler/place-request.ts';
import { refusalMessage, refusedText, schedulingFailure } from '../../scheduler/refusal.ts';
import { withReplica } from '../../scheduler/with-replica.ts';
import { schedulerSettingsOf } from '../../settings/scheduler-settings.ts';
import { byName, isFailed, nameOf } from '../replica-facts.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { isBeingDeleted, placedReplicas } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { type LeavingSeen, leavingReplicas } from './evict.ts';

export const schedulingRetryMs = 30_000;

/** Schedules replicas, each counted before the next one; the condition Scheduled reports why one cannot be scheduled. */
export const schedule: VolumeStep = (seen, status, nowMs) => {
  const without = [...seen.replicas].sort(byName).filter(({ spec, ...replica }) => {
    return (spec.nodeID ?? '') === '' && !isFailed({ spec, ...replica }) && !isBeingDeleted({ spec, ...replica });
  });
  const { effects, failures, details } = placeAll(seen, without, nowMs);
  const failure = failures[0];
  const stated =
    failure === undefined
      ? ({ type: 'Scheduled', status: 'True', reason: '', message: '' } as const)
      : ({ type: 'Scheduled', status: 'False', ...failure } as const);
  const result: StepResult = { status: { conditions: withCondition(status.conditions, stated, nowMs) } };
  if (effects.length > 0) return { ...result, effects, waitsFor: 'its replicas get their places', ends: true };
  if (failure === undefined) return result;
  const reason = `a replica cannot be scheduled: ${failure.message}${details === '' ? '' : ` (${details})`}`;
  return { ...result, waitsFor: reason, again: { afterMs: schedulingRetryMs, reason } };
};

interface Placed {
  readonly effects: VolumeEffect[];
  readonly failures: { reason: string; message: string }[];
  details: string;
}

function placeAll(seen: VolumeSeen, without: readonly Replica[], nowMs: number): Placed {
  const placed: PlacedReplica[] = placedReplicas(seen, nowMs);
  const { cluster: counted, ...result } = {
    cluster: seen.cluster,
    effects: [],
    failures: [],
    details: '',
  } as Placed & {
    cluster: ClusterFacts;
  };
  let cluster = counted;
  for (const replica of without) {
    const request = requestOf(seen, placed);
    if (request === 'afterAttachment') continue;
    const place = placeReplica(request, cluster, schedulerSettingsOf(seen.settings));
    if (!isPlace(place)) {
      const message = refusalMessage(place.refused);
      result.failures.push({ ...schedulingFailure(request, place.refused), message });
      result.details = place.because.map(refusedText).slice(0, refusalsShownMax).join('; ');
      break;
    }
    const name = nameOf(replica);
    const hard = request.hardNode === undefined ? {} : { hardNode: request.hardNode };
    result.effects.push({ do: 'place-replica', replica: name, place, ...hard });
    placed.push({ name, node: place.node, diskID: place.diskID, failed: false, mayReturn: false });
    cluster = withReplica(cluster, place, request.volume.sizeBytes);
  }
  return result;
}

/** The number of reasons that are listed: a cluster may have hundreds of nodes. */
const refusalsShownMax = 5;

function requestOf(seen: VolumeSeen, placed: readonly PlacedReplica[]): PlaceRequest | 'afterAttachment' {
  const { spec } = seen.volume;
  const affinity = affinityOf(spec.dataLocality ?? 'disabled', spec.nodeID ?? '', placed);
  return affinity === 'afterAttachment' ? affinity : { ...placeRequestOf(seen, placed), ...affinity };
}

/** The request to the scheduler for one more replica of the volume, without a preferred node. */
export const placeRequestOf = (seen: LeavingSeen, placed: readonly PlacedReplica[]): PlaceRequest => ({
  volume: volumeFactsOf(seen),
  replicas: placed,
  leaving: leavingReplicas(seen),
  policies: antiAffinityOf(seen.volume.spec, schedulerSettingsOf(seen.settings)),
});

function volumeFactsOf({ volume, engine }: Pick<VolumeSeen, 'volume' | 'engine'>): VolumeFacts {
  const { spec, status } = volume;
  return {
    name: nameOf(volume),
    sizeBytes: int64Of(engine?.spec.volumeSize ?? spec.size) ?? 0n,
    actualBytes: BigInt(status?.actualSize ?? 0),
    image: spec.image ?? '',
    nodeSelector: spec.nodeSelector ?? [],
    diskSelector: spec.diskSelector ?? [],
  };
}
