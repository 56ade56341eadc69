/** Label keys (api.md section 14). Values pass through `getValidName`. */
export const labels = {
  backupName: 'velero.io/backup-name',
  backupUid: 'velero.io/backup-uid',
  restoreName: 'velero.io/restore-name',
  restoreUid: 'velero.io/restore-uid',
  scheduleName: 'velero.io/schedule-name',
  storageLocation: 'velero.io/storage-location',
  volumeNamespace: 'velero.io/volume-namespace',
  repositoryType: 'velero.io/repository-type',
  podUid: 'velero.io/pod-uid',
  pvcUid: 'velero.io/pvc-uid',
  /** On data-mover pods; the value is the object's name. */
  dataUpload: 'velero.io/data-upload',
  dataDownload: 'velero.io/data-download',
  podVolumeBackup: 'velero.io/pod-volume-backup',
  podVolumeRestore: 'velero.io/pod-volume-restore',
  exposerPodGroup: 'velero.io/exposer-pod-group',
  /** "true" on data movements that are Accepted or Prepared; the prepare queue counts it. */
  exposeOnGoing: 'velero.io/expose-on-going',
  asyncOperationId: 'velero.io/async-operation-id',
  dataUploadSnapshotInfo: 'velero.io/data-upload-snapshot-info',
  pvcNamespaceName: 'velero.io/pvc-namespace-name',
  resourceUsage: 'velero.io/resource-usage',
  volumeSnapshotName: 'velero.io/volume-snapshot-name',
  dynamicPvRestore: 'velero.io/dynamic-pv-restore',
  csiVolumeSnapshotClass: 'velero.io/csi-volumesnapshot-class',
  csiVolumeGroupSnapshotClass: 'velero.io/csi-volumegroupsnapshot-class',
  volumeGroup: 'velero.io/volume-group',
  excludeFromBackup: 'velero.io/exclude-from-backup',
  /** Value through `returnNameOrHash`, not `getValidName`. */
  repoName: 'velero.io/repo-name',
  /** Ours: what a Job does with a repository (`maintain`, `check` …); Velero's Jobs, which have none, maintain. */
  repositoryOperation: 'lateen.dev/repository-operation',
  /** Ours: "true" on a ConfigMap that lists snapshots which a repository is to forget (docs/adr/0032). */
  forgetRequest: 'lateen.dev/forget-request',
  /** Ours: on what a movement makes and cannot own (libs/exposer); the value is the movement's uid. */
  exposedFor: 'lateen.dev/exposed-for',
  /** Ours: on a copy of a PersistentVolume by which a movement reaches a volume that it does not own; the value is the movement's uid. */
  lentTo: 'lateen.dev/lent-to',
  /** Ours: on a VolumeSnapshot of what a volume had before a restore wrote into it; the value is the restore's uid. */
  oldDataOf: 'lateen.dev/old-data-of',
  /** Ours: on a VolumeSnapshot that stays for the next upload of a claim; the value is the uid of the claim (docs/adr/0081). */
  baseOf: 'lateen.dev/base-of',
  /** Ours: on a Secret or ConfigMap that movements have beside them for the driver of their volumes; the value is the namespace of the original. */
  copiedFrom: 'lateen.dev/copied-from',
  gcFailure: 'velero.io/gc-failure',
  pluginConfig: 'velero.io/plugin-config',
  component: 'component',
  deploy: 'deploy',
  name: 'name',
  role: 'role',
  /** Kept from the source VolumeSnapshotContent (data-movement.md section 4). */
  managedBy: 'snapshot.storage.kubernetes.io/managed-by',
  azureWorkloadIdentity: 'azure.workload.identity/use',
} as const;

/** Values of fixed meaning. */
export const labelValues = {
  /** Most flags are `label = "true"`. */
  true: 'true',
  /** `labels.exposerPodGroup` of backup and restore pods. */
  snapshotExposer: 'snapshot-exposer',
  genericRestoreExposer: 'generic-restore-exposer',
  /** `labels.resourceUsage`. */
  dataUploadUsage: 'DataUpload',
  /** `labels.name` and `labels.role` of the DaemonSet's pods. */
  nodeAgent: 'node-agent',
  /** `labels.component` and `labels.deploy` of an installation. */
  velero: 'velero',
  /** `labels.gcFailure`. */
  gcLocationNotFound: 'BSLNotFound',
  gcLocationCannotGet: 'BSLCannotGet',
  gcLocationReadOnly: 'BSLReadOnly',
  gcLocationUnavailable: 'BSLUnavailable',
} as const;
