import { persistentVolumeClaimType, podType } from '@lateen/api-types';
import { createOwned } from '../api/owned-object.ts';
import { readNodeAgent } from '../api/read-node-agent.ts';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { openedPatch } from '../specs/hosting-pod.ts';
import { requireLinux } from '../specs/node-os.ts';
import { restorePod } from '../specs/restore-pod.ts';
import { restoreVolumeClaim } from '../specs/restore-volume.ts';
import { readyTargetClaim } from './target-claim.ts';

/** What to restore into; from DataDownload.spec. */
export interface RestoreExposeParam {
  targetNamespace: string;
  targetClaim: string;
  /** DataDownload.spec.nodeOS; `auto` and absent read as linux. */
  nodeOS: string | undefined;
  /** A Go duration, handed to the data mover as it is. */
  operationTimeout: string;
  /** The same in ms. */
  operationTimeoutMs: number;
}

/**
 * From a target claim to a hosting pod on a new volume that will be handed to it (data-movement.md section 5). The pod
 * comes before the claim, so a cluster that refuses the pod (quota, admission) never has the volume made; the scheduler
 * is kept off it until the volume is there. Safe to repeat. Resolves when the pod may be scheduled, not when it runs.
 * @throws EXPOSE_… naming what is missing and the next step; the signal's reason. What was made stays: call cleanUp.
 */
export async function exposeRestore(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const { kube, podResources } = ports;
  requireLinux(param.nodeOS, `${owner.kind} ${owner.namespace}/${owner.name}`);
  const targetKey = { namespace: param.targetNamespace, name: param.targetClaim };
  const [{ claim: target, selectedNode }, inherited] = await Promise.all([
    readyTargetClaim(ports, targetKey, signal),
    readNodeAgent(kube, owner.namespace, signal),
  ]);
  const pod = restorePod({
    owner,
    inherited,
    volumeMode: target.spec.volumeMode ?? 'Filesystem',
    selectedNode,
    operationTimeout: param.operationTimeout,
    ...(podResources === undefined ? {} : { resources: podResources }),
  });
  await createOwned(kube, podType, pod, owner, signal);
  await createOwned(kube, persistentVolumeClaimType, restoreVolumeClaim(owner, target, selectedNode), owner, signal);
  const key = { namespace: owner.namespace, name: owner.name };
  await waitClaimBound(ports, key, { selectedNode, signal });
  await kube.patch(podType, key, { type: 'merge', body: openedPatch }, { signal });
}
