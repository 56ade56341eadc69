import { each, type Fields, flag, integer, list, map, text } from '../field.ts';
import { plainSchema, type ResourceSchema } from '../resource-schema.ts';

/** `UpdateXInput` has one field, `x`. */
const update = (field: string, type = 'string', name = `Update${field[0]?.toUpperCase()}${field.slice(1)}Input`) =>
  plainSchema(name, each(type, field));

const input = (id: string, fields: Fields): ResourceSchema => plainSchema(id, fields);

/** What actions take, and lists that they give. */
export const inputSchemas: readonly ResourceSchema[] = [
  input('attachInput', {
    ...text('hostId', 'attachedBy', 'attacherType', 'attachmentID'),
    ...flag('disableFrontend'),
  }),
  input('detachInput', { ...text('attachmentID', 'hostId'), ...flag('forceDetach') }),
  input('salvageInput', list('names')),
  input('activateInput', text('frontend')),
  input('expandInput', text('size')),
  input('snapshotInput', { ...text('name', 'backupMode'), ...map('labels') }),
  input('snapshotCRInput', { ...text('name'), ...map('labels') }),
  input('backupInput', text('name')),
  input('replicaRemoveInput', text('name')),
  input('engineUpgradeInput', text('image')),
  // Clients send a map by the names of the disks, whatever the schema says.
  input('diskUpdateInput', each('array[diskUpdate]', 'disks')),
  input('volumeRecurringJobInput', { ...text('name'), ...flag('isGroup') }),
  input('PVCreateInput', text('pvName', 'fsType', 'secretName', 'secretNamespace', 'storageClassName')),
  input('PVCCreateInput', text('namespace', 'pvcName')),
  input('supportBundleInitateInput', text('issueURL', 'description')),
  input('backingImageCleanupInput', list('disks')),
  input('updateMinNumberOfCopiesInput', integer('minNumberOfCopies')),
  input('backingImageRestoreInput', text('secret', 'secretNamespace')),
  update('replicaCount', 'int'),
  update('replicaAutoBalance'),
  update('dataLocality'),
  update('accessMode'),
  update('unmapMarkSnapChainRemoved'),
  update('snapshotDataIntegrity'),
  update('snapshotMaxCount', 'int'),
  update('snapshotMaxSize'),
  update('rebuildConcurrentSyncLimit', 'int'),
  update('replicaRebuildingBandwidthLimit'),
  update('replicaSoftAntiAffinity'),
  update('replicaZoneSoftAntiAffinity'),
  update('replicaDiskSoftAntiAffinity'),
  update('ublkQueueDepth', 'int'),
  update('ublkNumberOfQueue', 'int'),
  update('freezeFilesystemForSnapshot'),
  update('offlineRebuilding'),
  update('backupCompressionMethod', 'string', 'UpdateBackupCompressionInput'),
  update('backupTargetName', 'string', 'UpdateBackupTargetInput'),
  input('backupTargetListOutput', each('array[backupTarget]', 'data')),
  input('backupVolumeListOutput', each('array[backupVolume]', 'data')),
  input('backupListOutput', each('array[backup]', 'data')),
  input('snapshotListOutput', each('array[snapshot]', 'data')),
  input('snapshotCRListOutput', each('array[snapshotCR]', 'data')),
];
