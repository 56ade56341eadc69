import type { KubernetesStatus, Volume, VolumeCloneStatus } from '@lateen/storage-types';
import type { JsonFields } from '../../envelope/resource.ts';
import { conditionMap } from '../conditions.ts';
import { given, nameOf } from '../given.ts';
import { createdText } from './created-text.ts';
import { notReadyMessage } from './readiness.ts';

/** What a volume is to be, as far as it is in its spec. */
export function wantedFields({ spec }: Volume): JsonFields {
  return {
    size: spec.size ?? '0',
    frontend: spec.frontend ?? '',
    disableFrontend: spec.disableFrontend ?? false,
    fromBackup: spec.fromBackup ?? '',
    restoreVolumeRecurringJob: spec.restoreVolumeRecurringJob ?? '',
    dataSource: spec.dataSource ?? '',
    cloneMode: spec.cloneMode ?? '',
    dataLocality: spec.dataLocality ?? '',
    staleReplicaTimeout: spec.staleReplicaTimeout ?? 0,
    image: spec.image ?? '',
    backingImage: spec.backingImage ?? '',
    lastAttachedBy: spec.lastAttachedBy ?? '',
    // A capital letter in the object, none here.
    standby: spec.Standby ?? false,
    revisionCounterDisabled: spec.revisionCounterDisabled ?? false,
    snapshotDataIntegrity: spec.snapshotDataIntegrity ?? '',
    unmapMarkSnapChainRemoved: spec.unmapMarkSnapChainRemoved ?? '',
    backupCompressionMethod: spec.backupCompressionMethod ?? '',
    backupBlockSize: spec.backupBlockSize ?? '0',
    replicaSoftAntiAffinity: spec.replicaSoftAntiAffinity ?? '',
    replicaZoneSoftAntiAffinity: spec.replicaZoneSoftAntiAffinity ?? '',
    replicaDiskSoftAntiAffinity: spec.replicaDiskSoftAntiAffinity ?? '',
    dataEngine: spec.dataEngine ?? 'v1',
    snapshotMaxCount: spec.snapshotMaxCount ?? 0,
    snapshotMaxSize: spec.snapshotMaxSize ?? '0',
    replicaRebuildingBandwidthLimit: spec.replicaRebuildingBandwidthLimit ?? 0,
    ublkQueueDepth: spec.ublkQueueDepth ?? 0,
    ublkNumberOfQueue: spec.ublkNumberOfQueue ?? 0,
    freezeFilesystemForSnapshot: spec.freezeFilesystemForSnapshot ?? '',
    backupTargetName: spec.backupTargetName ?? '',
    dataLayout: layoutFields(spec.dataLayout),
    diskSelector: spec.diskSelector ?? [],
    nodeSelector: spec.nodeSelector ?? [],
    // Only ever sent by clients.
    recurringJobSelector: null,
    numberOfReplicas: spec.numberOfReplicas ?? 0,
    replicaAutoBalance: spec.replicaAutoBalance ?? '',
    rebuildConcurrentSyncLimit: spec.rebuildConcurrentSyncLimit ?? 0,
    accessMode: spec.accessMode ?? '',
    offlineRebuilding: spec.offlineRebuilding ?? '',
    migratable: spec.migratable ?? false,
    encrypted: spec.encrypted ?? false,
  };
}

/** What a volume is. */
export function foundFields(volume: Volume): JsonFields {
  const { metadata, status = {} } = volume;
  const why = notReadyMessage(volume);
  return {
    name: nameOf(volume),
    created: createdText(metadata.creationTimestamp),
    state: status.state ?? '',
    robustness: status.robustness ?? '',
    currentImage: status.currentImage ?? '',
    lastBackup: status.lastBackup ?? '',
    lastBackupAt: status.lastBackupAt ?? '',
    restoreRequired: status.restoreRequired ?? false,
    restoreInitiated: status.restoreInitiated ?? false,
    conditions: conditionMap(status.conditions),
    kubernetesStatus: kubernetesFields(status.kubernetesStatus),
    cloneStatus: cloneFields(status.cloneStatus),
    ready: why === '',
    notReadyMessage: why,
    shareEndpoint: status.shareEndpoint ?? '',
    shareState: status.shareState ?? '',
  };
}

const layoutFields = (layout: Volume['spec']['dataLayout'] = {}): JsonFields => ({
  type: layout.type ?? '',
  mode: layout.mode ?? '',
  ...given({
    dataChunks: layout.dataChunks,
    parityChunks: layout.parityChunks,
    stripSizeKB: layout.stripSizeKB,
  }),
});

function kubernetesFields(seen: KubernetesStatus = {}): JsonFields {
  const workloads = seen.workloadsStatus?.map(
    ({ podName = '', podStatus = '', workloadName = '', workloadType = '' }) => ({
      podName,
      podStatus,
      workloadName,
      workloadType,
    }),
  );
  return {
    pvName: seen.pvName ?? '',
    pvStatus: seen.pvStatus ?? '',
    namespace: seen.namespace ?? '',
    pvcName: seen.pvcName ?? '',
    lastPVCRefAt: seen.lastPVCRefAt ?? '',
    workloadsStatus: workloads ?? null,
    lastPodRefAt: seen.lastPodRefAt ?? '',
  };
}

const cloneFields = (seen: VolumeCloneStatus = {}): JsonFields => ({
  sourceVolume: seen.sourceVolume ?? '',
  snapshot: seen.snapshot ?? '',
  state: seen.state ?? '',
  attemptCount: seen.attemptCount ?? 0,
  nextAllowedAttemptAt: seen.nextAllowedAttemptAt ?? '',
});
