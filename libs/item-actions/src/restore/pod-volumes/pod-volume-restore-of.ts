import {
  annotations,
  type Backup,
  getValidName,
  labels,
  type Pod,
  type PodVolumeRestore,
  podVolumeRestoreType,
  type Restore,
} from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';
import { uploaderConfigOf } from '../../restore-csi/data-download-of.ts';
import { restoreLabels } from '../../restore-csi/restore-labels.ts';
import type { StoredPodVolume } from './stored-pod-volumes.ts';

export interface PodVolumeOrder {
  /** The pod in the cluster, waiting. */
  pod: Pod;
  stored: StoredPodVolume;
  /** Namespace of the pod in the backup: it selects the repository. */
  sourceNamespace: string;
  /** UID of the volume's claim, if it has one. */
  claimUid?: string | undefined;
  /** The data is written into an existing volume: `full` or `incremental`. */
  restoreType?: string | undefined;
}

/**
 * The operation ID of a PodVolumeRestore: one volume of one pod; two UIDs are too long for a label, so it is shortened like label
 * values.
 */
export const podVolumeOperationId = (restore: Restore, pod: Pod, volume: string): string =>
  getValidName(`pvr-${restore.metadata.uid ?? ''}.${pod.metadata.uid ?? ''}.${volume}`);

/** The PodVolumeRestore that fills one volume of a waiting pod (api.md section 11). Pure. */
export function podVolumeRestoreFor(
  { pod, stored, sourceNamespace, claimUid, restoreType }: PodVolumeOrder,
  { restore, backup, veleroNamespace }: { restore: Restore; backup: Backup; veleroNamespace: string },
): PodVolumeRestore {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  return {
    apiVersion: `${podVolumeRestoreType.group}/${podVolumeRestoreType.version}`,
    kind: 'PodVolumeRestore',
    metadata: {
      generateName: `${restore.metadata.name}-`,
      namespace: veleroNamespace,
      labels: {
        ...restoreLabels(restore),
        [labels.podUid]: getValidName(uid),
        ...(claimUid === undefined ? {} : { [labels.pvcUid]: getValidName(claimUid) }),
        [labels.asyncOperationId]: podVolumeOperationId(restore, pod, stored.volume),
      },
      ...(stored.claim === undefined ? {} : { annotations: { [annotations.pvcName]: stored.claim } }),
      ownerReferences: [ownerReferenceTo(restore, { controller: true })],
    },
    spec: {
      pod: { kind: 'Pod', namespace, name, uid },
      volume: stored.volume,
      backupStorageLocation: backup.spec.storageLocation ?? '',
      repoIdentifier: stored.repoIdentifier,
      uploaderType: stored.uploaderType,
      snapshotID: stored.snapshotID,
      sourceNamespace,
      uploaderSettings: uploaderConfigOf(restore, restoreType !== undefined),
      ...(restoreType === undefined ? {} : { restoreType }),
      ...(stored.sizeBytes === undefined ? {} : { snapshotSize: stored.sizeBytes }),
    },
  };
}
