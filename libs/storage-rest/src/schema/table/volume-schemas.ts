import { each, flag, integer, list, map, marked, text } from '../field.ts';
import { plainSchema, type ResourceSchema, resourceSchema } from '../resource-schema.ts';
import { volumeActionRows } from '../volume-action-row.ts';

const instance = text('name', 'hostId', 'address', 'image', 'currentImage', 'instanceManagerName');
const condition = text('type', 'status', 'lastProbeTime', 'lastTransitionTime', 'reason', 'message');
const created = marked('string', 'C');
const ignored = marked('string', 'CR', 'ignored');

/** A volume as it is listed and made. Defaults are told and not applied: the server fills in from settings. */
const volume = resourceSchema(
  'volume',
  {
    ...text('restoreVolumeRecurringJob', 'state', 'robustness', 'image', 'currentImage', 'created', 'lastBackup'),
    ...text('lastBackupAt', 'lastAttachedBy', 'backupBlockSize', 'snapshotMaxSize', 'freezeFilesystemForSnapshot'),
    ...text('backupTargetName', 'replicaAutoBalance', 'notReadyMessage', 'shareEndpoint', 'shareState'),
    ...text('offlineRebuilding'),
    ...flag('disableFrontend', 'restoreRequired', 'restoreInitiated', 'ready', 'migratable', 'encrypted'),
    ...integer('snapshotMaxCount', 'replicaRebuildingBandwidthLimit', 'ublkQueueDepth', 'ublkNumberOfQueue'),
    name: marked('string', 'CRU'),
    size: marked('string', 'CR', '100G'),
    numberOfReplicas: marked('int', 'CR', 2),
    frontend: created,
    fromBackup: created,
    dataSource: created,
    cloneMode: created,
    backingImage: created,
    diskSelector: marked('array[string]', 'C'),
    nodeSelector: marked('array[string]', 'C'),
    dataLayout: marked('VolumeDataLayout', 'C'),
    dataLocality: marked('string', 'C', 'disabled'),
    snapshotDataIntegrity: marked('string', 'C', 'ignored'),
    backupCompressionMethod: marked('string', 'C', 'lz4'),
    accessMode: marked('string', 'C', 'rwo'),
    staleReplicaTimeout: marked('int', 'C', 2880),
    standby: marked('bool', 'C', false),
    recurringJobSelector: marked('array[volumeRecurringJob]', 'C'),
    rebuildConcurrentSyncLimit: marked('int', 'C', 0),
    revisionCounterDisabled: marked('bool', 'CR', false),
    unmapMarkSnapChainRemoved: ignored,
    replicaSoftAntiAffinity: ignored,
    replicaZoneSoftAntiAffinity: ignored,
    replicaDiskSoftAntiAffinity: ignored,
    dataEngine: marked('string', 'CR', 'v1'),
    controllers: marked('array[controller]', 'N'),
    ...each('array[replica]', 'replicas'),
    ...each('map[volumeCondition]', 'conditions'),
    ...each('kubernetesStatus', 'kubernetesStatus'),
    ...each('cloneStatus', 'cloneStatus'),
    ...each('volumeAttachment', 'volumeAttachment'),
    ...each('array[backupStatus]', 'backupStatus'),
    ...each('array[restoreStatus]', 'restoreStatus'),
    ...each('array[purgeStatus]', 'purgeStatus'),
    ...each('array[rebuildStatus]', 'rebuildStatus'),
  },
  {
    collectionMethods: ['GET', 'POST'],
    resourceMethods: ['GET', 'DELETE'],
    actions: Object.fromEntries(volumeActionRows.map(({ name, said }) => [name, said])),
  },
);

/** A volume and what it is made of. */
export const volumeSchemas: readonly ResourceSchema[] = [
  volume,
  plainSchema('replica', {
    ...instance,
    ...flag('running'),
    ...text('diskID', 'diskPath', 'dataPath', 'mode', 'failedAt', 'dataEngine'),
  }),
  plainSchema('controller', {
    ...instance,
    ...flag('running', 'isExpanding', 'unmapMarkSnapChainRemovedEnabled'),
    ...text('size', 'actualSize', 'endpoint', 'lastRestoredBackup', 'requestedBackupRestore'),
    ...text('lastExpansionError', 'lastExpansionFailedAt'),
  }),
  resourceSchema('backupStatus', {
    ...text('snapshot', 'backupURL', 'error', 'state', 'replica', 'size'),
    ...integer('progress'),
  }),
  resourceSchema('restoreStatus', {
    ...text('replica', 'lastRestored', 'error', 'filename', 'state', 'backupURL'),
    ...flag('isRestoring'),
    ...integer('progress'),
  }),
  resourceSchema('purgeStatus', { ...text('replica', 'error', 'state'), ...flag('isPurging'), ...integer('progress') }),
  resourceSchema('rebuildStatus', {
    ...text('replica', 'error', 'state'),
    ...flag('isRebuilding'),
    ...integer('progress'),
    ...list('fromReplicaList'),
  }),
  plainSchema('kubernetesStatus', {
    ...text('pvName', 'pvStatus', 'namespace', 'pvcName', 'lastPVCRefAt', 'lastPodRefAt'),
    ...list('workloadsStatus'),
  }),
  plainSchema('workloadStatus', text('podName', 'podStatus', 'workloadName', 'workloadType')),
  plainSchema('cloneStatus', {
    ...text('sourceVolume', 'snapshot', 'state', 'nextAllowedAttemptAt'),
    ...integer('attemptCount'),
  }),
  plainSchema('volumeDataLayout', {
    ...text('type', 'mode'),
    ...integer('dataChunks', 'parityChunks', 'stripSizeKB'),
  }),
  plainSchema('attachment', {
    ...text('attachmentID', 'attachmentType', 'nodeID'),
    ...map('parameters'),
    ...flag('satisfied'),
    ...each('array[longhornCondition]', 'conditions'),
  }),
  resourceSchema('volumeAttachment', { ...text('volume'), ...each('map[attachment]', 'attachments') }),
  plainSchema('volumeCondition', condition),
  plainSchema('nodeCondition', condition),
  plainSchema('diskCondition', condition),
  plainSchema('longhornCondition', condition),
  resourceSchema('volumeRecurringJob', { ...text('name'), ...flag('isGroup') }),
  resourceSchema('snapshot', {
    ...text('name', 'parent', 'created', 'size', 'checksum'),
    ...flag('removed', 'usercreated'),
    ...map('labels'),
    ...each('map[bool]', 'children'),
  }),
  resourceSchema('snapshotCR', {
    ...text('name', 'crCreationTime', 'volume', 'parent', 'creationTime', 'ownerID', 'error', 'checksum'),
    ...flag('createSnapshot', 'markRemoved', 'userCreated', 'readyToUse'),
    ...integer('size', 'restoreSize'),
    ...map('labels'),
    ...each('map[bool]', 'children'),
  }),
];
