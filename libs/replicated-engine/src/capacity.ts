import { nodeType } from '@lateen/api-types';
import type { Call, Parameters, Topology } from '@lateen/block-engine';
import { listAll } from '@lateen/kube';
import { longhornNodeType } from '@lateen/storage-types';
import {
  type DiskFacts,
  isBeingEmptied,
  keepsMinimalAvailable,
  type NodeFacts,
  nodeFacts,
  type SchedulerSettings,
  schedulerSettingsOf,
  withVolumeDefaults,
} from '@lateen/volume-decisions';
import { settingsOf } from './create-volume.ts';
import type { EngineDeps } from './engine-deps.ts';
import { readParameters } from './parameters.ts';
import { volumeBytesMax } from './volume-size.ts';

export interface Capacity {
  readonly availableBytes: bigint;
  readonly largestBytes: bigint;
}

interface Wanted {
  readonly replicas: number;
  readonly nodeSelector: readonly string[];
  readonly diskSelector: readonly string[];
  /** The only node that counts: replicas are elsewhere than their volume, unless it is strict-local. */
  readonly onlyNode: string | undefined;
}

/** @throws AppError `INVALID_ARGUMENT` for parameters that no volume has */
export async function capacityReplicated(
  deps: EngineDeps,
  where: Topology | undefined,
  parameters: Parameters,
  o: Call,
): Promise<Capacity> {
  o.signal.throwIfAborted();
  const settings = await settingsOf(deps, o);
  const spec = withVolumeDefaults(readParameters(parameters).spec, settings);
  const nodes = await nodesNow(deps, o);
  const { dataLocality, numberOfReplicas = 1, nodeSelector = [], diskSelector = [] } = spec;
  const onlyNode = dataLocality === 'strict-local' ? where?.node : undefined;
  return capacityOf(
    nodes,
    { replicas: numberOfReplicas, nodeSelector, diskSelector, onlyNode },
    schedulerSettingsOf(settings),
  );
}

/** All nodes with their disks, as far as it matters for room. */
export async function nodesNow(deps: EngineDeps, o: Call): Promise<NodeFacts[]> {
  const { items } = await listAll(deps.kube, longhornNodeType, { namespace: deps.namespace, ...o });
  const ofKubernetes = new Map((await listAll(deps.kube, nodeType, o)).items.map((node) => [node.metadata.name, node]));
  return items.map((node) =>
    nodeFacts({
      node,
      kubernetesNode: ofKubernetes.get(node.metadata.name),
      managerIsUp: 'yes',
      instanceManagers: [],
    }),
  );
}

/**
 * Pure. One replica per node: as one volume, what the node with least room has among the roomiest that it needs. Where there are fewer
 * nodes than replicas, a volume has fewer, and is degraded.
 */
export function capacityOf(nodes: readonly NodeFacts[], wanted: Wanted, settings: SchedulerSettings): Capacity {
  const rooms = nodes
    .filter((node) => mayTake(node, wanted, settings))
    .map((node) => roomOf(node, wanted, settings))
    .filter(({ sum }) => sum > 0n);
  const count = Math.min(wanted.replicas, rooms.length);
  if (count === 0) return { availableBytes: 0n, largestBytes: 0n };
  const largest = rooms.map(({ best }) => best).sort((a, b) => (a < b ? 1 : -1))[count - 1] ?? 0n;
  const sum = rooms.reduce((bytes, room) => bytes + room.sum, 0n);
  return { availableBytes: sum / BigInt(count), largestBytes: largest < volumeBytesMax ? largest : volumeBytesMax };
}

function mayTake(node: NodeFacts, { nodeSelector, onlyNode }: Wanted, settings: SchedulerSettings): boolean {
  const tagsFit =
    nodeSelector.length === 0
      ? settings.allowEmptyNodeSelector || node.tags.length === 0
      : nodeSelector.every((tag) => node.tags.includes(tag));
  const isOpen = node.ready && node.schedulable && node.allowScheduling && !isBeingEmptied(node);
  const isFree = !node.cordoned || !settings.disableSchedulingOnCordonedNode;
  return isOpen && isFree && tagsFit && (onlyNode === undefined || onlyNode === node.name);
}

function roomOf({ disks }: NodeFacts, { diskSelector }: Wanted, settings: SchedulerSettings) {
  const rooms = disks
    .filter((disk) => diskMayTake(disk, diskSelector, settings))
    .map((disk) => diskRoom(disk, settings));
  return {
    best: rooms.reduce((most, room) => (room > most ? room : most), 0n),
    sum: rooms.reduce((all, room) => all + room, 0n),
  };
}

function diskMayTake(disk: DiskFacts, diskSelector: readonly string[], settings: SchedulerSettings): boolean {
  const tagsFit =
    diskSelector.length === 0
      ? settings.allowEmptyDiskSelector || disk.tags.length === 0
      : diskSelector.every((tag) => disk.tags.includes(tag));
  return disk.schedulable && disk.allowScheduling && !disk.evictionRequested && tagsFit;
}

/** The largest replica that the scheduler would put there: what over-provisioning leaves, while the disk is not too full today. */
function diskRoom(disk: DiskFacts, settings: SchedulerSettings): bigint {
  if (!keepsMinimalAvailable(disk, 0n, settings.minimalAvailablePercentage)) return 0n;
  const allowed = ((disk.storageMaximum - disk.storageReserved) * BigInt(settings.overProvisioningPercentage)) / 100n;
  const room = allowed - disk.storageScheduled;
  return room > 0n ? room : 0n;
}
