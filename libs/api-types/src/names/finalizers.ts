/** Finalizers (api.md section 13). */
export const finalizers = {
  /** On DataUpload and DataDownload until they have ended. */
  dataUploadDownload: 'velero.io/data-upload-download-finalizer',
  /** On PodVolumeBackup and PodVolumeRestore until they have ended. */
  podVolume: 'velero.io/pod-volume-finalizer',
  restoreExternalResources: 'restores.velero.io/external-resources-finalizer',
  /** Ours. On a Backup from InProgress to its end: what a deletion in between leaves behind is taken away first (docs/adr/0031). */
  backupUnderWay: 'lateen.dev/backup-under-way',
  /** Ours. On a Restore from InProgress to its end: what it has under way ends before it goes (docs/adr/0040). */
  restoreUnderWay: 'lateen.dev/restore-under-way',
  volumeSnapshotContentProtect: 'velero.io/volume-snapshot-content-protect-finalizer',
} as const;
