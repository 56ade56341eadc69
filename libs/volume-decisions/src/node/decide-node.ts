import type { Node } from '@lateen/api-types';
import type { Condition, DiskStatus, LonghornNodeStatus } from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import type { Decision, EventWish } from '../decision/decision.ts';
import { type DiskDecision, decideDisk, type RegisterDisk } from '../disk/decide-disk.ts';
import { diskConflicts } from '../disk/disk-conflicts.ts';
import { schedulerSettingsOf } from '../settings/scheduler-settings.ts';
import { nameOf } from '../volume/replica-facts.ts';
import { replicasToEvict } from './auto-evicting.ts';
import { probedConditions, readyCondition, schedulableCondition } from './node-conditions.ts';
import type { NodeSeen } from './node-seen.ts';

/** How often disks are inspected: no API object changes when free space changes. */
export const diskLookMs = 30_000;

/** The complete status of a longhorn Node and its disks. */
export function decideNode(seen: NodeSeen, nowMs: number): Decision<LonghornNodeStatus, RegisterDisk> {
  const { node, kubernetesNode, snapshotsCheckedAt } = seen;
  const before = node.status ?? {};
  const conditions = conditionsOf(seen, nowMs);
  const disks = disksOf(seen, conditions, nowMs);
  const cordoned = kubernetesNode?.spec?.unschedulable === true;
  const leaving = replicasToEvict(nameOf(node), cordoned, seen.settings.text('node-drain-policy'), seen.replicas);
  const status: LonghornNodeStatus = {
    ...before,
    conditions,
    diskStatus: Object.fromEntries(disks.map(([name, { status }]): [string, DiskStatus] => [name, status])),
    zone: placeOf(kubernetesNode, 'zone') ?? before.zone ?? '',
    region: placeOf(kubernetesNode, 'region') ?? before.region ?? '',
    autoEvicting: leaving.length > 0,
    ...(snapshotsCheckedAt === undefined ? {} : { snapshotCheckStatus: { lastPeriodicCheckedAt: snapshotsCheckedAt } }),
  };
  return {
    status,
    effects: disks.flatMap(([, { register }]) => (register === undefined ? [] : [register])),
    events: [...eventsOf(before.conditions, conditions), ...disks.flatMap(([, { events }]) => events)],
    again: { afterMs: diskLookMs, reason: 'the free space of its disks is read again' },
  };
}

function conditionsOf(seen: NodeSeen, nowMs: number): Condition[] {
  let conditions: Condition[] = [...(seen.node.status?.conditions ?? [])];
  const ready = readyCondition(seen);
  const unknown = { status: 'Unknown', reason: 'ManagerNotKnown', message: 'leases have not been read yet' } as const;
  const known = conditions.some(({ type }) => type === 'Ready');
  if (ready !== undefined || !known)
    conditions = withCondition(conditions, { type: 'Ready', ...(ready ?? unknown) }, nowMs);
  conditions = withCondition(conditions, { type: 'Schedulable', ...schedulableCondition(seen) }, nowMs);
  for (const probed of probedConditions(seen)) conditions = withCondition(conditions, probed, nowMs);
  return conditions;
}

function disksOf(seen: NodeSeen, conditions: readonly Condition[], nowMs: number): [string, DiskDecision][] {
  const { node, host, settings, replicas } = seen;
  const found = new Map(host?.disks.map((disk) => [disk.path, disk]));
  const specs = Object.entries(node.spec.disks ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const before = (name: string): DiskStatus | undefined => node.status?.diskStatus?.[name];
  const conflicts = diskConflicts(
    specs.map(([name, { path = '' }]) => ({
      name,
      recordedUuid: before(name)?.diskUUID ?? '',
      found: found.get(path),
    })),
  );
  const ready = conditions.find(({ type }) => type === 'Ready');
  return specs.map(([name, spec]) => [
    name,
    decideDisk(
      {
        node: nameOf(node),
        name,
        spec,
        before: before(name),
        found: found.get(spec.path ?? ''),
        nodeProblem: ready?.status === 'True' ? undefined : (ready?.message ?? ''),
        conflict: conflicts.get(name),
        replicas,
        instanceManager: seen.instanceManager,
        settings: schedulerSettingsOf(settings),
        freshUuid: seen.freshUuid(name),
      },
      nowMs,
    ),
  ]);
}

const placeOf = (node: Node | undefined, what: 'zone' | 'region'): string | undefined =>
  node === undefined ? undefined : (node.metadata.labels?.[`topology.kubernetes.io/${what}`] ?? '');

function eventsOf(before: readonly Condition[] | null | undefined, after: readonly Condition[]): EventWish[] {
  return after.flatMap((condition) => {
    const { type = '', status, reason = '', message = '' } = condition;
    const was = before?.find((each) => each.type === type)?.status;
    if (status === was || (was === undefined && status === 'True')) return [];
    const event = reason === '' ? type : reason;
    return [
      { type: status === 'True' ? 'Normal' : 'Warning', reason: event, message: message || `${type} is ${status}` },
    ];
  });
}
