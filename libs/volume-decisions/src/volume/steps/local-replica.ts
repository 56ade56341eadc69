import type { Condition, VolumeStatus } from '@lateen/storage-types';
import { withCondition } from '../../conditions/with-condition.ts';
import { decideLocalReplica, type LocalReplica } from '../../scheduler/locality.ts';
import { refusedText } from '../../scheduler/refusal.ts';
import { schedulerSettingsOf } from '../../settings/scheduler-settings.ts';
import { wantedReplicas } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { balanceLookMs } from './balance.ts';
import { avoidedPlaces, beginMove, isAtRest, pausedMove, settledReplicas } from './move.ts';
import { placeRequestOf } from './schedule.ts';

/**
 * A volume with best-effort locality that is attached and healthy gets a replica on its node, in place of another one, which is removed when the new
 * one has all the data. Not for a volume that the manager itself has attached, because its node then says nothing about where it is used next.
 */
export const localReplica: VolumeStep = (seen, status, nowMs) => {
  const { volume, cluster, settings, offlineFor } = seen;
  const locality = volume.spec.dataLocality ?? 'disabled';
  if (locality !== 'best-effort' || offlineFor !== undefined) return undefined;
  const said = stillSaid(seen, status, nowMs);
  if (status.robustness !== 'healthy') return said;
  const node = volume.spec.nodeID ?? '';
  if (!isAtRest(seen) || avoidedPlaces(seen).nodes.has(node)) return said;
  const paused = pausedMove(seen, nowMs);
  if (paused !== undefined) return { ...said, ...paused };
  const decided = decideLocalReplica({
    locality,
    node,
    numberOfReplicas: wantedReplicas(seen),
    request: placeRequestOf(seen, settledReplicas(seen, nowMs)),
    cluster,
    settings: schedulerSettingsOf(settings),
  });
  if (decided === undefined) return undefined;
  if ('refused' in decided) return staysAway(seen, status, decided, nowMs);
  const begun = beginMove(seen, decided.move);
  // One replica of a volume moves at a time.
  return begun?.effects === undefined ? begun : { ...begun, ends: true };
};

/** All replicas have a place, so Scheduled stays true; its reason says what is not as requested, and one Event reports it when it begins. */
function staysAway(
  seen: VolumeSeen,
  { conditions }: VolumeStatus,
  { refused, because }: Extract<LocalReplica, { refused: unknown }>,
  nowMs: number,
): StepResult {
  const { reason } = refused;
  const message = `${isAway(seen)}: ${refused.message} (${because.map(refusedText).join('; ')})`;
  const event = { type: 'Warning', reason, message: `It is used over the network, since ${message}` } as const;
  return {
    ...stated(conditions, { reason, message }, nowMs),
    ...(saidBefore(seen) === undefined ? { events: [event] } : {}),
    again: { afterMs: balanceLookMs, reason: `whether ${seen.volume.spec.nodeID} has room for a replica` },
  };
}

/** The message is kept while other work runs, so that it is not sent again after each merge of snapshots. */
function stillSaid(seen: VolumeSeen, { conditions }: VolumeStatus, nowMs: number): StepResult | undefined {
  const { reason = '', message = '' } = saidBefore(seen) ?? {};
  const hasPlaces = conditions?.some(({ type, status }) => type === 'Scheduled' && status === 'True');
  if (reason === '' || hasPlaces !== true) return undefined;
  return stated(conditions, { reason, message }, nowMs);
}

const stated = (
  conditions: VolumeStatus['conditions'],
  said: { readonly reason: string; readonly message: string },
  nowMs: number,
): Pick<StepResult, 'status'> => ({
  status: { conditions: withCondition(conditions, { type: 'Scheduled', status: 'True', ...said }, nowMs) },
});

const isAway = ({ volume }: VolumeSeen): string => `no replica is on ${volume.spec.nodeID}, where it is attached`;

const saidBefore = (seen: VolumeSeen): Condition | undefined =>
  seen.volume.status?.conditions?.find(({ type, status, message = '' }) => {
    return type === 'Scheduled' && status === 'True' && message.startsWith(isAway(seen));
  });
