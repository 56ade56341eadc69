import {
  annotations,
  type CoreEvent,
  eventType,
  type KubeObject,
  nodeType,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  podType,
  type ResourceType,
  storageClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type KubeApi, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { belongsTo } from '../api/owned-object.ts';
import type { ExposeOwner } from '../owner.ts';
import { type ClientPodOf, clientPodProblem } from '../pod-volume/client-pod.ts';
import { cacheClaimName, cacheVolumeName } from '../specs/cache-volume.ts';
import type { ExposureSeen, NodeSeen } from './exposure-seen.ts';
import type { Finding } from './finding.ts';

/** What to read beyond the objects of the owner's name. */
export interface DiagnoseScope {
  signal: AbortSignal;
  /** The workload's VolumeSnapshot of an upload. */
  snapshot?: { namespace: string; name: string } | undefined;
  /** The target claim of a download. */
  target?: { namespace: string; name: string } | undefined;
  /** The pod whose volume it is, and the node on which it must be. */
  clientPod?: ClientPodOf | undefined;
}

/** Events about one name are few, because repeats increase a count in one object; further Events are not read. */
const eventsMax = 200;

/**
 * Reads the objects of an exposure: at most 10 calls, each for one object or one page of Events. An object that may not be read
 * counts as missing, so a narrow role only costs detail.
 */
export async function gatherExposure(kube: KubeApi, owner: ExposeOwner, scope: DiagnoseScope): Promise<ExposureSeen> {
  const read = reader(kube, scope.signal);
  const key = { namespace: owner.namespace, name: owner.name };
  const ofOwner = <T extends KubeObject>(object: T | undefined) =>
    object !== undefined && belongsTo(object, owner) ? object : undefined;
  const [pod, ownClaim, ownEvents] = await Promise.all([
    read.object(podType, key).then(ofOwner),
    read.object(persistentVolumeClaimType, key).then(ofOwner),
    read.events(key),
  ]);
  const cache = await waitedCache(read, owner, pod, ownClaim);
  const claim = cache?.claim ?? ownClaim;
  const events = [...ownEvents, ...(cache?.events ?? [])];
  const nodeName = pod?.spec.nodeName || claim?.metadata.annotations?.[annotations.selectedNode];
  const [storageClass, node, snapshot, target, lostVolume] = await Promise.all([
    read.object(storageClassType, { name: claim?.spec.storageClassName ?? '' }),
    pod?.status?.phase === 'Running' ? undefined : read.node(nodeName),
    claim === undefined && scope.snapshot !== undefined ? waitedSnapshot(read, key, scope.snapshot) : undefined,
    pod === undefined && scope.target !== undefined ? waitedTarget(read, scope.target) : undefined,
    scope.clientPod === undefined ? undefined : lostVolumeOf(read, scope.clientPod),
  ]);
  return {
    owner: `${owner.namespace}/${owner.name}`,
    pod,
    claim,
    storageClass,
    node,
    ...snapshot,
    ...target,
    lostVolume,
    events: [...events, ...(snapshot?.events ?? []), ...(target?.events ?? [])],
  };
}

/** The claim for the engine's cache, when the pod waits for it. */
async function waitedCache(
  read: Reader,
  owner: ExposeOwner,
  pod: Pod | undefined,
  claim: PersistentVolumeClaim | undefined,
) {
  const hasCache = pod?.spec.volumes?.some(({ name }) => name === cacheVolumeName) === true;
  if (!hasCache || pod?.status?.phase === 'Running' || claim?.status?.phase !== 'Bound') return undefined;
  const key = { namespace: owner.namespace, name: cacheClaimName(owner) };
  const cache = await read.object(persistentVolumeClaimType, key);
  if (cache === undefined || cache.status?.phase === 'Bound') return undefined;
  return { claim: cache, events: await read.events(key) };
}

/**
 * Our snapshot as soon as there is one. A claim is made from a ready snapshot, so when the claim exists the snapshot is not read.
 */
async function waitedSnapshot(read: Reader, ours: ObjectKey, source: ObjectKey) {
  const own = await read.object(volumeSnapshotType, ours);
  const snapshot = own ?? (await read.object(volumeSnapshotType, source));
  if (snapshot === undefined || snapshot.status?.readyToUse === true) return { snapshot, events: [] };
  const name = snapshot.status?.boundVolumeSnapshotContentName ?? snapshot.spec.source.volumeSnapshotContentName ?? '';
  const [content, events] = await Promise.all([
    read.object(volumeSnapshotContentType, { name }),
    own === undefined ? read.events(source) : [],
  ]);
  return { snapshot, content, events };
}

async function waitedTarget(read: Reader, key: ObjectKey) {
  const target = await read.object(persistentVolumeClaimType, key);
  if (target === undefined) return { missingTarget: keyText(key), events: [] };
  const [targetClass, events] = await Promise.all([
    read.object(storageClassType, { name: target.spec.storageClassName ?? '' }),
    read.events(key),
  ]);
  return { target, targetClass, events };
}

/** Only a pod that was read counts: one that may not be read is not taken for gone. */
async function lostVolumeOf(read: Reader, clientPod: ClientPodOf): Promise<Finding | undefined> {
  const { namespace, name } = clientPod.pod;
  const answer = await read.answer(podType, { namespace, name });
  const problem = answer && clientPodProblem(answer.object, clientPod);
  return problem && { cause: problem.message, nextStep: problem.nextStep };
}

type Reader = ReturnType<typeof reader>;

function reader(kube: KubeApi, signal: AbortSignal) {
  /** Undefined when the object may not be read. */
  const answer = <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) =>
    ifAllowed(
      readObject(kube, type, key, signal).then((object) => ({ object })),
      undefined,
    );
  const object = async <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): Promise<T | undefined> =>
    key.name === '' ? undefined : (await answer(type, key))?.object;
  return {
    answer,
    object,
    node: async (name: string | undefined): Promise<NodeSeen | undefined> =>
      name === undefined || name === '' ? undefined : { name, node: await object(nodeType, { name }) },
    events: async ({ namespace, name }: ObjectKey): Promise<readonly CoreEvent[]> => {
      const options = { fieldSelector: `involvedObject.name=${name}`, limit: eventsMax, signal };
      const page = kube.list(eventType, { ...options, ...(namespace === undefined ? {} : { namespace }) });
      return (await ifAllowed(page, undefined))?.items ?? [];
    },
  };
}

async function ifAllowed<T, U>(reading: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (isAppError(error, 'KUBE_FORBIDDEN')) return otherwise;
    throw error;
  }
}
