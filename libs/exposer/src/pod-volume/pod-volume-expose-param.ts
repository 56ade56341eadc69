/** What to read or fill; from PodVolumeBackup.spec and PodVolumeRestore.spec. */
export interface PodVolumeExposeParam {
  direction: 'backup' | 'restore';
  /** The pod whose volume it is; one of the same name that came later is another one. */
  pod: { namespace: string; name: string; uid: string };
  /** Its volume, by the name that it has in the pod. */
  volume: string;
  /** Where the pod runs. */
  node: string;
  /** A Go duration, handed to the data mover as it is. */
  operationTimeout: string;
  /** PodVolumeRestore.spec.snapshotSize; 0 and absent mean that it is not known. */
  dataBytes?: number | undefined;
}
