import { type Node, nodeType, type Pod, podType } from '@lateen/api-types';
import { type KubeApi, readObject } from '@lateen/kube';
import {
  type Engine,
  engineType,
  type Replica,
  replicaType,
  storageLabels,
  storageLabelValues,
  type Volume,
  volumeType,
} from '@lateen/storage-types';

export const storageNamespace = 'longhorn-system';
const ofVolume = (volume: string) => `${storageLabels.volume}=${volume}`;
export const instanceManagerSelector = `${storageLabels.component}=${storageLabelValues.instanceManager}`;
export const managerSelector = 'app.kubernetes.io/name=volume-manager';

/** A volume and all objects that it depends on. */
export interface VolumeWorld {
  volume: Volume | undefined;
  engines: readonly Engine[];
  replicas: readonly Replica[];
  instanceManagers: readonly Pod[];
  managers: readonly Pod[];
  nodes: readonly Node[];
}

export async function readWorld(kube: KubeApi, volume: string, signal: AbortSignal): Promise<VolumeWorld> {
  const here = { namespace: storageNamespace, signal };
  const [one, engines, replicas, instanceManagers, managers, nodes] = await Promise.all([
    readObject(kube, volumeType, { namespace: storageNamespace, name: volume }, signal),
    kube.list<Engine>(engineType, { ...here, labelSelector: ofVolume(volume) }),
    kube.list<Replica>(replicaType, { ...here, labelSelector: ofVolume(volume) }),
    kube.list(podType, { ...here, labelSelector: instanceManagerSelector }),
    kube.list(podType, { ...here, labelSelector: managerSelector }),
    kube.list(nodeType, { signal }),
  ]);
  return {
    volume: one,
    engines: engines.items,
    replicas: replicas.items,
    instanceManagers: instanceManagers.items,
    managers: managers.items,
    nodes: nodes.items,
  };
}

/** A pure function that returns why the volume is not healthy with that many replicas; undefined when it is. */
export function problemOf(world: VolumeWorld, replicas: number): string | undefined {
  const { volume, engines, nodes } = world;
  const down = nodes.filter(({ status }) => !isReady(status?.conditions)).map(({ metadata }) => metadata.name);
  if (down.length > 0) return `nodes are not ready: ${down.join(', ')}`;
  const missing = podProblem('instance managers', world.instanceManagers, nodes.length);
  if (missing !== undefined) return missing;
  const managers = podProblem('managers', world.managers, nodes.length);
  if (managers !== undefined) return managers;
  const { state = 'gone', robustness = 'unknown' } = volume?.status ?? {};
  if (state !== 'attached' || robustness !== 'healthy') return `the volume is ${state} and ${robustness}`;
  const modes = Object.entries(engines[0]?.status?.replicaModeMap ?? {});
  if (engines.length !== 1 || modes.length !== replicas || modes.some(([, mode]) => mode !== 'RW'))
    return `${engines.length} engines; replicas: ${modes.map(([name, mode]) => `${name} ${mode}`).join(', ')}`;
  if (engines[0]?.status?.currentState !== 'running') return `its engine is ${engines[0]?.status?.currentState}`;
  if ((engines[0]?.status?.endpoint ?? '') === '') return 'it has no device';
  const failed = world.replicas.filter(({ spec }) => (spec.failedAt ?? '') !== '');
  if (failed.length > 0 || world.replicas.length !== replicas)
    return `${world.replicas.length} replicas, of which ${failed.length} have failed`;
  return undefined;
}

function podProblem(what: string, pods: readonly Pod[], wanted: number): string | undefined {
  const ready = pods.filter(
    ({ status, metadata }) => metadata.deletionTimestamp === undefined && isReady(status?.conditions),
  );
  return ready.length === wanted ? undefined : `${ready.length} of ${wanted} ${what} are ready`;
}

const isReady = (conditions: readonly { type: string; status: string }[] | undefined): boolean =>
  conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
