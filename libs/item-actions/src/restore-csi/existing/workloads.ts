import { annotations, type KubeObject, type Pod, podType, type ResourceType, type Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, listAll, readObject } from '@lateen/kube';
import { type WaitGonePorts, waitGone } from '@lateen/kube-runtime';

interface Workload extends KubeObject {
  spec: { replicas?: number };
}

const appsType = (kind: string, resource: string): ResourceType<Workload> => ({
  group: 'apps',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});

const replicaSetType = appsType('ReplicaSet', 'replicasets');

/** Whether workloads may be scaled down so that their volumes can be written. */
export const mayScale = ({ metadata }: Restore): boolean =>
  metadata.annotations?.[annotations.scaleWorkloads] === 'true';

/** Kinds that set their number of pods in their own spec; the controller of another kind would create its pods again. */
const scaledTypes = [appsType('Deployment', 'deployments'), appsType('StatefulSet', 'statefulsets'), replicaSetType];

/** The time limit for pods to end: each pod sets its own grace period. */
const goneTimeoutMs = 600_000;

/** Pods that use the claim and have not ended. */
export async function usersOf(
  kube: KubeApi,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<Pod[]> {
  const { items } = await listAll(kube, podType, { namespace, signal });
  return items.filter(
    ({ spec, status }) =>
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed' &&
      spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
  );
}

/**
 * Scales the workloads of the pods to zero, and waits until the pods are gone. Each workload gets an annotation with its previous
 * number of pods, which {@link scaleUp} reads. Safe to repeat. @throws AppError WORKLOAD_NOT_SCALABLE before anything is written,
 * STILL_THERE
 */
export async function scaleDown(
  ports: WaitGonePorts,
  restore: Restore,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<void> {
  const { kube } = ports;
  const owners = await Promise.all(pods.map((pod) => workloadOf(kube, pod, signal)));
  for (const { type, workload } of distinct(owners)) {
    if (workload.spec.replicas === 0) continue;
    const note = `${restore.metadata.uid}/${workload.spec.replicas ?? 1}`;
    const body = {
      metadata: { annotations: { [annotations.scaledDown]: note } },
      spec: { replicas: 0 },
    };
    await kube.patch(type, keyOf(workload), { type: 'merge', body }, { signal });
  }
  await Promise.all(pods.map((pod) => waitGone(ports, podType, pod, { timeoutMs: goneTimeoutMs, signal })));
}

interface Owner {
  type: ResourceType<Workload>;
  workload: Workload;
}

async function workloadOf(kube: KubeApi, pod: Pod, signal: AbortSignal): Promise<Owner> {
  let found: Owner | undefined;
  for (let of: KubeObject = pod; ; ) {
    const reference = of.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const type = scaledTypes.find(({ kind }) => kind === reference?.kind && reference.apiVersion === 'apps/v1');
    // A ReplicaSet of a Deployment is scaled through the Deployment; any other owner of a workload would revert our write.
    if (reference !== undefined && type === undefined) throw notScalable(pod, `${reference.kind} ${reference.name}`);
    if (reference === undefined || type === undefined) break;
    const key = { namespace: pod.metadata.namespace ?? '', name: reference.name };
    const workload = await readObject(kube, type, key, signal);
    if (workload === undefined) break;
    found = { type, workload };
    of = workload;
  }
  if (found === undefined) throw notScalable(pod, 'nobody');
  return found;
}

function notScalable({ metadata }: Pod, owner: string): AppError {
  return new AppError(
    'WORKLOAD_NOT_SCALABLE',
    `pod ${metadata.namespace}/${metadata.name} is of ${owner}, which a restore cannot scale down`,
    { nextStep: `Stop it by hand, and restore again. Pods are waited for ${durationText(goneTimeoutMs)}.` },
  );
}

const distinct = (owners: readonly Owner[]): Owner[] => [
  ...new Map(owners.map((owner) => [owner.workload.metadata.uid, owner])).values(),
];

/** Restores the number of pods of a namespace's workloads that the restore has scaled down. Safe to repeat. */
export async function scaleUp(kube: KubeApi, restore: Restore, namespace: string, signal: AbortSignal): Promise<void> {
  for (const { type, workload, replicas } of await scaledDownBy(kube, restore, namespace, signal)) {
    const body = { metadata: { annotations: { [annotations.scaledDown]: null } }, spec: { replicas } };
    try {
      await kube.patch(type, keyOf(workload), { type: 'merge', body }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/**
 * The workloads that {@link scaleDown} has scaled down and that are not scaled up again. This includes a ReplicaSet with the
 * annotation of its Deployment, which the Deployment's controller copies: it has to be removed from both.
 * @param namespace undefined for all
 */
export async function scaledDownBy(
  kube: KubeApi,
  restore: Restore,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<(Owner & { replicas: number })[]> {
  const found: (Owner & { replicas: number })[] = [];
  for (const type of scaledTypes) {
    const { items } = await listAll(kube, type, { ...(namespace === undefined ? {} : { namespace }), signal });
    for (const workload of items) {
      const replicas = replicasBefore(restore, workload);
      if (replicas !== undefined) found.push({ type, workload, replicas });
    }
  }
  return found;
}

/**
 * The workload's number of pods before this restore scaled it down; undefined when it was not scaled down, or is scaled up again.
 */
export function replicasBefore(restore: Restore, { metadata }: Pick<KubeObject, 'metadata'>): number | undefined {
  const [uid, replicas] = metadata.annotations?.[annotations.scaledDown]?.split('/') ?? [];
  return uid === restore.metadata.uid && uid !== undefined ? Number(replicas) : undefined;
}
