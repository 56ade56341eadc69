/** Annotation keys (api.md section 15). */
export const annotations = {
  backupVolumes: 'backup.velero.io/backup-volumes',
  backupVolumesExcludes: 'backup.velero.io/backup-volumes-excludes',
  pvcName: 'velero.io/pvc-name',
  sourceClusterGitVersion: 'velero.io/source-cluster-k8s-gitversion',
  sourceClusterMajorVersion: 'velero.io/source-cluster-k8s-major-version',
  sourceClusterMinorVersion: 'velero.io/source-cluster-k8s-minor-version',
  resourceTimeout: 'velero.io/resource-timeout',
  podVolumeTimeout: 'velero.io/pod-volume-timeout',
  /** On a claim. On a Backup the key ends in `_<driver, lower case>`: see `perDriver`. */
  csiVolumeSnapshotClass: 'velero.io/csi-volumesnapshot-class',
  csiVolumeGroupSnapshotClassOfClaim: 'velero.io/csi-volume-group-snapshot-class',
  csiVolumeGroupSnapshotClassOfBackup: 'velero.io/csi-volumegroupsnapshot-class',
  csiVolumeSnapshotHandle: 'velero.io/csi-volumesnapshot-handle',
  csiVolumeSnapshotRestoreSize: 'velero.io/csi-volumesnapshot-restore-size',
  csiDriverName: 'velero.io/csi-driver-name',
  csiContentDeletionPolicy: 'velero.io/csi-vsc-deletion-policy',
  csiVolumeGroupSnapshotHandle: 'velero.io/csi-volumegroupsnapshot-handle',
  volumeSnapshotName: 'velero.io/volume-snapshot-name',
  /** Value `<namespace>/<name>` of the DataUpload. */
  dataUploadName: 'velero.io/data-upload-name',
  skipFromBackup: 'velero.io/skip-from-backup',
  mustIncludeAdditionalItems: 'backup.velero.io/must-include-additional-items',
  skippedNoCsiPv: 'backup.velero.io/skipped-no-csi-pv',
  restoreStatus: 'velero.io/restore-status',
  /** On a Backup: the ConfigMap of `--global-backup-volume-policies-configmap` (after-1.18.1.md 1A). */
  globalBackupVolumePolicyConfigMap: 'velero.io/global-backup-volume-policy-configmap',
  /** On an item that a restore action returns: its additional items pass the filters (after-1.18.1.md 1A). */
  mustIncludeAdditionalItemsAtRestore: 'restore.velero.io/must-include-additional-items',
  originalPvName: 'velero.io/original-pv-name',
  isDefaultSnapshotClass: 'snapshot.storage.kubernetes.io/is-default-class',
  isDefaultGroupSnapshotClass: 'groupsnapshot.storage.kubernetes.io/is-default-class',
  /** On a VolumeSnapshotContent, by the snapshot controller and the snapshotter. */
  snapshotBeingCreated: 'snapshot.storage.kubernetes.io/volumesnapshot-being-created',
  snapshotBeingDeleted: 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted',
  groupSnapshotHandleOfContent: 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle',
  /** What the driver needs to delete the snapshot. */
  deletionSecretName: 'snapshot.storage.kubernetes.io/deletion-secret-name',
  deletionSecretNamespace: 'snapshot.storage.kubernetes.io/deletion-secret-namespace',
  snapshotterListSecretName: 'csi.storage.k8s.io/snapshotter-list-secret-name',
  snapshotterListSecretNamespace: 'csi.storage.k8s.io/snapshotter-list-secret-namespace',
  snapshotterSecretName: 'csi.storage.k8s.io/snapshotter-secret-name',
  snapshotterSecretNamespace: 'csi.storage.k8s.io/snapshotter-secret-namespace',
  iamRole: 'iam.amazonaws.com/role',
  fastProvisioning: 'csi.vsphere.volume/fast-provisioning',
  /** Set by the scheduler on a claim of a WaitForFirstConsumer class. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** Set by the volume binder; cleared when a restored volume is handed to its claim (data-movement.md section 5). */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** Ours. On a movement (DataUpload, PodVolumeBackup …): the number of its present attempt, absent in the first. On a hosting pod: whose it is. */
  attempts: 'lateen.dev/attempts',
  /** Ours. On a movement that runs: the uid of the one pod whose mover may touch the volume (docs/adr/0018). */
  hostingPodUid: 'lateen.dev/hosting-pod-uid',
  /** Ours. On a hosting pod: the size of its volume, a quantity. */
  volumeSize: 'lateen.dev/volume-size',
  /** Ours. On a movement: its next attempt does not begin before this time (RFC 3339). */
  nextAttemptAt: 'lateen.dev/next-attempt-at',
  /** Ours. On a BackupStorageLocation: bytes per second that one process sends to it at most, a quantity (docs/adr/0013). */
  uploadBytesPerSecond: 'lateen.dev/upload-bytes-per-second',
  /** Ours. The same for what it reads from there. */
  downloadBytesPerSecond: 'lateen.dev/download-bytes-per-second',
  /** Ours. On a BackupStorageLocation: a text of at most 256 characters. When it changes, the location is validated at once. */
  validationRequested: 'lateen.dev/validation-requested',
  /** Ours. Written together with the verdict of a validation: the text by which it was requested, absent if it was not. */
  validationAnswered: 'lateen.dev/validation-answered',
  /** Ours. Written together with it: a hash of what the verdict is about. */
  validatedSpec: 'lateen.dev/validated-spec',
  /** Ours. On a Backup or Restore that is InProgress: the run of the controller that works on it (docs/adr/0031). */
  workedOnBy: 'lateen.dev/worked-on-by',
  /** Ours. On a Restore that is New: names of those that it waits for, separated by commas. */
  waitsFor: 'lateen.dev/waits-for',
  /** Ours. On a Backup that is InProgress: the pods whose hooks after the backup are due, as JSON (docs/adr/0029). */
  openHooks: 'lateen.dev/open-hooks',
  /** Ours. "true" on a PodVolumeBackup for whose end hooks hold a pod still: it has priority over those without a waiting pod. */
  podIsHeld: 'lateen.dev/pod-is-held',
  /** Ours. On a Schedule: a Go duration over which its times are moved later, by an amount that is its own. */
  jitter: 'lateen.dev/jitter',
  /** Ours. On a Schedule, and on the Backups made of it: how many good Backups of it are kept whatever their TTL (docs/adr/0033). */
  keepAtLeast: 'lateen.dev/keep-at-least',
  /** Ours. On a BackupStorageLocation: a hash of the place whose backups were last matched with the cluster, and since when it is that one. */
  syncedPlace: 'lateen.dev/synced-place',
  /** Ours. "true" on a Backup that was found in a bucket, until the objects of its pod volumes are made too. */
  syncPending: 'lateen.dev/sync-pending',
  /** Ours. On a DeleteBackupRequest: the requests to repositories that were made for it, once all are made (docs/adr/0032). */
  forgetRequests: 'lateen.dev/forget-requests',
  /** Ours. "true" on a DeleteBackupRequest whose backup has lost its large files already, to make room for the rest of the deletion. */
  filesFreed: 'lateen.dev/files-freed',
  /** Ours. On a VolumeSnapshot that a restore has made a claim of: the uid of the restore, at whose end it goes (docs/adr/0038). */
  restoredForClaim: 'lateen.dev/restored-for-claim',
  /** Ours. On any object: what is restored before it, `deployments.apps/shop/db, clusters.postgresql.cnpg.io` (docs/adr/0036). */
  restoreAfter: 'lateen.dev/restore-after',
  /**
   * Ours. On a Restore: for single claims what `existingVolumeDataPolicy` says for all, as `<namespace>/<claim>=<policy>`, by commas
   * (docs/adr/0039).
   */
  existingVolumes: 'lateen.dev/existing-volumes',
  /** Ours. On a claim, "none": no restore writes into its volume, whatever its policy says. */
  existingVolumeData: 'lateen.dev/existing-volume-data',
  /** Ours. On a Restore, "false": volumes are written into without a snapshot of what they have. */
  keepOldData: 'lateen.dev/keep-old-data',
  /** Ours. On a Restore, "true": workloads that use a volume are scaled down before it is written into, and up when that went well. */
  scaleWorkloads: 'lateen.dev/scale-workloads',
  /** Ours. On a workload that a restore has scaled down: `<uid of the restore>/<replicas before>`. */
  scaledDown: 'lateen.dev/scaled-down',
  /** Ours. On a VolumeSnapshot of old data: the claim that it is of, as JSON. */
  oldClaim: 'lateen.dev/old-claim',
  /**
   * Ours. On a Restore, or on a pod: pods are created when their claims have their data: "true", or a Go duration for how long at most
   * (docs/adr/0041).
   */
  waitForData: 'lateen.dev/wait-for-data',
  /**
   * Ours. On a Restore, or on a pod: what becomes of a pod when the data of one of its volumes could not be restored: "wait" (by default)
   * or "start" (docs/adr/0046).
   */
  onFailedPodVolume: 'lateen.dev/on-failed-pod-volume',
  /** Ours. On a pod that waits for its volumes, any text: it starts with what they have. */
  startWithoutData: 'lateen.dev/start-without-data',
  /** Ours. On a pod that waits for its volumes: the uid of the restore that has brought the data of all of them. */
  volumesRestored: 'lateen.dev/volumes-restored',
  /** Ours. On a PodVolumeRestore that the restore has cancelled: why. */
  canceledBecause: 'lateen.dev/canceled-because',
  /** Ours. On a Backup: the uid of the Schedule that made it. */
  scheduleUid: 'lateen.dev/schedule-uid',
  /** Ours. On an object that a restore has created: its owner references in the backup, as JSON, until they are put back (docs/adr/0037). */
  ownersInBackup: 'lateen.dev/owners-in-backup',
  /**
   * Ours. On a Backup: settings of the data mover for the DataUploads of it, as `KeepBaseSnapshot=true`, by commas (docs/adr/0082). A
   * Schedule hands its annotations on.
   */
  dataMoverConfig: 'lateen.dev/data-mover-config',
  /** Ours. On a VolumeSnapshot that stays for the next upload: of what it is and what was stored of it, as JSON (docs/adr/0081). */
  baseSnapshot: 'lateen.dev/base-snapshot',
  /** Ours. On a claim of a restorePod: written for its own sake, because a change makes the volume binder process the claim. */
  binderReminded: 'lateen.dev/binder-reminded',
} as const;

/** The key that gives a Backup's snapshot class for one CSI driver. */
export function perDriver(
  annotation: typeof annotations.csiVolumeSnapshotClass | typeof annotations.csiVolumeGroupSnapshotClassOfBackup,
  driver: string,
): string {
  return `${annotation}_${driver.toLowerCase()}`;
}
