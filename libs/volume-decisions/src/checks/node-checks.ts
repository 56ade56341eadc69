import type { DiskSpec, DiskStatus, LonghornNodeSpec } from '@lateen/storage-types';
import { type Check, firstRefusal, type Refusal } from './check.ts';

export interface NodeUpdateSeen {
  readonly name: string;
  readonly before: LonghornNodeSpec;
  readonly after: LonghornNodeSpec;
  readonly diskStatus: Readonly<Record<string, DiskStatus>>;
}
type NodeCheck = Check<NodeUpdateSeen>;

export const nodeEvictionNeedsNoScheduling: NodeCheck = ({ name, after }) =>
  after.evictionRequested === true && after.allowScheduling === true
    ? `need to disable scheduling on node ${name} for node eviction, or cancel the eviction to enable scheduling`
    : undefined;

export const diskEvictionNeedsNoScheduling: NodeCheck = ({ after }) => {
  const wrong = Object.entries(after.disks ?? {}).find(
    ([, disk]) => disk.evictionRequested === true && disk.allowScheduling === true,
  );
  return wrong === undefined
    ? undefined
    : `need to disable scheduling on disk ${wrong[0]} for disk eviction, or cancel the eviction to enable scheduling`;
};

/** Disks may change only when the status of the node reflects the last change: until then the contents of a disk are not known. */
export const disksAreSynced: NodeCheck = ({ name, before, after, diskStatus }) => {
  if (JSON.stringify(sorted(before.disks)) === JSON.stringify(sorted(after.disks))) return undefined;
  const [specs, statuses] = [Object.keys(before.disks ?? {}), Object.keys(diskStatus)];
  return specs.length === statuses.length && specs.every((disk) => statuses.includes(disk))
    ? undefined
    : `spec and status of disks on node ${name} are being syncing and please retry later.`;
};

/** A disk may be removed only when it is empty and its scheduling is off. */
export const removedDisksAreEmpty: NodeCheck = ({ before, after, diskStatus }) => {
  for (const [disk, spec] of Object.entries(before.disks ?? {})) {
    if (after.disks?.[disk] !== undefined) continue;
    const { scheduledReplica, scheduledBackingImage } = diskStatus[disk] ?? {};
    const held = Object.keys({ ...scheduledReplica, ...scheduledBackingImage }).length;
    if (spec.allowScheduling === true || held > 0)
      return `Please disable the disk ${disk} and remove all replicas and backing images first`;
  }
  return undefined;
};

export const tagsAreValid: NodeCheck = ({ after }) =>
  checkTags([...(after.tags ?? []), ...Object.values(after.disks ?? {}).flatMap(({ tags = [] }) => tags)]);

/** Tags have the form of a label's value. */
export function checkTags(tags: readonly string[]): Refusal {
  const wrong = tags.filter((tag) => !/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(tag));
  if (wrong.length === 0) return undefined;
  const names = wrong.map((tag) => JSON.stringify(tag)).join(', ');
  return `at least one error encountered while validating tags: invalid ${names}: a tag has at most 63 letters, digits, dashes, dots and underscores, with a letter or digit at both ends`;
}

export const nodeUpdateChecks: readonly NodeCheck[] = [
  nodeEvictionNeedsNoScheduling,
  diskEvictionNeedsNoScheduling,
  tagsAreValid,
  disksAreSynced,
  removedDisksAreEmpty,
];

export const checkNodeUpdate = (seen: NodeUpdateSeen): Refusal => firstRefusal(nodeUpdateChecks, seen);

export interface NodeDeletionSeen {
  readonly name: string;
  /** The Kubernetes node exists and is Ready. */
  readonly isReady: boolean;
  readonly allowScheduling: boolean;
  readonly replicas: number;
  readonly engines: number;
}

/** A node may be deleted when it is gone from Kubernetes or down, its scheduling is off and it has no replicas. */
export function checkNodeDeletion({ name, isReady, allowScheduling, replicas, engines }: NodeDeletionSeen): Refusal {
  const reasons = [
    isReady ? 'it is ready' : undefined,
    allowScheduling ? 'it allows scheduling' : undefined,
    replicas > 0 ? `it has replicas (${replicas})` : undefined,
    engines > 0 ? `it has engines (${engines})` : undefined,
  ].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? undefined : `could not delete node ${name}: ${reasons.join(', ')}`;
}

const sorted = (disks: Readonly<Record<string, DiskSpec>> = {}) =>
  Object.entries(disks)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => [name, Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1))]);
