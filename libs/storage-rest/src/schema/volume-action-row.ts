import type { ActionTypes } from './resource-schema.ts';

/** In which states an action stands in a volume's `actions`. A route answers in any state, and may refuse by a check of its own. */
export type Offered =
  | 'always'
  | 'faulted'
  | 'not-faulted'
  | 'attached'
  | 'detached'
  | 'detached-attached'
  | 'detached-attaching-attached'
  | 'never';

/** What the answer to an action is. `bare` is the volume without replicas, controllers and backups. */
export type AnswerKind =
  | 'bare'
  | 'full'
  | 'snapshot'
  | 'snapshots'
  | 'snapshotCR'
  | 'snapshotCRs'
  | 'recurringJobs'
  | 'empty-resource'
  | 'no-body';

export interface VolumeActionRow {
  readonly name: string;
  /** Schema that the body is read by; absent: the body is not read. */
  readonly reads?: string;
  readonly offered: Offered;
  readonly answer: AnswerKind;
  /** What the schema of volume says of it. */
  readonly said: ActionTypes;
}

type Parts = { answer?: AnswerKind; said?: ActionTypes };

const row = (
  name: string,
  offered: Offered,
  reads?: string,
  { answer = 'bare', said }: Parts = {},
): VolumeActionRow => ({
  name,
  ...(reads === undefined ? {} : { reads }),
  offered,
  answer,
  said: said ?? { ...(reads === undefined ? {} : { input: reads }), output: outputs[answer] },
});

const outputs: Readonly<Record<AnswerKind, string>> = {
  bare: 'volume',
  full: 'volume',
  snapshot: 'snapshot',
  snapshots: 'snapshotListOutput',
  snapshotCR: 'snapshotCR',
  snapshotCRs: 'snapshotCRListOutput',
  recurringJobs: 'volumeRecurringJob',
  'empty-resource': 'empty',
  'no-body': 'snapshot',
};

/** One that sets a field: the schema names no output for it. */
const update = (name: string, offered: Offered, reads: string, input = reads): VolumeActionRow =>
  row(name, offered, reads, { said: { input } });

const updatesOf = (offered: Offered, ...fields: readonly string[]): VolumeActionRow[] =>
  fields.map((field) => update(`update${field}`, offered, `Update${field}Input`));

/** All actions of a volume (longhorn-api.md section 6), in the order of that table. */
export const volumeActionRows: readonly VolumeActionRow[] = [
  row('attach', 'always', 'attachInput'),
  row('detach', 'always', 'detachInput'),
  row('salvage', 'faulted', 'salvageInput'),
  row('activate', 'detached-attached', 'activateInput'),
  row('expand', 'detached-attached', 'expandInput'),
  row('cancelExpansion', 'detached-attaching-attached'),
  update('offlineReplicaRebuilding', 'detached-attaching-attached', 'UpdateOfflineRebuildingInput'),
  row('trimFilesystem', 'attached'),
  row('replicaRemove', 'detached-attached', 'replicaRemoveInput', { answer: 'full' }),
  row('engineUpgrade', 'detached-attached', 'engineUpgradeInput', { answer: 'full' }),
  row('snapshotPurge', 'attached', undefined, { answer: 'full' }),
  row('snapshotCreate', 'attached', 'snapshotInput', { answer: 'snapshot' }),
  row('snapshotGet', 'attached', 'snapshotInput', { answer: 'snapshot' }),
  row('snapshotList', 'attached', undefined, { answer: 'snapshots' }),
  row('snapshotDelete', 'attached', 'snapshotInput', { answer: 'full' }),
  row('snapshotRevert', 'attached', 'snapshotInput', { answer: 'no-body' }),
  row('snapshotBackup', 'not-faulted', 'snapshotInput', { answer: 'full' }),
  row('snapshotCRCreate', 'not-faulted', 'snapshotCRInput', { answer: 'snapshotCR' }),
  row('snapshotCRGet', 'not-faulted', 'snapshotCRInput', { answer: 'snapshotCR' }),
  row('snapshotCRList', 'not-faulted', undefined, { answer: 'snapshotCRs' }),
  row('snapshotCRDelete', 'not-faulted', 'snapshotCRInput', { answer: 'empty-resource' }),
  row('pvCreate', 'detached-attached', 'PVCreateInput', { answer: 'full' }),
  row('pvcCreate', 'detached-attached', 'PVCCreateInput', { answer: 'full' }),
  row('recurringJobAdd', 'detached-attaching-attached', 'volumeRecurringJobInput', { answer: 'recurringJobs' }),
  row('recurringJobDelete', 'detached-attaching-attached', 'volumeRecurringJobInput', { answer: 'recurringJobs' }),
  row('recurringJobList', 'detached-attaching-attached', undefined, { answer: 'recurringJobs' }),
  update('updateReplicaCount', 'attached', 'UpdateReplicaCountInput'),
  update('updateAccessMode', 'detached', 'UpdateAccessModeInput'),
  ...updatesOf('detached', 'UblkQueueDepth', 'UblkNumberOfQueue'),
  // Two inputs that name no type; clients send the field whatever the schema says.
  update('updateReplicaAutoBalance', 'detached-attached', 'UpdateReplicaAutoBalanceInput', 'ReplicaAutoBalance'),
  update(
    'updateBackupCompressionMethod',
    'detached-attached',
    'UpdateBackupCompressionInput',
    'UpdateBackupCompressionMethodInput',
  ),
  update('updateBackupTargetName', 'detached-attached', 'UpdateBackupTargetInput'),
  ...updatesOf(
    'detached-attached',
    'DataLocality',
    'UnmapMarkSnapChainRemoved',
    'SnapshotDataIntegrity',
    'ReplicaSoftAntiAffinity',
    'ReplicaZoneSoftAntiAffinity',
    'ReplicaDiskSoftAntiAffinity',
    'FreezeFilesystemForSnapshot',
    'SnapshotMaxCount',
    'RebuildConcurrentSyncLimit',
    'SnapshotMaxSize',
    'ReplicaRebuildingBandwidthLimit',
  ),
  // Stands in the schema and has no route.
  row('jobList', 'never', undefined, { said: {} }),
];
