import { each, flag, integer, list, map, marked, text } from '../field.ts';
import { plainSchema, type ResourceSchema, resourceSchema } from '../resource-schema.ts';

const listedAndMade = { collectionMethods: ['GET', 'POST'], resourceMethods: ['GET', 'DELETE'] } as const;

/** Backups and where they are kept; images and archives, which this volume manager has none of. */
export const backupSchemas: readonly ResourceSchema[] = [
  resourceSchema(
    'backupTarget',
    {
      name: marked('string', 'CRU'),
      backupTargetURL: marked('string', 'C', ''),
      credentialSecret: marked('string', 'C', ''),
      pollInterval: marked('string', 'C', '300'),
      ...flag('available'),
      ...text('message'),
    },
    {
      collectionMethods: ['GET', 'POST'],
      resourceMethods: ['GET', 'PUT', 'DELETE'],
      // Both answer one target, whatever is said here.
      actions: {
        backupTargetSync: { input: 'syncBackupResource', output: 'backupTargetListOutput' },
        backupTargetUpdate: { input: 'backupTarget', output: 'backupTargetListOutput' },
      },
    },
  ),
  resourceSchema(
    'backupVolume',
    {
      ...text('name', 'volumeName', 'backupTargetName', 'size', 'created', 'lastBackupName', 'lastBackupAt'),
      ...text('dataStored', 'backingImageName', 'backingImageChecksum', 'storageClassName'),
      ...map('labels', 'messages'),
    },
    {
      resourceMethods: ['GET', 'PUT', 'DELETE'],
      actions: {
        backupList: { output: 'backupListOutput' },
        backupListByVolume: { input: 'volume', output: 'backupListOutput' },
        backupGet: { input: 'backupInput', output: 'backup' },
        backupDelete: { input: 'backupInput', output: 'backupVolume' },
        backupVolumeSync: { input: 'syncBackupResource', output: 'backupVolumeListOutput' },
      },
    },
  ),
  resourceSchema('backup', {
    ...text('name', 'state', 'error', 'url', 'snapshotName', 'snapshotCreated', 'created', 'size', 'backupMode'),
    ...text('volumeName', 'volumeSize', 'volumeCreated', 'volumeBackingImageName', 'compressionMethod'),
    ...text('newlyUploadDataSize', 'reUploadedDataSize', 'backupTargetName', 'blockSize'),
    ...integer('progress'),
    ...map('labels', 'messages'),
  }),
  resourceSchema(
    'syncBackupResource',
    flag('syncAllBackupTargets', 'syncBackupTarget', 'syncAllBackupVolumes', 'syncBackupVolume'),
  ),
  resourceSchema(
    'backingImage',
    {
      name: marked('string', 'CRU'),
      sourceType: marked('string', 'CR'),
      parameters: marked('map[string]', 'CR'),
      expectedChecksum: marked('string', 'C'),
    },
    {
      ...listedAndMade,
      actions: {
        backingImageCleanup: { input: 'backingImageCleanupInput', output: 'backingImage' },
        upload: {},
        backupBackingImageCreate: {},
        updateMinNumberOfCopies: { input: 'updateMinNumberOfCopiesInput', output: 'backingImage' },
      },
    },
  ),
  plainSchema('backingImageDiskFileStatus', text('state', 'message')),
  resourceSchema('backupBackingImage', text('name'), {
    resourceMethods: ['GET', 'DELETE'],
    actions: { backupBackingImageRestore: { input: 'backingImageRestoreInput' } },
  }),
  resourceSchema(
    'systemBackup',
    {
      name: marked('string', 'CRU'),
      ...text('volumeBackupPolicy', 'version', 'managerImage', 'state', 'createdAt', 'error'),
    },
    listedAndMade,
  ),
  resourceSchema(
    'systemRestore',
    {
      name: marked('string', 'CRU'),
      systemBackup: marked('string', 'RU'),
      ...text('state', 'createdAt', 'error'),
    },
    listedAndMade,
  ),
  resourceSchema('supportBundle', {
    ...text('nodeID', 'name', 'state', 'errorMessage'),
    ...integer('progressPercentage'),
  }),
  resourceSchema(
    'recurringJob',
    {
      name: marked('string', 'CRU'),
      cron: marked('string', 'CR'),
      retain: marked('int', 'CR'),
      concurrency: marked('int', 'CR'),
      groups: marked('array[string]', 'N'),
      labels: marked('map[string]', 'N'),
      parameters: marked('map[string]', 'N'),
      ...text('task', 'ownerID'),
      ...integer('executionCount'),
    },
    { collectionMethods: ['GET', 'POST'], resourceMethods: ['GET', 'PUT', 'DELETE'] },
  ),
  resourceSchema(
    'setting',
    {
      name: marked('string', 'RU'),
      value: { type: 'string', required: true, update: true },
      ...flag('applied'),
      ...each('settingDefinition', 'definition'),
    },
    { resourceMethods: ['GET', 'PUT'] },
  ),
  plainSchema('settingDefinition', {
    ...text('displayName', 'description', 'category', 'type', 'default'),
    ...flag('required', 'readOnly', 'dataEngineSpecific'),
    ...list('options'),
    ...map('range', 'floatRange'),
  }),
];
