import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pod, podType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { storageLabels, storageLabelValues } from '@lateen/storage-types';
import { podProcesses } from '../../kills/pod-processes.ts';

/** The state of replicated volumes on one node, read without the instance manager. */
export interface NodeView {
  node: string;
  /** Processes of the pod other than the instance manager: storage daemons, engines, nbdfuse. */
  processes: string[];
  /** Links to devices. */
  devices: string[];
  /** Folders of replicas on the node's disk. */
  replicas: string[];
}

export const nothingOn = (node: string): NodeView => ({ node, processes: [], devices: [], replicas: [] });

const selector = `${storageLabels.component}=${storageLabelValues.instanceManager}`;

/** Of every node with an instance manager, by name. */
export async function nodeViews(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<NodeView[]> {
  const { items } = await kube.list(podType, { namespace, labelSelector: selector, signal });
  const views = await Promise.all(items.map(viewOf));
  return views.toSorted((a, b) => a.node.localeCompare(b.node));
}

/** `tini`, `keep`, `serve`, the `cat` that holds the lock of its socket while `serve` runs, and the pause process. */
const ofInstanceManager = /^(tini|\/\S*pause)|^(\S*\/)?(flock .*)?cat$|lateen-instance-manager\S* (keep|serve)( |$)/;

async function viewOf({ metadata, spec }: Pod): Promise<NodeView> {
  const all = await podProcesses(metadata.uid ?? '');
  const manager = all.find(({ command }) => / (keep|serve)( |$)/.test(command));
  if (manager === undefined) throw new Error(`the instance manager ${metadata.name} does not run`);
  const root = `/proc/${manager.pid}/root`;
  const devices = await namesIn(join(root, 'dev', 'longhorn'));
  return {
    node: spec.nodeName ?? '',
    processes: all.filter(({ command }) => !ofInstanceManager.test(command)).map(({ command }) => command),
    devices: await Promise.all(
      devices.map(async (name) => `${name} -> ${await readlink(join(root, 'dev/longhorn', name))}`),
    ),
    replicas: await namesIn(join(root, 'host/var/lib/longhorn/replicas')),
  };
}

const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => []);
