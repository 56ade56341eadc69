import { type DiskFacts, isBeingEmptied, type NodeFacts } from './cluster-facts.ts';
import { hasRoom, keepsMinimalAvailable } from './disk-room.ts';
import type { SchedulerSettings, VolumeFacts } from './place-request.ts';
import type { RefusalReason } from './refusal.ts';

/** One rule that a node or disk has to meet before anti-affinity is checked. */
export interface Filter<Facts> {
  readonly reason: RefusalReason;
  /** The reason for one that is rejected: `node-2 <because>`. */
  readonly because: string;
  passes(facts: Facts, volume: VolumeFacts, settings: SchedulerSettings): boolean;
}

const unavailable = (because: string, passes: Filter<NodeFacts>['passes']): Filter<NodeFacts> => ({
  reason: 'nodes are unavailable',
  because,
  passes,
});
const diskUnavailable = (because: string, passes: Filter<DiskFacts>['passes']): Filter<DiskFacts> => ({
  reason: 'disks are unavailable',
  because,
  passes,
});

/** The filters in order; the first one that rejects a node gives the reason. */
export const nodeFilters: readonly Filter<NodeFacts>[] = [
  unavailable('is not ready', ({ ready }) => ready),
  unavailable('has no running volume manager', ({ managerIsUp }) => managerIsUp),
  unavailable('is cordoned', ({ cordoned }, _, settings) => !cordoned || !settings.disableSchedulingOnCordonedNode),
  unavailable('does not allow scheduling', ({ allowScheduling }) => allowScheduling),
  unavailable('is being evicted', (node) => !isBeingEmptied(node)),
  unavailable('is not schedulable', ({ schedulable }) => schedulable),
  unavailable('does not have the engine image of the volume', ({ engineImages }, { image }) => engineImages.has(image)),
  {
    reason: 'tags not fulfilled',
    because: 'does not fit the node selector',
    passes: ({ tags }, { nodeSelector }, { allowEmptyNodeSelector }) =>
      carriesTags(tags, nodeSelector, allowEmptyNodeSelector),
  },
];

export const diskFilters: readonly Filter<DiskFacts>[] = [
  diskUnavailable('does not allow scheduling', ({ allowScheduling }) => allowScheduling),
  diskUnavailable('is being evicted', ({ evictionRequested }) => !evictionRequested),
  {
    reason: 'tags not fulfilled',
    because: 'does not fit the disk selector',
    passes: ({ tags }, { diskSelector }, { allowEmptyDiskSelector }) =>
      carriesTags(tags, diskSelector, allowEmptyDiskSelector),
  },
  {
    reason: 'insufficient storage',
    because: 'has promised its room to other volumes',
    passes: (disk, { sizeBytes }, { overProvisioningPercentage }) =>
      hasRoom(disk, sizeBytes, overProvisioningPercentage),
  },
  {
    reason: 'insufficient storage',
    because: 'would have less free than storage-minimal-available-percentage asks for',
    passes: (disk, { actualBytes }, { minimalAvailablePercentage }) =>
      keepsMinimalAvailable(disk, actualBytes, minimalAvailablePercentage),
  },
  // After the check of space: a full disk is not Schedulable either, and fullness is the better reason.
  diskUnavailable('is not schedulable', ({ schedulable }) => schedulable),
];

/** Whether all requested tags are present; a request without tags may be kept off nodes and disks that have tags. */
export function carriesTags(tags: readonly string[], selector: readonly string[], allowEmpty: boolean): boolean {
  if (selector.length === 0) return allowEmpty || tags.length === 0;
  return selector.every((tag) => tags.includes(tag));
}
