/** What to read or fill; from PodVolumeBackup.spec and PodVolumeRestore.spec. */
export interface PodVolumeExposeParam {
  direction: 'backup' | 'restore';
  /** The pod whose volume it is; a later pod of the same name has another UID. */
  pod: { namespace: string; name: string; uid: string };
  /** The name of the volume in the pod. */
  volume: string;
  /** Where the pod runs. */
  node: string;
  /** A Go duration, passed to the data mover unchanged. */
  operationTimeout: string;
  /** PodVolumeRestore.spec.snapshotSize; 0 and absent mean unknown. */
  dataBytes?: number | undefined;
}
