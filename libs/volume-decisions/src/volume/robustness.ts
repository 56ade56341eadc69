import { apiTime } from '@lateen/kube';
import type { Engine, Replica, Robustness, Volume } from '@lateen/storage-types';
import type { EventWish } from '../decision/decision.ts';
import { isAhead } from '../decision/is-ahead.ts';
import { hasOnlyFailed } from './fold-failures.ts';
import { byName, failureCauseOf, isFailed, modeOf, nameOf, replicaText } from './replica-facts.ts';

export interface RobustnessSeen {
  readonly volume: Volume;
  readonly engine?: Engine;
  readonly replicas: readonly Replica[];
  readonly nowMs: number;
}

export interface RobustnessDecision {
  readonly robustness: Robustness;
  /** Set when the volume becomes degraded, kept while it is detached, cleared when it is healthy. */
  readonly lastDegradedAt: string;
  /** What is wrong, one sentence each; empty when nothing is wrong. */
  readonly causes: readonly string[];
  readonly event?: EventWish;
}

/**
 * How safe the data of a volume is, computed only from the present facts. A volume is faulted when all of its replicas have failed, attached or not;
 * while attached it is healthy with as many replicas in use as it should have, and degraded with fewer.
 */
export function decideRobustness(seen: RobustnessSeen): RobustnessDecision {
  const { status = {} } = seen.volume;
  const robustness = robustnessOf(seen);
  const causes = robustness === 'healthy' || robustness === 'unknown' ? [] : causesOf(seen);
  const since = status.lastDegradedAt ?? '';
  const isKnown = since !== '' && !isAhead(Date.parse(since), seen.nowMs);
  const degradedSince = isKnown ? since : apiTime(seen.nowMs);
  const lastDegradedAt = robustness === 'healthy' ? '' : robustness === 'degraded' ? degradedSince : since;
  const event = robustness === (status.robustness ?? 'unknown') ? undefined : eventOf(robustness, causes);
  return { robustness, lastDegradedAt, causes, ...(event === undefined ? {} : { event }) };
}

function robustnessOf({ volume, engine, replicas }: RobustnessSeen): Robustness {
  const { spec, status = {} } = volume;
  if (replicas.length === 0) return status.robustness === 'faulted' ? 'faulted' : 'unknown';
  if (hasOnlyFailed(engine, replicas)) return 'faulted';
  if (status.state !== 'attached' || engine?.status?.currentState !== 'running') return 'unknown';
  const inUse = replicas.filter((replica) => !isFailed(replica) && modeOf(engine, nameOf(replica)) === 'RW').length;
  // The engine has not reported its replicas yet.
  if (inUse === 0) return 'unknown';
  return inUse >= (spec.numberOfReplicas ?? 1) ? 'healthy' : 'degraded';
}

function causesOf({ volume, engine, replicas }: RobustnessSeen): string[] {
  const scheduled = volume.status?.conditions?.find(({ type }) => type === 'Scheduled');
  const causes = [...replicas].sort(byName).flatMap((replica) => {
    const text = `replica ${replicaText(replica)}`;
    if (isFailed(replica)) return [`${text} failed: ${failureCauseOf(replica)}`];
    const mode = modeOf(engine, nameOf(replica));
    if (mode === 'RW') return [];
    if (mode === 'WO') return [`${text} is being rebuilt`];
    if ((replica.spec.nodeID ?? '') !== '') return [`${text} has not been rebuilt yet`];
    const why = scheduled?.status === 'False' ? scheduled.message : undefined;
    return [`${text} cannot be scheduled${why === undefined ? '' : `: ${why}`}`];
  });
  // A failed replica is reported already: it is reused, or replaced by a new one.
  const missing = (volume.spec.numberOfReplicas ?? 1) - replicas.length;
  if (missing > 0) causes.push(missing === 1 ? 'one replica is missing' : `${missing} replicas are missing`);
  return causes;
}

function eventOf(robustness: Robustness, causes: readonly string[]): EventWish | undefined {
  const why = causes.join('; ');
  if (robustness === 'healthy') return { type: 'Normal', reason: 'Healthy', message: 'All replicas are in use' };
  if (robustness === 'degraded') return { type: 'Warning', reason: 'Degraded', message: `Degraded, because ${why}` };
  if (robustness === 'faulted')
    return { type: 'Warning', reason: 'Faulted', message: `No replica can be used: ${why}` };
  return undefined;
}
