import {
  persistentVolumeClaimType,
  type VolumeMode,
  type VolumeSnapshot,
  volumeAttachmentType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';
import { copyBeside } from '../api/copied-objects.ts';
import { createHostingPod } from '../api/create-hosting-pod.ts';
import { createOwned } from '../api/owned-object.ts';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import {
  type BackupVolumePlan,
  backupVolumePlan,
  keepsOffSource,
  withoutFastProvisioning,
} from '../settings/backup-volume-plan.ts';
import { podResourcesFor } from '../settings/choose-pod-resources.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { loadAffinityFor } from '../settings/load-affinity.ts';
import { backupPod, type ChangesToAsk } from '../specs/backup-pod.ts';
import { backupVolumeClaim } from '../specs/backup-volume.ts';
import { requireFitMover } from '../specs/fit-data-mover.ts';
import type { InheritedPodConfig } from '../specs/inherited-pod-config.ts';
import { notOn, requiredInEach, snapshotTopology } from '../specs/placement.ts';
import type { TakenOverFrom } from '../specs/taken-over-from.ts';
import { tellRemark } from '../tell-remark.ts';
import { pinnedNode } from './pinned-node.ts';
import type { SnapshotExposeParam } from './snapshot-expose-param.ts';
import { readStorageClass, type SourceVolume } from './snapshot-source.ts';

export interface SnapshotToHost {
  param: SnapshotExposeParam;
  volume: SourceVolume;
  inherited: InheritedPodConfig;
  /** Our VolumeSnapshot, ready. */
  snapshot: VolumeSnapshot;
  sourceVolumeMode: string | undefined;
  from: Pick<TakenOverFrom, 'volumeHandle'>;
}

/**
 * The claim on a copy of the snapshot, and the pod that mounts it. Safe to repeat.
 * @throws EXPOSE_UNFIT_MOVER, EXPOSE_UNKNOWN_SIZE, EXPOSE_NO_STORAGE_CLASS, EXPOSE_CLAIM_GONE, EXPOSE_CLAIM_LOST, EXPOSE_NAME_TAKEN
 */
export async function hostSnapshot(
  ports: ExposerPorts,
  owner: ExposeOwner,
  hosting: SnapshotToHost,
  signal: AbortSignal,
): Promise<void> {
  const { kube, log, settings = {} } = ports;
  const { param, volume } = hosting;
  const volumeMode = volumeModeOf(hosting);
  requireFitMover({
    dataMover: param.dataMover,
    volumeMode,
    claim: { namespace: param.sourceNamespace, name: param.sourceClaim },
    nextStep: 'Back it up with data mover velero-fs, or name no data mover.',
  });
  const { plan, sourceNodes } = await planned(ports, hosting, signal);
  const waits = await waitsForConsumer(ports, plan, volume, signal);
  const nodeTerms = requiredInEach(snapshotTopology(volume.storageClass, volume.volume), [
    ...loadAffinityFor(settings.loadAffinity, plan.storageClass),
    ...notOn(sourceNodes),
  ]);
  const selectedNode = waits ? await pinnedNode(kube, nodeTerms, signal) : undefined;
  const size = sizeOf(hosting, param);
  const claim = backupVolumeClaim({ owner, plan, volumeMode, size, selectedNode });
  await copyBeside(ports, owner, { from: param.sourceNamespace, names: plan.copied }, signal);
  await createOwned(kube, persistentVolumeClaimType, claim, owner, signal);
  // A pod that is created too early fails its first scheduling, and the scheduler's backoff then delays it.
  if (!waits || selectedNode !== undefined)
    await waitClaimBound(ports, { namespace: owner.namespace, name: owner.name }, { selectedNode, signal });
  const { resources, remark } = podResourcesFor(settings, volume.claim, param.storageClass);
  if (plan.remark !== undefined) log.warn({ owner: owner.name }, plan.remark);
  tellRemark(ports, owner, remark);
  const { operationTimeout } = param;
  const { inherited } = hosting;
  const readsChanges = volumeMode === 'Block' ? param.readsChanges : param.readsChangesOfFiles;
  const changes = readsChanges === true ? changesOf(owner, hosting, settings) : undefined;
  const pod = backupPod({
    owner,
    inherited,
    volumeMode,
    nodeTerms,
    operationTimeout,
    resources,
    plan,
    settings,
    changes,
  });
  await createHostingPod(ports, pod, owner, { volumeSize: size, timeoutMs: param.operationTimeoutMs, signal });
}

/** By which the mover finds the base and asks what has changed. */
const changesOf = (
  { name }: ExposeOwner,
  { volume, inherited, from }: SnapshotToHost,
  { csiSnapshotMetadataServiceConfigs }: ExposureSettings,
): ChangesToAsk => ({
  serviceAccount: csiSnapshotMetadataServiceConfigs?.saName ?? inherited.pod.serviceAccountName ?? 'default',
  snapshot: name,
  volumeHandle: from.volumeHandle,
  claimUid: volume.claim?.metadata.uid,
});

/** The form of the copy, and the nodes on which it cannot be used. */
async function planned(
  { kube, log, settings = {} }: ExposerPorts,
  { param, volume }: SnapshotToHost,
  signal: AbortSignal,
): Promise<{ plan: BackupVolumePlan; sourceNodes: string[] }> {
  const plan = backupVolumePlan(settings.backupPVC, param.storageClass);
  if (!keepsOffSource(plan)) return { plan, sourceNodes: [] };
  try {
    const volumeName = volume.claim?.spec.volumeName ?? '';
    return { plan, sourceNodes: volumeName === '' ? [] : await attachedNodes(kube, volumeName, signal) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'the node of the source volume cannot be determined; its copy is a regular one');
    return { plan: withoutFastProvisioning(plan), sourceNodes: [] };
  }
}

/** True when the copy is made only after a node is chosen for it. @throws EXPOSE_NO_STORAGE_CLASS */
async function waitsForConsumer(
  { kube }: ExposerPorts,
  plan: BackupVolumePlan,
  { storageClass }: SourceVolume,
  signal: AbortSignal,
): Promise<boolean> {
  const field = `backupPVC "${storageClass.metadata.name}" of the node-agent ConfigMap`;
  const its =
    plan.storageClass === storageClass.metadata.name
      ? storageClass
      : await readStorageClass(kube, plan.storageClass, field, signal);
  return its.volumeBindingMode === 'WaitForFirstConsumer';
}

function volumeModeOf({ volume, sourceVolumeMode }: SnapshotToHost): VolumeMode {
  return volume.claim?.spec.volumeMode ?? (sourceVolumeMode === 'Block' ? 'Block' : 'Filesystem');
}

/** The snapshot's restore size; some drivers report none or zero, and then the size that the source claim requested. */
function sizeOf({ snapshot, volume }: SnapshotToHost, param: SnapshotExposeParam): string {
  const restoreSize = snapshot.status?.restoreSize;
  if (restoreSize !== undefined && restoreSize !== '0') return restoreSize;
  const requested = volume.claim?.spec.resources?.requests?.storage;
  if (requested !== undefined) return requested;
  throw new AppError(
    'EXPOSE_UNKNOWN_SIZE',
    `the size of VolumeSnapshot ${param.sourceNamespace}/${param.volumeSnapshot} is not known`,
    {
      nextStep: `Its driver reports no restore size and PersistentVolumeClaim ${param.sourceNamespace}/${param.sourceClaim} is gone; take a new snapshot.`,
    },
  );
}

/** The nodes that a volume is attached to. */
async function attachedNodes(kube: KubeApi, volume: string, signal: AbortSignal): Promise<string[]> {
  const { items } = await listAll(kube, volumeAttachmentType, { signal });
  return items.filter(({ spec }) => spec.source.persistentVolumeName === volume).map(({ spec }) => spec.nodeName);
}
