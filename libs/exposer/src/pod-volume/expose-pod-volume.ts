import { persistentVolumeClaimType } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { createHostingPod } from '../api/create-hosting-pod.ts';
import { createOwned } from '../api/owned-object.ts';
import { readNodeAgent } from '../api/read-node-agent.ts';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import { lendVolume } from '../lent/lend-volume.ts';
import type { ExposeOwner } from '../owner.ts';
import { podResourcesFor } from '../settings/choose-pod-resources.ts';
import { type PodVolumeSettings, podVolumeDefaults } from '../settings/exposure-settings.ts';
import { cacheVolumeClaim, cacheVolumeGiB } from '../specs/cache-volume.ts';
import { requireLinux } from '../specs/node-os.ts';
import { podVolumePod } from '../specs/pod-volume-pod.ts';
import { tellRemark } from '../tell-remark.ts';
import { accessTo } from './access-to.ts';
import { kubeletPath } from './kubelet-path.ts';
import type { PodVolumeExposeParam } from './pod-volume-expose-param.ts';
import { readVolumeOfPod, type VolumeOfPod } from './volume-of-pod.ts';

/** How long to wait until an earlier pod is gone, when the flag is not a duration; Velero's default. */
const operationTimeoutMs = 10 * 60_000;

/**
 * Makes a hosting pod for a volume of a running pod, on the same node; it sees that volume and no other (data-movement.md section
 * 6). Safe to repeat. Resolves when the pod is created, not when it runs.
 * @throws EXPOSE_… naming what is missing and the next step; the signal's reason. What was made stays: call cleanUp.
 */
export async function exposePodVolume(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: PodVolumeExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const { kube, settings = {} } = ports;
  const [found, inherited] = await Promise.all([
    readVolumeOfPod(kube, param, signal),
    readNodeAgent(kube, owner.namespace, signal),
  ]);
  requireLinux(found.pod.spec.os?.name, `pod ${keyText(param.pod)}`);
  const hostPath = hostPathOf(settings.podVolume ?? podVolumeDefaults, found);
  const claim = found.bound?.claim;
  const { resources, remark } = podResourcesFor(settings, claim, claim?.spec.storageClassName);
  tellRemark(ports, owner, remark);
  const [cacheVolume] = await Promise.all([
    bindCache(ports, owner, param, signal),
    hostPath === undefined ? lend(ports, owner, found, signal) : undefined,
  ]);
  const clientPod = found.pod;
  const pod = podVolumePod({ owner, inherited, param, clientPod, hostPath, resources, cacheVolume, settings });
  const timeoutMs = parseDurationMs(param.operationTimeout) ?? operationTimeoutMs;
  const volumeSize = claim?.spec.resources?.requests?.storage;
  await createHostingPod(ports, pod, owner, { volumeSize, timeoutMs, signal });
}

/** The directory to mount; undefined when the volume is lent instead. @throws EXPOSE_NO_CLAIM_ACCESS, EXPOSE_NO_KUBELET_PATH */
function hostPathOf({ access, kubeletDirectory }: PodVolumeSettings, found: VolumeOfPod): string | undefined {
  return accessTo(found, access) === 'claim' ? undefined : kubeletPath(kubeletDirectory, found);
}

async function lend(
  ports: ExposerPorts,
  owner: ExposeOwner,
  { bound }: VolumeOfPod,
  signal: AbortSignal,
): Promise<void> {
  if (bound === undefined) return;
  await lendVolume(ports, owner, { claim: bound.claim, volume: bound.persistentVolume }, signal);
}

/**
 * Makes the volume for the engine's cache of a restore, before the pod: a pod with a fixed node is not held back until the volume
 * exists, and no scheduler chooses the node for the volume. False when no cache volume is wanted.
 */
async function bindCache(
  ports: ExposerPorts,
  owner: ExposeOwner,
  { direction, dataBytes, node }: PodVolumeExposeParam,
  signal: AbortSignal,
): Promise<boolean> {
  const cache = direction === 'restore' ? ports.settings?.cachePVC : undefined;
  const sizeGiB = cacheVolumeGiB(cache, dataBytes);
  if (cache === undefined || sizeGiB === 0) return false;
  const claim = cacheVolumeClaim({ owner, storageClass: cache.storageClass, sizeGiB, selectedNode: node });
  await createOwned(ports.kube, persistentVolumeClaimType, claim, owner, signal);
  await waitClaimBound(ports, keyOf(claim), { selectedNode: node, signal });
  return true;
}
