import { type Pod, podType } from '@lateen/api-types';
import { type ClusterInfo, clusterUp, killMachine } from '@lateen/cluster';
import { type Clock, durationText } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import type { PlannedKill } from '../kills/kill-plan.ts';
import { killProcess, podProcesses } from '../kills/pod-processes.ts';
import { cutFromAll } from '../own-clusters/cut-network/cut-node.ts';
import { readWorld, type VolumeWorld } from './health.ts';
import type { StorageKillKind } from './kill-kinds.ts';

export interface StorageKillerOptions {
  kube: KubeApi;
  clock: Clock;
  cluster: ClusterInfo;
  /** Name of the Volume. */
  volume: string;
  signal: AbortSignal;
}

/** How long a lost machine stays away, and how long a network is cut, ms: longer than an engine waits for a replica. */
const nodeAwayMs = 10_000;
const cutMs = 20_000;

/** Processes in the container of an instance manager, by their command line. */
const programs = {
  replica: /qemu-storage-daemon/,
  engine: /lateen-instance-manager\S* engine( |$)/,
  serve: /lateen-instance-manager\S* serve( |$)/,
  'front-end': /^\S*nbdfuse( |$)/,
  manager: /lateen-volume-manager\S* manager( |$)/,
  'instance-manager': /^tini |lateen-instance-manager\S* keep( |$)/,
} as const;

/** Carries out one kill of the plan. @returns what was hit; undefined when there was no target of that kind */
export async function storageKill(
  { kind, which }: PlannedKill<StorageKillKind>,
  options: StorageKillerOptions,
): Promise<string | undefined> {
  const world = await readWorld(options.kube, options.volume, options.signal);
  const attachedTo = world.volume?.status?.currentNodeID ?? '';
  switch (kind) {
    case 'replica':
      return await killIn(oneOf(which, world.instanceManagers), programs.replica);
    case 'serve':
      return await killIn(oneOf(which, world.instanceManagers), programs.serve);
    case 'engine':
    case 'front-end':
      return await killIn(
        world.instanceManagers.find(({ spec }) => spec.nodeName === attachedTo),
        programs[kind],
      );
    case 'instance-manager':
      return await killPod(oneOf(which, world.instanceManagers), programs[kind], options);
    case 'manager':
      return await killPod(oneOf(which, world.managers), programs[kind], options);
    case 'node':
      return await killNode(which, world, options);
    case 'network':
      return await cutNetwork(which, options);
    default:
      return kind satisfies never;
  }
}

function oneOf<T>(which: number, among: readonly T[]): T | undefined {
  return among[Math.floor(which * among.length)];
}

async function killIn(pod: Pod | undefined, program: RegExp): Promise<string | undefined> {
  if (pod === undefined) return undefined;
  const target = (await podProcesses(pod.metadata.uid ?? '')).find(({ command }) => program.test(command));
  return target !== undefined && killProcess(target.pid) ? `pid ${target.pid} on ${pod.spec.nodeName}` : undefined;
}

/**
 * Kills the program, or process 1 of its container and so everything in it, and then deletes the pod, so that another one replaces it. The
 * kubelet delays the restart of a container that is killed repeatedly for minutes, which would test only the kubelet.
 */
async function killPod(
  pod: Pod | undefined,
  program: RegExp,
  { kube, signal }: StorageKillerOptions,
): Promise<string | undefined> {
  if (pod === undefined) return undefined;
  const processes = await podProcesses(pod.metadata.uid ?? '');
  const targets = processes.filter(({ command }) => program.test(command));
  if (targets.length === 0) return undefined;
  for (const { pid } of targets) killProcess(pid);
  try {
    await kube.delete(podType, keyOf(pod), { gracePeriodSeconds: 0, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return `${pod.metadata.name} on ${pod.spec.nodeName}`;
}

/** Like a power cut: process 1 of the machine is killed, and everything with it; some time later the machine is started again. */
async function killNode(
  which: number,
  { volume }: VolumeWorld,
  { cluster, clock, signal }: StorageKillerOptions,
): Promise<string | undefined> {
  const node = oneOf(which, cluster.nodes);
  if (node === undefined) return undefined;
  await killMachine({ dir: cluster.dir, machine: node.name, clock });
  await clock.sleep(nodeAwayMs, signal);
  await clusterUp({ dir: cluster.dir, nodes: cluster.nodes.length, signal, clock });
  const role = volume?.status?.currentNodeID === node.name ? 'with the engine' : 'with a replica';
  return `${node.name} ${role}, away for ${durationText(nodeAwayMs)}`;
}

async function cutNetwork(
  which: number,
  { cluster, clock, signal }: StorageKillerOptions,
): Promise<string | undefined> {
  const node = oneOf(which, cluster.nodes);
  if (node === undefined) return undefined;
  const heal = await cutFromAll(node.netns);
  try {
    await clock.sleep(cutMs, signal);
  } finally {
    await heal();
  }
  return `${node.name} cut off for ${durationText(cutMs)}`;
}
