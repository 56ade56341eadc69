import {
  persistentVolumeClaimType,
  podType,
  type VolumeMode,
  type VolumeSnapshot,
  volumeSnapshotContentType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import { belongsTo, createOwned } from '../api/owned-object.ts';
import { readNodeAgent } from '../api/read-node-agent.ts';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { backupPod } from '../specs/backup-pod.ts';
import { backupVolumeClaim } from '../specs/backup-volume.ts';
import { takenOverFromAnnotation } from '../specs/exposed-for.ts';
import type { InheritedPodConfig } from '../specs/inherited-pod-config.ts';
import { requireLinux, volumeNodeOs } from '../specs/node-os.ts';
import { snapshotTopology } from '../specs/placement.ts';
import { pinnedNode } from './pinned-node.ts';
import { readSourceVolume, readySourceSnapshot, type SourceVolume } from './snapshot-source.ts';
import { readyBackupSnapshot, retireSource, takeOverSnapshot } from './take-over-snapshot.ts';

/** Which snapshot to expose; from DataUpload.spec. */
export interface SnapshotExposeParam {
  sourceNamespace: string;
  sourceClaim: string;
  volumeSnapshot: string;
  storageClass: string;
  /** A Go duration, handed to the data mover as it is. */
  operationTimeout: string;
  /** The same in ms: the longest wait for one deletion. */
  operationTimeoutMs: number;
}

/**
 * From a VolumeSnapshot of a workload to a hosting pod on a copy of it (data-movement.md section 4). Every step takes
 * what an earlier attempt made, so it may be repeated after a crash at any point. Resolves when the pod is created and
 * the source objects are gone, not when the pod runs.
 * @throws EXPOSE_… naming what is missing and the next step; the signal's reason. What was made stays: call cleanUp.
 */
export async function exposeSnapshot(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: SnapshotExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const { kube } = ports;
  const [volume, inherited, taken] = await Promise.all([
    readSourceVolume(kube, { ...param, namespace: param.sourceNamespace, claim: param.sourceClaim }, signal),
    readNodeAgent(kube, owner.namespace, signal),
    takenOver(ports, owner, param, signal),
  ]);
  requireLinux(
    volumeNodeOs(volume.claim, volume.storageClass),
    `PersistentVolumeClaim ${param.sourceNamespace}/${param.sourceClaim}`,
  );
  const sourceKey = { namespace: param.sourceNamespace, name: param.volumeSnapshot };
  await Promise.all([
    host(ports, owner, { param, volume, inherited, ...taken }, signal),
    retireSource(
      ports,
      { snapshot: sourceKey, content: taken.sourceContent },
      { timeoutMs: param.operationTimeoutMs, signal },
    ),
  ]);
}

interface TakenOver {
  snapshot: VolumeSnapshot;
  sourceContent: string;
  sourceVolumeMode: string | undefined;
}

/** Our snapshot, ready: from an earlier attempt, which may have deleted the source already, or taken over now. */
async function takenOver(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: SnapshotExposeParam,
  signal: AbortSignal,
): Promise<TakenOver> {
  const earlier = await readObject(ports.kube, volumeSnapshotContentType, { name: owner.name }, signal);
  const sourceContent = earlier?.metadata.annotations?.[takenOverFromAnnotation];
  const bound = earlier?.spec.volumeSnapshotRef.uid !== undefined;
  if (earlier !== undefined && belongsTo(earlier, owner) && bound && sourceContent !== undefined) {
    return {
      snapshot: await readyBackupSnapshot(ports, owner, signal),
      sourceContent,
      sourceVolumeMode: earlier.spec.sourceVolumeMode,
    };
  }
  const source = await readySourceSnapshot(
    ports,
    { namespace: param.sourceNamespace, name: param.volumeSnapshot },
    signal,
  );
  const snapshot = await takeOverSnapshot(ports, owner, source, signal);
  return {
    snapshot,
    sourceContent: source.content.metadata.name ?? '',
    sourceVolumeMode: source.content.spec.sourceVolumeMode,
  };
}

interface Hosting {
  param: SnapshotExposeParam;
  volume: SourceVolume;
  inherited: InheritedPodConfig;
  snapshot: VolumeSnapshot;
  sourceVolumeMode: string | undefined;
}

/** The claim on a copy of the snapshot, and the pod that mounts it. */
async function host(ports: ExposerPorts, owner: ExposeOwner, hosting: Hosting, signal: AbortSignal): Promise<void> {
  const { kube, podResources } = ports;
  const { param, volume, inherited } = hosting;
  const volumeMode: VolumeMode =
    volume.claim?.spec.volumeMode ?? (hosting.sourceVolumeMode === 'Block' ? 'Block' : 'Filesystem');
  const topologyTerms = snapshotTopology(volume.storageClass, volume.volume);
  const selectedNode = await pinnedNode(kube, topologyTerms, signal);
  const claim = backupVolumeClaim({
    owner,
    storageClass: param.storageClass,
    volumeMode,
    size: sizeOf(hosting, param),
    selectedNode,
  });
  await createOwned(kube, persistentVolumeClaimType, claim, owner, signal);
  const bindsAlone = volume.storageClass.volumeBindingMode !== 'WaitForFirstConsumer' || selectedNode !== undefined;
  // A pod that is made too early fails its first scheduling and is then held back by the scheduler's backoff.
  if (bindsAlone)
    await waitClaimBound(ports, { namespace: owner.namespace, name: owner.name }, { selectedNode, signal });
  const pod = backupPod({
    owner,
    inherited,
    volumeMode,
    topologyTerms,
    operationTimeout: param.operationTimeout,
    ...(podResources === undefined ? {} : { resources: podResources }),
  });
  await createOwned(kube, podType, pod, owner, signal);
}

/** The snapshot's restore size; some drivers report none or zero, and then what the source claim asked for. */
function sizeOf({ snapshot, volume }: Hosting, param: SnapshotExposeParam): string {
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
