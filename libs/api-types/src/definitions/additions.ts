/** Something that a CRD of ours has and that of Velero does not, by its place below the schema of the kind. */
export interface Addition {
  /** Plural of the kind. */
  resource: string;
  /** Property, or list of values, from the schema down: `spec.properties.cancel`. */
  path: string;
  /** Values added to an enumeration; absent where the whole property is ours. */
  values?: readonly string[];
}

/**
 * All that we add to the API of Velero. Each is optional, so objects of Velero stay valid; Velero prunes what it
 * does not know. When it decides, the entry goes.
 */
export const additions: readonly Addition[] = [
  { resource: 'backups', path: 'spec.properties.cancel' },
  { resource: 'backups', path: 'status.properties.phase.enum', values: ['Canceling', 'Canceled'] },
  { resource: 'backups', path: 'spec.properties.metadata.properties.annotations' },
  { resource: 'schedules', path: 'spec.properties.template.properties.cancel' },
  { resource: 'schedules', path: 'spec.properties.template.properties.metadata.properties.annotations' },
  ...['existingVolumeDataPolicy', 'skipDefaultResourceModifier', 'ownerRefConfigMap', 'dryRun', 'cancel'].map(
    (name) => ({
      resource: 'restores',
      path: `spec.properties.${name}`,
    }),
  ),
  { resource: 'restores', path: 'spec.properties.uploaderConfig.properties.deleteExtraFiles' },
  { resource: 'restores', path: 'spec.properties.uploaderConfig.properties.directRestore' },
  { resource: 'restores', path: 'status.properties.phase.enum', values: ['Canceling', 'Canceled'] },
  { resource: 'backups', path: 'spec.properties.backupType' },
  { resource: 'schedules', path: 'spec.properties.template.properties.backupType' },
  { resource: 'datauploads', path: 'spec.properties.parentSnapshot' },
  { resource: 'datauploads', path: 'status.properties.changedBlocks' },
  { resource: 'podvolumebackups', path: 'spec.properties.parentSnapshot' },
  { resource: 'datadownloads', path: 'spec.properties.restoreType' },
  { resource: 'datadownloads', path: 'status.properties.throughput' },
  { resource: 'podvolumerestores', path: 'spec.properties.restoreType' },
  { resource: 'podvolumerestores', path: 'status.properties.throughput' },
  {
    resource: 'downloadrequests',
    path: 'spec.properties.target.properties.kind.enum',
    values: ['BackupItemOutcomes', 'RestoreItemOutcomes', 'RestorePlan'],
  },
];
