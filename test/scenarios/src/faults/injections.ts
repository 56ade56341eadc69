import {
  type CoreEvent,
  eventType,
  type KubeObject,
  type Node,
  nodeType,
  type Pod,
  persistentVolumeClaimType,
  podType,
  type ResourceType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { kubeErrorFromStatus } from '@lateen/kube';
import type { World } from '../world/world.ts';
import { dataPathMessage } from './mover-words.ts';

type About = 'pod' | 'claim' | 'snapshot' | 'target';

/** Name of the movement of a world, and of all objects made for it. */
export const nameIn = (world: World): string => {
  const movement = world.upload() ?? world.download() ?? world.podVolumeBackup() ?? world.podVolumeRestore();
  return movement?.metadata.name ?? '';
};

/** The namespace of hosting pod, claim and snapshot of the movement. */
export const made = (world: World) => ({ namespace: 'velero', name: nameIn(world) });

const typeOf: Record<About, ResourceType> = {
  pod: podType,
  claim: persistentVolumeClaimType,
  snapshot: volumeSnapshotType,
  target: persistentVolumeClaimType,
};

/** An Event as the named component records it, now. */
export function told(world: World, about: About, reason: string, message: string, component = ''): void {
  const type = typeOf[about];
  const sourceKey = { namespace: 'app', name: about === 'target' ? 'data' : 'snapshot' };
  const key = about === 'target' || about === 'snapshot' ? sourceKey : made(world);
  const object = world.cluster.find(type as ResourceType<KubeObject>, key);
  const at = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const event: CoreEvent = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace: key.namespace,
      name: `${key.name}.${about}.${reason}.${world.cluster.all(eventType).length}`,
    },
    involvedObject: {
      kind: type.kind,
      ...key,
      ...(object?.metadata.uid === undefined ? {} : { uid: object.metadata.uid }),
    },
    reason,
    message,
    type: 'Warning',
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
  };
  world.cluster.put(event);
}

/** The scheduler has processed the hosting pod and found no node. */
export function unschedulable(world: World, message: string): void {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  world.cluster.setPodPhase(made(world), 'Pending', { conditions: [condition] });
  told(world, 'pod', 'FailedScheduling', message, 'default-scheduler');
}

/** The hosting pod is on a node, where its container does not start. */
export function waits(world: World, reason: string, message?: string): void {
  const waiting = message === undefined ? { reason } : { reason, message };
  world.cluster.setPodPhase(made(world), 'Pending', { nodeName: 'node-1', waiting });
}

/** The hosting pod has ended, with the kubelet's reason and message. */
export function podEnds(world: World, reason: string, message: string): void {
  world.cluster.change<Pod>(podType, made(world), (pod) => {
    pod.spec.nodeName ??= 'node-1';
    pod.status = { phase: 'Failed', reason, message };
  });
}

/** A component that is about to evict the pod sets this condition first (Kubernetes: "Pod disruption conditions"). */
export function disrupted(world: World, reason: string, message: string): void {
  world.cluster.change<Pod>(podType, made(world), (pod) => {
    const condition = { type: 'DisruptionTarget', status: 'True' as const, reason, message };
    pod.status = { ...pod.status, conditions: [...(pod.status?.conditions ?? []), condition] };
  });
}

/** Rejects every creation of this kind with this status and message. */
export function refused(world: World, type: ResourceType, httpStatus: number, reason: string, message: string): void {
  const error = kubeErrorFromStatus(httpStatus, { kind: 'Status', status: 'Failure', reason, message }, '');
  world.cluster.intercept(async (call, next) => {
    if (call.verb === 'create' && call.type.resource === type.resource) throw error;
    return await next();
  });
}

/** The running mover does this work and ends as ours does when the work fails. */
export async function moverFails(world: World, work: () => unknown): Promise<void> {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => new Error('the inject fault did not fail'),
      (failure: unknown) => failure,
    );
  const terminationMessage = dataPathMessage(nameIn(world), describeError(error));
  world.cluster.setPodPhase(made(world), 'Failed', { terminationMessage });
}

/** The kubelet of a node has stopped reporting, as the node lifecycle controller sees it. */
export function nodeIsSilent(world: World, name: string): void {
  world.cluster.change<Node>(nodeType, { name }, (node) => {
    const silent = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
    node.status = { ...node.status, conditions: [{ type: 'Ready', status: 'Unknown', ...silent }] };
  });
}
