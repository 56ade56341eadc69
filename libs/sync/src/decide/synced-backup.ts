import {
  annotations,
  type Backup,
  type BackupPhase,
  getValidName,
  isTerminalPhase,
  labels,
  labelValues,
  type OwnerReference,
  type PodVolumeBackup,
} from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';

/** What has come to its end and was stored; one that was cancelled is no backup. */
const finished: readonly (BackupPhase | undefined)[] = ['Completed', 'PartiallyFailed', 'Failed'];

export interface SyncedBackupInput {
  stored: Backup;
  namespace: string;
  /** Name of the location it was found in. */
  location: string;
  /** Whether a Schedule of this name and uid exists here. */
  isSchedule(reference: OwnerReference): boolean;
  /** It has pod volumes, whose objects are made after it. */
  hasPodVolumes: boolean;
  nowMs: number;
}

/** Whether a stored backup becomes a Backup of the cluster: finished, or never to be (expired in the middle). */
export function isSynced({ status }: Backup, nowMs: number): boolean {
  return finished.includes(status?.phase) || isExpired(status?.expiration, nowMs);
}

/**
 * The Backup that is made of a stored one (object-store-layout.md section 8). Status and spec are as stored. One that expired in the middle
 * of its work is PartiallyFailed, so that the garbage collection takes it. Owners that are not here would have it deleted at once.
 */
export function syncedBackup(input: SyncedBackupInput): Backup {
  const { stored, namespace, location, nowMs } = input;
  const { name = '', labels: given, annotations: noted, ownerReferences = [] } = stored.metadata;
  const owners = ownerReferences.filter(input.isSchedule);
  const { [annotations.workedOnBy]: _, [annotations.openHooks]: __, ...kept } = noted ?? {};
  return {
    ...stored,
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: {
      name,
      namespace,
      labels: { ...given, [labels.storageLocation]: getValidName(location) },
      annotations: { ...kept, ...(input.hasPodVolumes ? { [annotations.syncPending]: labelValues.true } : {}) },
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    },
    spec: { ...stored.spec, storageLocation: location },
    ...(finished.includes(stored.status?.phase) || !isExpired(stored.status?.expiration, nowMs)
      ? {}
      : { status: { ...stored.status, phase: 'PartiallyFailed' as const } }),
  };
}

/** One that was stored before its end would be work here, for the node-agent of a node that has the name of the one there. */
export const isOver = ({ status }: PodVolumeBackup): boolean => isTerminalPhase(status?.phase);

/**
 * The PodVolumeBackup that is made of a stored one, owned by its Backup. Without finalizers: its work is over, and only a node-agent would
 * take them off again.
 */
export function syncedPodVolumeBackup(stored: PodVolumeBackup, backup: Backup, location: string): PodVolumeBackup {
  const { name = '', labels: given, annotations: noted } = stored.metadata;
  const { namespace } = backup.metadata;
  return {
    ...stored,
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeBackup',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...given, [labels.backupUid]: backup.metadata.uid ?? '' },
      ...(noted === undefined ? {} : { annotations: noted }),
      ownerReferences: [ownerReferenceTo(backup, { controller: true })],
    },
    spec: { ...stored.spec, backupStorageLocation: location },
  };
}

function isExpired(expiration: string | null | undefined, nowMs: number): boolean {
  return Date.parse(expiration ?? '') < nowMs;
}
