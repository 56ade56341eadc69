import {
  annotations,
  claimNameOf,
  labels,
  type PersistentVolumeClaim,
  type Pod,
  type PodVolumeBackup,
  type PodVolumeBackupSpec,
  type UploaderType,
  type Volume,
} from '@lateen/api-types';

export interface PodVolume {
  pod: Pod;
  volume: Volume;
  /** Behind the volume; absent for one without. */
  claim: PersistentVolumeClaim | undefined;
}

export interface PodVolumeSpecOptions {
  storageLocation: string;
  uploaderType: UploaderType;
  /** In `spec.tags`, before what is said of pod and volume. */
  tags?: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
}

/** What asks the node-agent of the pod's node to read one volume (api.md section 11). Pure. */
export function podVolumeSpec(
  { pod, volume, claim }: PodVolume,
  { storageLocation, uploaderType, tags, settings = {} }: PodVolumeSpecOptions,
): PodVolumeBackupSpec {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const claimUid = claim?.metadata.uid;
  return {
    node: pod.spec.nodeName ?? '',
    pod: { kind: 'Pod', namespace, name, uid },
    volume: volume.name,
    backupStorageLocation: storageLocation,
    repoIdentifier: '',
    uploaderType,
    tags: {
      ...tags,
      pod: name,
      'pod-uid': uid,
      ns: namespace,
      volume: volume.name,
      ...(claimUid === undefined ? {} : { 'pvc-uid': claimUid }),
    },
    ...(Object.keys(settings).length === 0 ? {} : { uploaderSettings: { ...settings } }),
  };
}

/** What a PodVolumeBackup carries to be found by, beside what it was made for (data-movement.md section 6). */
export function podVolumeMarks({
  pod,
  volume,
  claim,
}: PodVolume): Required<Pick<PodVolumeBackup['metadata'], 'labels' | 'annotations'>> {
  const claimName = claimNameOf(pod.metadata.name ?? '', volume);
  const claimUid = claim?.metadata.uid;
  return {
    labels: claimUid === undefined ? {} : { [labels.pvcUid]: claimUid },
    annotations: claimName === undefined ? {} : { [annotations.pvcName]: claimName },
  };
}
