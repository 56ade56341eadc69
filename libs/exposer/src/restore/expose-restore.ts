import { type PersistentVolumeClaim, persistentVolumeClaimType, podType } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, type ObjectKey } from '@lateen/kube';
import { copyBeside } from '../api/copied-objects.ts';
import { createHostingPod } from '../api/create-hosting-pod.ts';
import { createOwned } from '../api/owned-object.ts';
import { readNodeAgent } from '../api/read-node-agent.ts';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import { lendVolume } from '../lent/lend-volume.ts';
import type { ExposeOwner } from '../owner.ts';
import { podResourcesFor } from '../settings/choose-pod-resources.ts';
import { loadAffinityFor } from '../settings/load-affinity.ts';
import { cacheVolumeClaim, cacheVolumeGiB } from '../specs/cache-volume.ts';
import { requireFitMover } from '../specs/fit-data-mover.ts';
import { openedPatch } from '../specs/hosting-pod.ts';
import { requireLinux } from '../specs/node-os.ts';
import { requiredInEach } from '../specs/placement.ts';
import { restorePod } from '../specs/restore-pod.ts';
import { restoreVolumeClaim } from '../specs/restore-volume.ts';
import { tellRemark } from '../tell-remark.ts';
import { type ExistingTarget, existingTarget } from './existing-target.ts';
import { readyTargetClaim, type TargetClaim } from './target-claim.ts';

/** The target of the restore; from DataDownload.spec. */
export interface RestoreExposeParam {
  targetNamespace: string;
  targetClaim: string;
  /** The restore creates the download before the claim, so a missing claim is waited for. */
  targetComesLater?: boolean;
  /** DataDownload.spec.restoreType is set: the data goes into the volume that the claim has, and the claim keeps that volume. */
  inPlace?: boolean;
  /** The name of that volume; "" and absent mean any that the claim has. */
  targetVolume?: string;
  /** DataDownload.spec.datamover. */
  dataMover?: string | undefined;
  /** DataDownload.spec.nodeOS; `auto` and absent read as linux. */
  nodeOS: string | undefined;
  /** DataDownload.spec.snapshotSize; 0 and absent mean unknown. */
  dataBytes?: number | undefined;
  /** A Go duration, passed to the data mover unchanged. */
  operationTimeout: string;
  /** The same in ms. */
  operationTimeoutMs: number;
}

export const targetKeyOf = ({ targetNamespace, targetClaim }: RestoreExposeParam) => ({
  namespace: targetNamespace,
  name: targetClaim,
});

/**
 * Makes a hosting pod on a new volume that will be handed to the target claim (data-movement.md section 5). The pod is created
 * before the claim, so that a cluster which refuses the pod (quota, admission) never creates the volume; a scheduling gate holds
 * the pod back until the volume exists. Safe to repeat. Resolves when the gate is removed, not when the pod runs.
 * @throws EXPOSE_… naming what is missing and the next step; the signal's reason. What was made stays: call cleanUp.
 */
export async function exposeRestore(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const { kube, settings = {} } = ports;
  requireLinux(param.nodeOS, `${owner.kind} ${owner.namespace}/${owner.name}`);
  const [target, inherited] = await Promise.all([
    targetOf(ports, param, signal),
    readNodeAgent(kube, owner.namespace, signal),
  ]);
  const { claim, selectedNode } = target;
  requireFitMover({
    dataMover: param.dataMover,
    volumeMode: claim.spec.volumeMode,
    claim: targetKeyOf(param),
    nextStep: 'Restore into a claim with volumeMode Block; a resource modifier can change the claim of a backup.',
  });
  const storageClass = claim.spec.storageClassName ?? '';
  const cacheGiB = cacheVolumeGiB(settings.cachePVC, param.dataBytes);
  const { resources, remark } = podResourcesFor(settings, claim, storageClass);
  tellRemark(ports, owner, remark);
  const pod = restorePod({
    owner,
    inherited,
    volumeMode: claim.spec.volumeMode ?? 'Filesystem',
    selectedNode,
    nodeTerms: requiredInEach([], loadAffinityFor(settings.loadAffinity, storageClass)),
    operationTimeout: param.operationTimeout,
    resources,
    cacheVolume: cacheGiB > 0,
    settings,
  });
  const volumeSize = claim.spec.resources?.requests?.storage;
  await createHostingPod(ports, pod, owner, { volumeSize, timeoutMs: param.operationTimeoutMs, signal });
  const key = { namespace: owner.namespace, name: owner.name };
  await Promise.all([
    target.volume === undefined
      ? bindNew(ports, owner, { ...target, from: param.targetNamespace }, signal)
      : lendVolume(ports, owner, { claim, volume: target.volume }, signal),
    bindCache(ports, owner, { sizeGiB: cacheGiB, selectedNode, signal }),
  ]);
  await open(kube, key, signal);
}

async function targetOf(
  ports: ExposerPorts,
  param: RestoreExposeParam,
  signal: AbortSignal,
): Promise<TargetClaim & Partial<ExistingTarget>> {
  const key = targetKeyOf(param);
  if (param.inPlace === true) return await existingTarget(ports, key, param.targetVolume ?? '', signal);
  const ignoreDelayBinding = ports.settings?.restorePVC?.ignoreDelayBinding === true;
  const comesLater = param.targetComesLater === true;
  return await readyTargetClaim(ports, key, { ignoreDelayBinding, comesLater, signal });
}

/** Creates the claim for a new volume, and waits for the volume unless the class waits for the pod. */
async function bindNew(
  ports: ExposerPorts,
  owner: ExposeOwner,
  { from, ...target }: TargetClaim & { from: string },
  signal: AbortSignal,
): Promise<void> {
  await copyBeside(ports, owner, { from, names: ports.settings?.restorePVC ?? {} }, signal);
  await bind(ports, owner, restoreVolumeClaim(owner, target.claim, target.selectedNode), { ...target, signal });
}

/** When the pod has been deleted meanwhile, the caller notices that it is missing; another attempt may succeed. */
async function open(kube: KubeApi, key: ObjectKey, signal: AbortSignal): Promise<void> {
  try {
    await kube.patch(podType, key, { type: 'merge', body: openedPatch }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Creates the claim, and waits for its volume unless the class waits for the pod. */
async function bind(
  ports: ExposerPorts,
  owner: ExposeOwner,
  claim: PersistentVolumeClaim,
  options: { waitsForConsumer: boolean; selectedNode: string | undefined; signal: AbortSignal },
): Promise<void> {
  await createOwned(ports.kube, persistentVolumeClaimType, claim, owner, options.signal);
  if (options.waitsForConsumer && options.selectedNode === undefined) return;
  await waitClaimBound(ports, keyOf(claim), options);
}

async function bindCache(
  ports: ExposerPorts,
  owner: ExposeOwner,
  options: { sizeGiB: number; selectedNode: string | undefined; signal: AbortSignal },
): Promise<void> {
  const cache = ports.settings?.cachePVC;
  if (cache === undefined || options.sizeGiB === 0) return;
  const { storageClass, waitsForConsumer } = cache;
  await bind(ports, owner, cacheVolumeClaim({ owner, storageClass, ...options }), { waitsForConsumer, ...options });
}
