import type { Pod } from '@lateen/api-types';
import type { HostInfo, Instance } from '@lateen/block-engine';
import type { Condition, InstanceManager, InstanceManagerState, InstanceManagerStatus } from '@lateen/storage-types';
import { clocksDifferMs, type Decision, type EventWish, isThere, withCondition } from '@lateen/volume-decisions';
import type { DrainVerdict } from './drain-verdict.ts';
import { podDigestAnnotation } from './instance-manager-pod.ts';
import { instanceMaps } from './instance-maps.ts';
import { type PodStanding, podStanding } from './pod-condition.ts';
import type { PodDisruptionBudget } from './pod-disruption-budget.ts';

export interface InstanceManagerSeen {
  readonly manager: InstanceManager;
  readonly pod: Pod | undefined;
  readonly budget: PodDisruptionBudget | undefined;
  /** The pod as settings and node require it. */
  readonly wantedPod: Pod;
  /** The image that its node should have; "" while it is unknown. */
  readonly defaultImage: string;
  /** The longhorn Node exists and is not being deleted. */
  readonly nodeIsThere: boolean;
  /** Kubernetes reports the node as not ready, or no longer has it. */
  readonly nodeIsDown: boolean;
  /** What the watch of this pod reports. */
  readonly host: { readonly answers: boolean; readonly instances: readonly Instance[] };
  /** What the instance manager reports about itself; undefined until it was asked. */
  readonly info: HostInfo | undefined;
  readonly drain: DrainVerdict;
}

export type InstanceManagerEffect =
  | { readonly do: 'create-pod'; readonly pod: Pod }
  | { readonly do: 'delete-pod'; readonly pod: Pod; readonly why: string }
  | { readonly do: 'create-budget' }
  | { readonly do: 'delete-budget'; readonly budget: PodDisruptionBudget }
  /** Pod and budget are deleted with it. */
  | { readonly do: 'delete-manager' };

/** A pod that has ended is recreated at the earliest so long after its creation: a kubelet that refuses it is not asked without a pause. */
export const podRetryMs = 30_000;

/** An instance manager that answers but has not reported about itself is asked again after this time. */
const infoRetryMs = 10_000;

/**
 * Decides about the pod of an instance manager and its reported state. A pod in which something may run is never deleted here, neither for another
 * image nor for other settings.
 */
export function decideInstanceManager(
  seen: InstanceManagerSeen,
  nowMs: number,
): Decision<InstanceManagerStatus, InstanceManagerEffect> {
  const { manager, pod, host, info } = seen;
  const before = manager.status ?? {};
  const standing = podStanding(pod);
  const currentState = stateOf(seen, standing);
  const ip = standing.kind === 'runs' ? standing.ip : currentState === 'unknown' ? (before.ip ?? '') : '';
  const { effects, ...rest } = isUnwanted(seen, standing)
    ? { effects: [{ do: 'delete-manager' } as const] }
    : effectsOf(seen, standing, nowMs);
  const status: InstanceManagerStatus = {
    ...before,
    currentState,
    ip,
    ...(info === undefined || currentState !== 'running' ? {} : versionsOf(info)),
    ...mapsOf(seen, standing, host.instances),
    conditions: conditionsOf(seen, standing, currentState, nowMs),
  };
  const asks =
    host.answers && info === undefined ? { again: { afterMs: infoRetryMs, reason: 'it is asked what it is' } } : {};
  return { status, effects, events: eventsOf(before.currentState, currentState, standing), ...asks, ...rest };
}

function stateOf({ manager, host, nodeIsDown }: InstanceManagerSeen, standing: PodStanding): InstanceManagerState {
  if (standing.kind === 'none') return nodeIsDown ? 'unknown' : 'starting';
  if (standing.kind === 'ended') return 'error';
  // Its kubelet does not answer, so the pod's status is stale. An instance manager that answers runs nevertheless.
  if (nodeIsDown && !host.answers) return 'unknown';
  if (standing.kind === 'starting') return 'starting';
  const { currentState, ip } = manager.status ?? {};
  const ran = (currentState === 'running' || currentState === 'unknown') && ip === standing.ip;
  return standing.ready || host.answers || ran ? 'running' : 'starting';
}

/** True when certainly nothing runs in it. */
function isEmpty({ host, nodeIsThere, nodeIsDown }: InstanceManagerSeen, standing: PodStanding): boolean {
  if (standing.kind === 'ended') return true;
  if (standing.kind === 'none') return !nodeIsDown || !nodeIsThere;
  return host.answers && !host.instances.some(isThere);
}

/** It has another image than its node should have, or its node is gone. */
function isUnwanted(seen: InstanceManagerSeen, standing: PodStanding): boolean {
  const { manager, defaultImage, nodeIsThere } = seen;
  const isOld = defaultImage !== '' && manager.spec.image !== defaultImage;
  return (isOld || !nodeIsThere) && isEmpty(seen, standing);
}

type Wanted = Pick<Decision<InstanceManagerStatus, InstanceManagerEffect>, 'effects' | 'again' | 'waitsFor'>;

function effectsOf(seen: InstanceManagerSeen, standing: PodStanding, nowMs: number): Wanted {
  const budget = budgetEffects(seen);
  const pod = podEffects(seen, standing, nowMs);
  return { ...pod, effects: [...budget, ...pod.effects] };
}

function budgetEffects({ budget, drain }: InstanceManagerSeen): InstanceManagerEffect[] {
  if (drain.protect) return budget === undefined ? [{ do: 'create-budget' }] : [];
  return budget === undefined ? [] : [{ do: 'delete-budget', budget }];
}

function podEffects(seen: InstanceManagerSeen, standing: PodStanding, nowMs: number): Wanted {
  const { pod, wantedPod, nodeIsDown } = seen;
  if (pod === undefined)
    return nodeIsDown
      ? { effects: [], waitsFor: 'its node to be ready' }
      : { effects: [{ do: 'create-pod', pod: wantedPod }] };
  if (pod.metadata.deletionTimestamp !== undefined) return { effects: [], waitsFor: 'the pod before to be gone' };
  if (standing.kind === 'ended') {
    const ageMs = nowMs - Date.parse(pod.metadata.creationTimestamp ?? '');
    // A creation time in the future counts as old: a clock has jumped.
    if (ageMs > -clocksDifferMs && ageMs < podRetryMs)
      return { effects: [], again: { afterMs: podRetryMs - ageMs, reason: 'the pod is created again' } };
    return { effects: [{ do: 'delete-pod', pod, why: standing.message }] };
  }
  if (isCurrent(pod, wantedPod)) return { effects: [] };
  // A container that has never run holds nothing: the changed settings may correct what keeps it from starting.
  const hasNeverRun = standing.kind === 'starting' && (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) === 0;
  return hasNeverRun || isEmpty(seen, standing)
    ? { effects: [{ do: 'delete-pod', pod, why: 'what it is made from has changed' }] }
    : { effects: [], waitsFor: 'the volumes of the node to be detached: the pod is then made from what is set' };
}

const isCurrent = (pod: Pod, wanted: Pod): boolean =>
  pod.metadata.annotations?.[podDigestAnnotation] === wanted.metadata.annotations?.[podDigestAnnotation];

const versionsOf = ({ apiMin, apiMax }: HostInfo): InstanceManagerStatus => ({
  apiVersion: apiMax,
  apiMinVersion: apiMin,
  proxyApiVersion: apiMax,
  proxyApiMinVersion: apiMin,
});

/** While it does not answer, the last reported state is kept: its instances may run. */
function mapsOf({ host, manager }: InstanceManagerSeen, standing: PodStanding, instances: readonly Instance[]) {
  if (standing.kind === 'none' || standing.kind === 'ended') return instanceMaps([]);
  const { instanceEngines = {}, instanceReplicas = {} } = manager.status ?? {};
  return host.answers ? instanceMaps(instances) : { instanceEngines, instanceReplicas };
}

function conditionsOf(
  { manager, pod, wantedPod, host }: InstanceManagerSeen,
  standing: PodStanding,
  state: InstanceManagerState,
  nowMs: number,
): Condition[] {
  const isRunning = state === 'running';
  const { reason, message } =
    standing.kind === 'ended' || standing.kind === 'starting'
      ? standing
      : isRunning
        ? {
            reason: host.answers ? '' : 'NotAnswering',
            message: host.answers ? '' : 'the pod runs and does not answer this manager',
          }
        : { reason: state === 'unknown' ? 'NodeDown' : 'PodNotReady', message: `the instance manager is ${state}` };
  const conditions = withCondition(
    manager.status?.conditions,
    { type: 'PodReady', status: isRunning ? 'True' : 'False', reason, message },
    nowMs,
  );
  const synced = pod !== undefined && isCurrent(pod, wantedPod);
  return withCondition(
    conditions,
    {
      type: 'SettingSynced',
      status: synced ? 'True' : 'False',
      reason: synced ? '' : 'PodIsOlder',
      message: synced ? '' : 'the pod is made from what is set when nothing runs in it',
    },
    nowMs,
  );
}

function eventsOf(
  before: InstanceManagerState | undefined,
  after: InstanceManagerState,
  standing: PodStanding,
): EventWish[] {
  if (before === after) return [];
  if (after === 'running')
    return [{ type: 'Normal', reason: 'InstanceManagerRunning', message: 'the instance manager runs' }];
  if (after === 'error' && standing.kind === 'ended')
    return [
      {
        type: 'Warning',
        reason: standing.reason,
        message: `the pod of the instance manager has ended: ${standing.message}`,
      },
    ];
  if (after === 'unknown')
    return [
      {
        type: 'Warning',
        reason: 'InstanceManagerUnknown',
        message: 'its node is down and it does not answer: what runs there is not known',
      },
    ];
  return before === 'running'
    ? [
        {
          type: 'Warning',
          reason: 'InstanceManagerStarting',
          message: 'the pod of the instance manager does not run any more',
        },
      ]
    : [];
}
