import { type CoreEvent, eventType, type Node, nodeType } from '@lateen/api-types';
import { type KubeApi, listAll, readObject } from '@lateen/kube';
import {
  type Engine,
  engineType,
  type InstanceManager,
  instanceManagerType,
  type LonghornNode,
  longhornNodeType,
  type Replica,
  replicaType,
  type Setting,
  settingType,
  snapshotType,
  storageLabels,
  type Volume,
  volumeAttachmentObjectType,
} from '@lateen/storage-types';
import { type NodeFacts, nodeFacts, readSettings, wholeSet } from '@lateen/volume-decisions';
import { listOrNone } from '../../noun/list-or-none.ts';
import { nameOf, type Surroundings, type VolumeSight } from './volume-sight.ts';

/** The input of {@link surroundingsOf}. */
export interface SurroundingObjects {
  readonly nodes: readonly LonghornNode[];
  /** The Nodes of Kubernetes; empty for users without the right to read them. */
  readonly kubernetesNodes: readonly Node[];
  readonly managers: readonly InstanceManager[];
  readonly settings: readonly Setting[];
  /** The replicas of all volumes. */
  readonly replicas: readonly Replica[];
  readonly engines: readonly Engine[];
}

/** Reads the objects that all volumes share. Kubernetes Nodes and instance managers are used when the user may read them. */
export async function findSurroundingObjects(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<SurroundingObjects> {
  const options = { namespace, signal };
  const [nodes, kubernetesNodes, managers, settings, replicas, engines] = await Promise.all([
    listAll(kube, longhornNodeType, options),
    listOrNone(kube, nodeType, { signal }),
    listOrNone(kube, instanceManagerType, options),
    listAll(kube, settingType, options),
    listAll(kube, replicaType, options),
    listAll(kube, engineType, options),
  ]);
  return {
    nodes: nodes.items,
    kubernetesNodes,
    managers,
    settings: settings.items,
    replicas: replicas.items,
    engines: engines.items,
  };
}

export const findSurroundings = async (kube: KubeApi, namespace: string, signal: AbortSignal): Promise<Surroundings> =>
  surroundingsOf(await findSurroundingObjects(kube, namespace, signal));

export function surroundingsOf(objects: SurroundingObjects): Surroundings {
  const { nodes, kubernetesNodes, managers, settings, replicas, engines } = objects;
  const known = new Map(kubernetesNodes.map((node) => [nameOf(node), node]));
  const facts = nodes.map((node): [string, NodeFacts] => {
    const name = nameOf(node);
    const down = node.status?.conditions?.find(({ type }) => type === 'Ready')?.reason === 'ManagerPodDown';
    // A user without the right to read Kubernetes Nodes gets the state that the manager has recorded.
    const unseen = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    const kubernetesNode = kubernetesNodes.length === 0 ? unseen : known.get(name);
    return [name, nodeFacts({ node, kubernetesNode, managerIsUp: down ? 'no' : 'yes', instanceManagers: managers })];
  });
  return {
    nodes: new Map(nodes.map((node) => [nameOf(node), node])),
    cluster: { nodes: new Map(facts) },
    settings: readSettings(settings).settings,
    rebuildsOn: rebuildsByNode(replicas, engines),
  };
}

/** Requested rebuilds that have not ended: their replicas do not have all data yet. */
function rebuildsByNode(replicas: readonly Replica[], engines: readonly Engine[]): Map<string, number> {
  const whole = new Set(engines.flatMap((engine) => [...wholeSet(engine)]));
  const counts = new Map<string, number>();
  for (const replica of replicas) {
    const { desireState, healthyAt = '', nodeID = '' } = replica.spec;
    if (desireState !== 'running' || healthyAt !== '' || whole.has(nameOf(replica))) continue;
    counts.set(nodeID, (counts.get(nodeID) ?? 0) + 1);
  }
  return counts;
}

/** Reads all objects that belong to one volume. */
export async function inspectVolume(
  kube: KubeApi,
  volume: Volume,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<VolumeSight> {
  const { namespace = '', name = '', uid = '' } = volume.metadata;
  const options = { namespace, signal, labelSelector: `${storageLabels.volume}=${name}` };
  const [engines, replicas, attachment, snapshots, events] = await Promise.all([
    listAll(kube, engineType, options),
    listAll(kube, replicaType, options),
    readObject(kube, volumeAttachmentObjectType, { namespace, name }, signal),
    listAll(kube, snapshotType, options),
    listOrNone<CoreEvent>(kube, eventType, { namespace, signal, fieldSelector: `involvedObject.uid=${uid}` }),
  ]);
  return {
    volume,
    engine: activeEngine(engines.items),
    replicas: replicas.items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    attachment,
    snapshots: snapshots.items,
    events,
    surroundings,
  };
}

/** The engine that serves the volume; among several only the active one does. */
export const activeEngine = (engines: readonly Engine[]): Engine | undefined =>
  engines.find(({ spec }) => spec.active === true) ?? (engines.length === 1 ? engines[0] : undefined);
