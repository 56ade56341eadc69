import { readFile } from 'node:fs/promises';
import { persistentVolumeType } from '@lateen/api-types';
import { findLeftovers } from '@lateen/cluster';
import type { KubeApi, KubeObject, ResourceType } from '@lateen/kube';
import { engineType, replicaType, snapshotType, volumeAttachmentObjectType, volumeType } from '@lateen/storage-types';
import { nodeViews } from '../own-clusters/replicated/node-view.ts';

const kinds = [volumeType, engineType, replicaType, snapshotType, volumeAttachmentObjectType];

/** Objects, processes, devices and folders of replicated volumes; empty when nothing is left. */
export async function volumesLeft(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string[]> {
  const lists = await Promise.all([
    ...kinds.map((type) => kube.list(type as ResourceType<KubeObject>, { namespace, signal })),
    kube.list(persistentVolumeType as ResourceType<KubeObject>, { signal }),
  ]);
  const objects = lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const views = await nodeViews(kube, namespace, signal);
  const onNodes = views.flatMap(({ node, processes, devices, replicas }) => [
    ...processes.map((each) => `process on ${node}: ${each}`),
    ...devices.map((each) => `device on ${node}: ${each}`),
    ...replicas.map((each) => `replica on ${node}: ${each}`),
  ]);
  return [...objects, ...onNodes];
}

/** Loop devices and mounts of a volume on any machine of the cluster. */
export async function devicesLeft(dir: string, volume: string): Promise<string[]> {
  const found = await findLeftovers({ dir });
  const pids = found.filter(({ kind }) => kind === 'process').map(({ name }) => name.split(' ')[0] ?? '');
  const tables = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')));
  const mounts = new Set(tables.flatMap((table) => table.split('\n')).filter((line) => line.includes(volume)));
  const loops = found.filter(({ kind, name }) => kind === 'loop device' && name.includes(volume));
  return [...loops.map(({ name }) => `loop device ${name}`), ...[...mounts].map((line) => `mount ${line}`)];
}
