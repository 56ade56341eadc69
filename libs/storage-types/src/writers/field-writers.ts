import { storageAnnotations } from '../names/annotations.ts';

/**
 * Who writes: rooms of the controllers by name; `recorder`, which makes failures of replicas durable from inside the instance manager;
 * `owner`, the take-over that every controller begins with; `user`, whoever has the rights, by kubectl, REST or CSI.
 */
export const fieldWriterNames = [
  'attachment',
  'backup',
  'clone',
  'engine',
  'engine-image',
  'instance-manager',
  'kubernetes-pv',
  'node',
  'orphan',
  'owner',
  'recorder',
  'recurring-job',
  'replica',
  'setting',
  'snapshot',
  'start',
  'tickets',
  'user',
  'volume',
] as const;
export type FieldWriter = (typeof fieldWriterNames)[number];

/** A field, or all below it that have no entry of their own, and the only ones that write it once the object exists. */
export interface FieldWriters {
  readonly kind: string;
  /** Steps from the object down; an annotation is one step. */
  readonly path: readonly string[];
  readonly writers: readonly FieldWriter[];
  /** What holds beside that. */
  readonly rule?: string;
}

const owner: readonly FieldWriter[] = ['owner'];
const annotation = (key: keyof typeof storageAnnotations) => ['metadata', 'annotations', storageAnnotations[key]];

/** Fields that several look at and few write. Whoever needs another writer changes it here first (docs/adr/0047). */
export const fieldWriters: readonly FieldWriters[] = [
  { kind: 'Volume', path: ['spec', 'nodeID'], writers: ['attachment'] },
  { kind: 'Volume', path: ['status'], writers: ['volume'] },
  { kind: 'Volume', path: ['status', 'ownerID'], writers: owner },
  { kind: 'Volume', path: ['status', 'kubernetesStatus'], writers: ['kubernetes-pv'] },
  {
    kind: 'Volume',
    path: ['status', 'cloneStatus'],
    writers: ['volume', 'clone'],
    rule: 'the volume room once, before the engine is made; what becomes of it the clone room, and with it the condition Restore of a clone',
  },
  { kind: 'Volume', path: annotation('format'), writers: ['volume'] },
  { kind: 'Volume', path: annotation('madeAs'), writers: ['volume'], rule: 'before anything is made for it' },
  { kind: 'Volume', path: annotation('salvageRequested'), writers: ['user'] },
  {
    kind: 'Volume',
    path: annotation('recurringJobs'),
    writers: ['volume'],
    rule: 'wanted before the restore begins; done in one write with the labels, and never changed afterwards',
  },
  {
    kind: 'Volume',
    path: ['metadata', 'labels'],
    writers: ['user', 'volume'],
    rule: 'the volume room those of recurring jobs that come back with a restored volume, once, and only keys that are not there',
  },
  {
    kind: 'Engine',
    path: annotation('generation'),
    writers: ['volume'],
    rule: 'one more with each start, guarded by the resourceVersion of the read that folded all failures; never less',
  },
  {
    kind: 'Engine',
    path: annotation('readPrimary'),
    writers: ['volume'],
    rule: 'together with the generation, or before the engine of it is let go',
  },
  {
    kind: 'Engine',
    path: annotation('starting'),
    writers: ['volume'],
    rule: 'set with the generation, taken away in the write that lets its engine start',
  },
  {
    kind: 'Engine',
    path: annotation('claimed'),
    writers: ['recorder'],
    rule: 'once for each generation, guarded by the resourceVersion of a read that has no claim of it',
  },
  { kind: 'Engine', path: annotation('cleanStop'), writers: ['engine'], rule: 'only what the host of the engine says' },
  {
    kind: 'Engine',
    path: annotation('restoreRequest'),
    writers: ['volume'],
    rule: 'in one write with spec.requestedBackupRestore',
  },
  { kind: 'Engine', path: ['spec'], writers: ['volume'] },
  {
    kind: 'Engine',
    path: ['spec', 'requestedDataSource'],
    writers: ['volume', 'clone'],
    rule: 'the volume room when it makes the engine; the clone room empties it when the engine has all of the copy',
  },
  { kind: 'Engine', path: ['status'], writers: ['engine'] },
  { kind: 'Engine', path: ['status', 'ownerID'], writers: owner },
  {
    kind: 'Engine',
    path: ['status', 'replicaModeMap'],
    writers: ['recorder', 'engine'],
    rule: 'the recorder writes ERR, by a patch that tests the generation, WO when it rebuilds one that has no mode, and RW over WO when that has all data, both guarded by resourceVersion; the engine room the rest, and never RW over ERR or over WO',
  },
  {
    kind: 'Engine',
    path: ['status', 'replicaTransitionTimeMap'],
    writers: ['recorder', 'engine'],
    rule: 'in one write with the mode',
  },
  { kind: 'Replica', path: annotation('promised'), writers: ['replica'], rule: 'never less' },
  { kind: 'Replica', path: annotation('killedIn'), writers: ['replica'], rule: 'with promised, in one update' },
  { kind: 'Replica', path: annotation('failureCause'), writers: ['recorder', 'volume'], rule: 'with failedAt' },
  { kind: 'Replica', path: annotation('replaces'), writers: ['volume'], rule: 'when it is made' },
  { kind: 'Replica', path: annotation('replacesBecause'), writers: ['volume'], rule: 'with replaces' },
  { kind: 'Replica', path: ['spec'], writers: ['volume'] },
  ...(['nodeID', 'diskID', 'diskPath', 'dataDirectoryName'] as const).map(
    (field): FieldWriters => ({
      kind: 'Replica',
      path: ['spec', field],
      writers: ['volume'],
      rule: 'once, when the replica is placed; never changed afterwards',
    }),
  ),
  {
    kind: 'Replica',
    path: ['spec', 'failedAt'],
    writers: ['recorder', 'volume'],
    rule: 'both set it; the volume room alone clears it, after a rebuild and by salvage',
  },
  { kind: 'Replica', path: ['spec', 'lastFailedAt'], writers: ['recorder', 'volume'], rule: 'with failedAt' },
  {
    kind: 'Replica',
    path: ['spec', 'healthyAt'],
    writers: ['volume'],
    rule: 'when the Engine has it as RW; cleared for a rebuild',
  },
  { kind: 'Replica', path: ['status'], writers: ['replica'] },
  { kind: 'Replica', path: ['status', 'ownerID'], writers: owner },
  { kind: 'VolumeAttachment', path: ['spec', 'attachmentTickets'], writers: ['tickets', 'user'] },
  { kind: 'VolumeAttachment', path: ['status'], writers: ['attachment'] },
  { kind: 'InstanceManager', path: ['status'], writers: ['instance-manager'] },
  { kind: 'InstanceManager', path: ['status', 'ownerID'], writers: owner },
  { kind: 'Node', path: ['spec'], writers: ['user'] },
  { kind: 'Node', path: ['spec', 'disks'], writers: ['user', 'node'], rule: 'the room only while there are none' },
  { kind: 'Node', path: ['spec', 'tags'], writers: ['user', 'node'], rule: 'the room only while there are none' },
  { kind: 'Node', path: annotation('defaultDisks'), writers: ['node'], rule: 'with spec.disks' },
  { kind: 'Node', path: ['status'], writers: ['node'] },
  {
    kind: 'RecurringJob',
    path: annotation('recurringRun'),
    writers: ['recurring-job'],
    rule: 'before anything is made of the run',
  },
  {
    kind: 'RecurringJob',
    path: ['spec'],
    writers: ['user', 'volume'],
    rule: 'the volume room makes one whole that is not there, and changes none',
  },
  { kind: 'RecurringJob', path: ['status'], writers: ['recurring-job'] },
  { kind: 'RecurringJob', path: ['status', 'ownerID'], writers: owner },
  {
    kind: 'Setting',
    path: ['value'],
    writers: ['user', 'start'],
    rule: 'start only those that say what a release is, which are read-only to users',
  },
  { kind: 'Setting', path: ['status'], writers: ['setting'] },
  { kind: 'EngineImage', path: ['status'], writers: ['engine-image'] },
  { kind: 'EngineImage', path: ['status', 'ownerID'], writers: owner },
  { kind: 'Orphan', path: ['status'], writers: ['orphan'] },
  { kind: 'Orphan', path: ['status', 'ownerID'], writers: owner },
  { kind: 'Snapshot', path: ['spec'], writers: ['user', 'clone'], rule: 'the clone room makes one whole, for itself' },
  { kind: 'Snapshot', path: ['status'], writers: ['snapshot'] },
  { kind: 'Snapshot', path: ['status', 'ownerID'], writers: owner },
  { kind: 'Backup', path: ['spec'], writers: ['user'] },
  { kind: 'Backup', path: ['status'], writers: ['backup'] },
  { kind: 'Backup', path: ['status', 'ownerID'], writers: owner },
];

/** The entry that a field of an object falls under, the one that says most of its path; undefined where there is none. */
export function writersOf(kind: string, path: readonly string[]): FieldWriters | undefined {
  return fieldWriters
    .filter((entry) => entry.kind === kind && entry.path.every((step, index) => path[index] === step))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}
