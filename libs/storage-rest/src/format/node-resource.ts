import type { DiskSpec, DiskStatus, LonghornNode } from '@lateen/storage-types';
import { type Json, type JsonFields, type Resource, resource } from '../envelope/resource.ts';
import { conditionMap } from './conditions.ts';
import { given, nameOf } from './given.ts';

export interface NodeSeenByApi {
  readonly node: LonghornNode;
  /** Address of the manager's pod there; empty when there is none. */
  readonly address: string;
}

/** A node with its disks. */
export function nodeResource({ node, address }: NodeSeenByApi, base: string): Resource {
  const { spec, status = {} } = node;
  const disks = Object.entries(spec.disks ?? {}).map(([disk, one]) => [
    disk,
    diskFields(one, status.diskStatus?.[disk] ?? {}),
  ]);
  const fields: JsonFields = {
    name: nameOf(node),
    address,
    allowScheduling: spec.allowScheduling ?? false,
    evictionRequested: spec.evictionRequested ?? false,
    disks: Object.fromEntries(disks),
    conditions: conditionMap(status.conditions),
    tags: spec.tags ?? [],
    region: status.region ?? '',
    zone: status.zone ?? '',
    instanceManagerCPURequest: spec.instanceManagerCPURequest ?? 0,
    autoEvicting: status.autoEvicting ?? false,
  };
  return resource({ type: 'node', id: nameOf(node), fields, actions: ['diskUpdate'] }, base);
}

/** Free space is rounded to these steps, so that the answer does not change with every write. */
const availableStepBytes = 100 * 1024 * 1024;

const diskFields = (spec: DiskSpec, status: DiskStatus): JsonFields => ({
  diskType: spec.diskType ?? '',
  path: spec.path ?? '',
  diskDriver: spec.diskDriver ?? '',
  allowScheduling: spec.allowScheduling ?? false,
  evictionRequested: spec.evictionRequested ?? false,
  storageReserved: spec.storageReserved ?? 0,
  tags: spec.tags ?? [],
  conditions: conditionMap(status.conditions),
  storageAvailable: Math.floor((status.storageAvailable ?? 0) / availableStepBytes) * availableStepBytes,
  storageScheduled: status.storageScheduled ?? 0,
  storageMaximum: status.storageMaximum ?? 0,
  scheduledReplica: status.scheduledReplica ?? {},
  scheduledBackingImage: status.scheduledBackingImage ?? {},
  diskUUID: status.diskUUID ?? '',
  ...given({
    healthData: status.healthData as Json | undefined,
    healthDataLastCollectedAt: status.healthDataLastCollectedAt,
  }),
});

/** A tag that any node or disk has; its link leads to the list, because there is no route for one. */
export const tagResource = (tagType: 'disk' | 'node', name: string, base: string): Resource =>
  resource({ type: 'tag', id: name, fields: { name, tagType }, self: `${base}/v1/${tagType}tags` }, base);
