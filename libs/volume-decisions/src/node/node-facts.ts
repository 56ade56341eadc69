import type { Node } from '@lateen/api-types';
import type { DiskSpec, DiskStatus, InstanceManager, LonghornNode } from '@lateen/storage-types';
import { bytesOf } from '../disk/bytes-of.ts';
import type { Availability } from '../owner/decide-owner.ts';
import type { DiskFacts, NodeFacts } from '../scheduler/cluster-facts.ts';
import { nameOf } from '../volume/replica-facts.ts';
import { conditionOf } from './node-conditions.ts';

export interface NodeFactsSeen {
  readonly node: LonghornNode;
  readonly kubernetesNode?: Node | undefined;
  /** `managerAvailability` of the node. */
  readonly managerIsUp: Availability;
  /** All objects of this kind in the cluster. */
  readonly instanceManagers: readonly InstanceManager[];
}

/** A node as the scheduler sees it. Unknown facts count against it, so that no replica is placed because of a wrong assumption. */
export function nodeFacts({ node, kubernetesNode, managerIsUp, instanceManagers }: NodeFactsSeen): NodeFacts {
  const name = nameOf(node);
  const { spec, status = {} } = node;
  const isThere = kubernetesNode !== undefined && node.metadata.deletionTimestamp === undefined;
  const images = instanceManagers
    .filter(({ spec: { nodeID }, status: state }) => nodeID === name && state?.currentState === 'running')
    .flatMap(({ spec: { image = '' } }) => (image === '' ? [] : [image]));
  const disks = Object.entries(spec.disks ?? {}).flatMap(([disk, each]) =>
    diskFactsOf(disk, each, status.diskStatus?.[disk]),
  );
  return {
    name,
    zone: status.zone ?? '',
    ready: isThere && conditionOf(node, 'Ready')?.status === 'True',
    schedulable: conditionOf(node, 'Schedulable')?.status === 'True',
    allowScheduling: spec.allowScheduling === true,
    evictionRequested: spec.evictionRequested === true,
    autoEvicting: status.autoEvicting === true,
    cordoned: kubernetesNode?.spec?.unschedulable === true,
    managerIsUp: managerIsUp === 'yes',
    engineImages: new Set(images),
    tags: spec.tags ?? [],
    disks: disks.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Empty for a disk without an identity: no replica can be on it. */
function diskFactsOf(name: string, spec: DiskSpec, status: DiskStatus | undefined): DiskFacts[] {
  const diskID = status?.diskUUID ?? '';
  if (status === undefined || diskID === '') return [];
  const holds = (type: string): boolean =>
    status.conditions?.find((condition) => condition.type === type)?.status === 'True';
  const [maximum, available, scheduled, reserved] = [
    status.storageMaximum,
    status.storageAvailable,
    status.storageScheduled,
    spec.storageReserved ?? 0,
  ].map(bytesOf);
  const isKnown = [maximum, available, scheduled, reserved].every((bytes) => bytes !== undefined);
  // Another path may be another disk: the status has to follow first.
  const isSame = status.diskPath === spec.path;
  return [
    {
      name,
      diskID,
      path: spec.path ?? '',
      schedulable: holds('Ready') && holds('Schedulable') && isKnown && isSame,
      allowScheduling: spec.allowScheduling === true,
      evictionRequested: spec.evictionRequested === true,
      tags: spec.tags ?? [],
      storageMaximum: maximum ?? 0n,
      storageAvailable: available ?? 0n,
      storageReserved: reserved ?? 0n,
      storageScheduled: scheduled ?? 0n,
    },
  ];
}
