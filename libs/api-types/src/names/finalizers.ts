/** Finalizers (api.md section 13). */
export const finalizers = {
  /** On DataUpload and DataDownload until they have ended. */
  dataUploadDownload: 'velero.io/data-upload-download-finalizer',
  /** On PodVolumeBackup and PodVolumeRestore until they have ended. */
  podVolume: 'velero.io/pod-volume-finalizer',
  restoreExternalResources: 'restores.velero.io/external-resources-finalizer',
  volumeSnapshotContentProtect: 'velero.io/volume-snapshot-content-protect-finalizer',
} as const;
