import {
  annotations,
  type DataUpload,
  dataUploadType,
  getValidName,
  labels,
  type PersistentVolumeClaim,
  type Pod,
  type PodVolumeBackup,
  persistentVolumeClaimType,
  podType,
  podVolumeBackupType,
} from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';

/** How one backup has backed up one volume of a pod. */
export interface VolumeWay {
  volume: string;
  /** `emptyDir`, or the class of its claim. */
  kind: string;
  way: string;
  why: string;
}

/** How a backup has backed up each volume of a pod, and why. */
export async function volumeWays(
  kube: KubeApi,
  {
    pod: key,
    backup,
    veleroNamespace,
  }: { pod: { namespace: string; name: string }; backup: string; veleroNamespace: string },
  signal: AbortSignal,
): Promise<VolumeWay[]> {
  const ofBackup = {
    namespace: veleroNamespace,
    labelSelector: `${labels.backupName}=${getValidName(backup)}`,
    signal,
  };
  const [pod, claims, uploads, podVolumes] = await Promise.all([
    kube.get(podType, key, { signal }),
    kube.list(persistentVolumeClaimType, { namespace: key.namespace, signal }),
    kube.list(dataUploadType, ofBackup),
    kube.list(podVolumeBackupType, ofBackup),
  ]);
  return waysOf(pod, { claims: claims.items, uploads: uploads.items, podVolumes: podVolumes.items });
}

interface Taken {
  claims: readonly PersistentVolumeClaim[];
  uploads: readonly DataUpload[];
  podVolumes: readonly PodVolumeBackup[];
}

/** A pure function. Leaves out volumes that Kubernetes creates from objects. */
export function waysOf(pod: Pod, { claims, uploads, podVolumes }: Taken): VolumeWay[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, emptyDir }): VolumeWay[] => {
    const claimName = persistentVolumeClaim?.claimName;
    if (claimName === undefined && emptyDir === undefined) return [];
    const className = claims.find(({ metadata }) => metadata.name === claimName)?.spec.storageClassName;
    const kind = claimName === undefined ? 'emptyDir' : `claim of class ${className}`;
    const isOfPod = ({ spec }: PodVolumeBackup) => spec.pod.name === pod.metadata.name && spec.volume === name;
    if (podVolumes.some(isOfPod))
      return [{ volume: name, kind, way: 'reading it through the pod', why: `${annotations.backupVolumes} names it` }];
    if (uploads.some(({ spec }) => spec.sourcePVC === claimName))
      return [
        { volume: name, kind, way: 'a snapshot that is uploaded', why: 'the driver of its class takes snapshots' },
      ];
    return [{ volume: name, kind, way: 'NOT BACKED UP', why: 'no PodVolumeBackup and no DataUpload exists for it' }];
  });
}
