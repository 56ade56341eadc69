/**
 * Label keys on objects of the volume manager, as clients of Longhorn select by them. Each says which part of the manager writes it,
 * by its room (docs/adr/0047).
 */
export const storageLabels = {
  /** On Volume, Engine, Replica, Snapshot, VolumeAttachment: name of the volume. Written by whoever creates the object. */
  volume: 'longhornvolume',
  /** On Engine, Replica, Orphan: the node. Rooms `engine`, `replica`, `orphan`. */
  node: 'longhornnode',
  /** On Replica: identity of the disk. Room `volume`, when it places the replica. */
  diskUuid: 'longhorndiskuuid',
  /** On Volume, BackupVolume, Backup: name of the BackupTarget. Written by whoever creates the object. */
  backupTarget: 'backup-target',
  /** On Backup: name of the volume. Written by whoever creates the object: users too, whose Backup names a snapshot and no volume. */
  backupVolume: 'backup-volume',
  /** On pods and objects that the manager makes: what they are. */
  component: 'longhorn.io/component',
  /** On pods and objects that the manager makes. */
  managedBy: 'longhorn.io/managed-by',
  /** On InstanceManager and its pod. Room `instance-manager`. */
  instanceManagerImage: 'longhorn.io/instance-manager-image',
  instanceManagerType: 'longhorn.io/instance-manager-type',
  instanceManagerNode: 'longhorn.io/node',
  dataEngine: 'longhorn.io/data-engine',
  orphanType: 'longhorn.io/orphan-type',
  /** On a PVC: "enabled" makes its labels of recurring jobs count instead of the volume's. Written by users. */
  recurringJobSource: 'recurring-job.longhorn.io/source',
  /** On a node of Kubernetes: "true" or "config" makes its disks by default. Written by users. */
  createDefaultDisk: 'node.longhorn.io/create-default-disk',
} as const;

const recurringJobPrefix = 'recurring-job.longhorn.io/';
const recurringJobGroupPrefix = 'recurring-job-group.longhorn.io/';

/** Key that gives a Volume or PVC a recurring job, with the value {@link storageLabelValues.enabled}. */
export const recurringJobLabel = (job: string): string => `${recurringJobPrefix}${job}`;

/** The same for all jobs of a group. */
export const recurringJobGroupLabel = (group: string): string => `${recurringJobGroupPrefix}${group}`;

/** The job or group that a label key names; undefined for other keys, the source label among them. */
export function recurringJobOfLabel(key: string): { job: string } | { group: string } | undefined {
  if (key === storageLabels.recurringJobSource) return undefined;
  if (key.startsWith(recurringJobPrefix)) return { job: key.slice(recurringJobPrefix.length) };
  if (key.startsWith(recurringJobGroupPrefix)) return { group: key.slice(recurringJobGroupPrefix.length) };
  return undefined;
}

/** Values of fixed meaning. */
export const storageLabelValues = {
  enabled: 'enabled',
  /** `storageLabels.managedBy`. */
  manager: 'longhorn-manager',
  /** `storageLabels.component`. */
  instanceManager: 'instance-manager',
  orphan: 'orphan',
  /** Group of volumes that have no label of a job or group. */
  defaultGroup: 'default',
} as const;

/** Labels inside snapshots and backups, as they stand in the backup store (longhorn-backupstore.md section 3). */
export const backupLabels = {
  accessMode: 'longhorn.io/volume-access-mode',
  /** JSON text of the volume's `status.kubernetesStatus`. */
  kubernetesStatus: 'KubernetesStatus',
  /** JSON text; taken out of the Backup object again. */
  recurringJobInfo: 'VolumeRecurringJobInfo',
  /** Name of the RecurringJob that made it. */
  recurringJob: 'RecurringJob',
  encrypted: 'volume-encrypted',
} as const;
