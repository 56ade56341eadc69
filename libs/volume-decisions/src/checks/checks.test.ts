import type { VolumeSpec, VolumeState } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkBackupTargetAvailable,
  checkBackupTargetDeletion,
  checkBackupTargetSync,
  checkBackupTargetUpdate,
} from './backup-target-checks.ts';
import { deniedByWebhook, unableToCreateVolume } from './check.ts';
import { checkEngineImageDeletion } from './engine-image-checks.ts';
import { checkNewVolume } from './new-volume.ts';
import { checkNodeDeletion, checkNodeUpdate, checkTags, type NodeUpdateSeen } from './node-checks.ts';
import { checkRecurringJob, normalizedRecurringJob } from './recurring-job-checks.ts';
import { checkSettingInCluster } from './setting-in-cluster.ts';
import {
  checkActivate,
  checkAttach,
  checkDetach,
  checkEngineIsRunning,
  checkExpand,
  checkHasNoClaim,
  checkHasNoPersistentVolume,
  checkNotMigrating,
  checkNotStandby,
  checkReplicaRemove,
  checkRevert,
  checkSnapshotLabels,
} from './volume-actions.ts';
import { checkReplicaCountState, checkVolumeUpdate } from './volume-update.ts';

const usual: VolumeSpec = { size: '10737418240', numberOfReplicas: 3, frontend: 'blockdev', dataEngine: 'v1' };
/** Input from outside can be any text, whatever the type says. */
const spec = (parts: Record<string, unknown>): VolumeSpec => ({ ...usual, ...parts });
const newVolume = (parts: Record<string, unknown>, name = 'vol') =>
  checkNewVolume({ name, spec: spec(parts), nodeTags: new Set(['ssd']), diskTags: new Set(['fast']) });

describe('a new volume', () => {
  it('is accepted with usual values', () => {
    expect(newVolume({})).toBeUndefined();
    expect(newVolume({ nodeSelector: ['ssd'], diskSelector: ['fast'], snapshotMaxSize: '0' })).toBeUndefined();
  });
  it.each<[Record<string, unknown>, string]>([
    [{ diskSelector: ['slow'] }, 'specified disk tag slow does not exist'],
    [{ nodeSelector: ['hdd'] }, 'specified node tag hdd does not exist'],
    [{ frontend: 'tape' }, 'invalid volume frontend specified: tape for data engine v1 '],
    [{ frontend: '' }, 'invalid volume frontend specified:  for data engine v1 '],
    [{ numberOfReplicas: 0 }, 'replica count value 0 must between 1 to 20'],
    [{ numberOfReplicas: 21 }, 'replica count value 21 must between 1 to 20'],
    [{ dataLocality: 'near' }, 'invalid data locality mode: near'],
    [{ accessMode: 'rox' }, 'invalid access mode: rox'],
    [{ dataLocality: 'strict-local' }, 'number of replica count should be 1 when data locality is strict-local'],
    [{ snapshotMaxCount: 1 }, 'snapshot max count should be between 2 to 250'],
    [{ snapshotMaxCount: 251 }, 'snapshot max count should be between 2 to 250'],
    [{ size: 'ten' }, 'invalid volume size "ten": it is not a whole number of bytes'],
    [{ size: '' }, 'invalid volume size "": it is not a whole number of bytes'],
    [{ size: '-1' }, 'invalid volume size "-1": it is not a whole number of bytes'],
    [{ snapshotMaxSize: '-1' }, 'snapshot max size can not be 0 and at least twice of volume size'],
    [{ snapshotMaxSize: '21474836479' }, 'snapshot max size can not be 0 and at least twice of volume size'],
    [{ backupBlockSize: '4194304' }, 'unsupported BackupBlockSize: 4194304'],
    [{ Standby: true, frontend: '' }, 'failed to create standby volume vol without field FromBackup'],
    [{ accessMode: 'rwx' }, 'access mode rwx is not supported by this volume manager: take rwo, or rwop'],
    [{ dataEngine: 'v2' }, 'data engine v2 is not supported by this volume manager: take v1'],
    [{ frontend: 'iscsi' }, 'frontend iscsi is not supported by this volume manager: take blockdev'],
    [{ encrypted: true }, 'encrypted volumes are not supported by this volume manager: encrypt the disks of the nodes'],
    [{ migratable: true }, 'migratable volumes are not supported by this volume manager: leave migratable out'],
    [{ cloneMode: 'linked-clone' }, 'clone mode linked-clone is not supported by this volume manager: take full-copy'],
    [{ dataSource: 'v' }, 'invalid data source "v": write vol://VOLUME or snap://VOLUME/SNAPSHOT'],
    [
      { dataSource: 'vol://v', fromBackup: 's3://b@r/?backup=x&volume=y' },
      'a volume begins with a backup or with a data source, not with both',
    ],
    [{ backingImage: 'x' }, 'backing images are not supported by this volume manager: clone or restore a volume'],
  ])('is refused with %j: %s', (parts, refusal) => {
    expect(newVolume(parts)).toBe(refusal);
  });
  it('may start from a backup, as an active or a standby volume', () => {
    const fromBackup = 's3://b@r/?backup=x&volume=y';
    expect(newVolume({ fromBackup })).toBeUndefined();
    expect(newVolume({ Standby: true, frontend: '', fromBackup })).toBeUndefined();
  });
  it.each(['vol://v', 'snap://v/s'])('may start from data source %s', (dataSource) => {
    expect(newVolume({ dataSource })).toBeUndefined();
  });
  it.each([
    ['Vol', 'invalid name Vol'],
    ['v', 'invalid name v'],
    ['-vol', 'invalid name -vol'],
    ['vol_1', /^invalid volume name: vol_1 /],
    ['v'.repeat(64), /^invalid volume name: /],
  ])('is refused with name %s', (name, refusal) => {
    expect(newVolume({}, name)).toMatch(refusal);
  });
  it('gets its refusal in the wording that clients look for', () => {
    expect(unableToCreateVolume(newVolume({ nodeSelector: ['hdd'] }) ?? '')).toBe(
      'unable to create volume: specified node tag hdd does not exist',
    );
    expect(deniedByWebhook('x')).toBe('admission webhook "validator.longhorn.io" denied the request: x');
  });
  it('is checked without an exception, whatever its fields contain', () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.bigInt().map(String));
    const fields = [
      'size',
      'frontend',
      'numberOfReplicas',
      'dataLocality',
      'accessMode',
      'snapshotMaxSize',
      'dataEngine',
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), value.map(String)), fc.string(), (parts, name) => {
        const refusal = newVolume(parts, name);
        expect(refusal === undefined || refusal.length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

const facts = (parts = {}) => ({
  name: 'vol',
  state: 'detached' as VolumeState,
  isStandby: false,
  restoreRequired: false,
  restoreInitiated: false,
  node: 'n1',
  nodeIsReady: true,
  scheduledReplicas: 3,
  ...parts,
});

describe('actions of a volume', () => {
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [
      { nodeIsReady: false },
      "unable to attach volume vol to n1: node n1 is not ready, couldn't attach volume vol to it",
    ],
    [{ scheduledReplicas: 0 }, 'unable to attach volume vol to n1: volume vol has no scheduled replicas'],
    [{ restoreRequired: true }, 'unable to attach volume vol to n1: volume vol is pending restoring'],
    [
      { restoreRequired: true, restoreInitiated: true },
      'unable to attach volume vol to n1: volume vol is restoring data',
    ],
  ])('attach with %j: %s', (parts, refusal) => {
    expect(checkAttach(facts(parts))).toBe(refusal);
  });
  const standby = facts({ isStandby: true });
  it.each([
    ['detach', checkDetach(standby), 'cannot detach standby volume vol'],
    ['detach', checkDetach(facts()), undefined],
    ['a snapshot', checkNotStandby(standby, 'create snapshot'), 'failed to create snapshot for standby volume vol'],
    ['a PV', checkNotStandby(standby, 'create PV'), 'failed to create PV for standby volume vol'],
    ['a PV', checkNotStandby(facts(), 'create PV'), undefined],
    ['activate', checkActivate(facts(), 'blockdev', 'b'), 'volume vol is already in active mode'],
    ['activate', checkActivate(standby, 'tape', 'b'), 'invalid frontend tape'],
    ['activate', checkActivate(standby, '', 'b'), 'invalid frontend '],
    [
      'activate',
      checkActivate(standby, 'blockdev', ''),
      'cannot activate volume vol: its first backup is not restored yet',
    ],
    ['activate', checkActivate(standby, 'blockdev', 'b'), undefined],
    ['expand', checkExpand(standby), 'failed to manually expand standby volume vol'],
    ['expand', checkExpand(facts()), undefined],
    [
      'expand',
      checkExpand(facts({ state: 'attaching' })),
      'unable to expand volume vol: invalid volume state to expand: attaching',
    ],
    ['a snapshot action', checkEngineIsRunning('vol', false), 'cannot get vol volume engine: engine is not running'],
    ['a snapshot action', checkEngineIsRunning('vol', true), undefined],
    ['revert', checkRevert('vol', false), 'failed to revert snapshot for volume vol with frontend enabled'],
    ['revert', checkRevert('vol', true), undefined],
    ['anything', checkNotMigrating('n2'), 'cannot operate during migration'],
    ['anything', checkNotMigrating(''), undefined],
    ['snapshot labels', checkSnapshotLabels({ a: 'b=c' }), 'invalid snapshot label b=c: it must not contain "="'],
    ['snapshot labels', checkSnapshotLabels({ a: 'b' }), undefined],
    ['pvCreate', checkHasNoPersistentVolume('pv-1'), 'volume already had PV pv-1'],
    ['pvCreate', checkHasNoPersistentVolume(''), undefined],
    ['pvcCreate', checkHasNoClaim('data'), 'volume already had PVC data'],
    ['pvcCreate', checkHasNoClaim(''), undefined],
  ])('%s: %s', (_, refusal, expected) => {
    expect(refusal).toBe(expected);
  });
  it('keeps the last replica that may hold data', () => {
    const replica = (name: string, healthy: boolean, everHealthy = true) => ({ name, healthy, everHealthy });
    const [good, failed, empty] = [replica('a', true), replica('b', false), replica('c', false, false)];
    const text = (name: string) =>
      `no other healthy replica available for volume vol, cannot delete replica ${name} since it may still contain data for recovery`;
    expect(checkReplicaRemove('vol', good, [good, failed])).toBe(text('a'));
    expect(checkReplicaRemove('vol', failed, [failed])).toBe(text('b'));
    expect(checkReplicaRemove('vol', failed, [good, failed])).toBeUndefined();
    expect(checkReplicaRemove('vol', empty, [failed, empty])).toBeUndefined();
  });
});

describe('a change of a volume', () => {
  const update = (before: Record<string, unknown>, after: Record<string, unknown>, state: VolumeState = 'detached') =>
    checkVolumeUpdate({ name: 'vol', state, before: spec(before), after: spec({ ...before, ...after }) });
  it.each<[object, object, VolumeState, string | undefined]>([
    [{}, { numberOfReplicas: 2 }, 'attached', undefined],
    [{}, { numberOfReplicas: 0 }, 'attached', 'replica count value 0 must between 1 to 20'],
    [
      { accessMode: 'rwo' },
      { accessMode: 'rwop' },
      'attached',
      'can only update volume access mode while volume is detached',
    ],
    [{ accessMode: 'rwo' }, { accessMode: 'rwop' }, 'detached', undefined],
    [
      { backupCompressionMethod: 'lz4' },
      { backupCompressionMethod: 'gzip' },
      'detached',
      'changing backup compression method for volume vol is not supported',
    ],
    [{}, { dataEngine: 'v2' }, 'detached', 'changing data engine for volume vol is not supported'],
    [
      { backupBlockSize: '2097152' },
      { backupBlockSize: '16777216' },
      'detached',
      'changing backup block size for volume vol is not supported',
    ],
    [{ size: '200' }, { size: '100' }, 'detached', 'shrinking volume vol size from 200 to 100 is not supported'],
    [{ size: '100' }, { size: '200' }, 'attached', undefined],
    [{ size: '100' }, { size: 'ten' }, 'attached', 'invalid volume size "ten": it is not a whole number of bytes'],
    [{ size: '100' }, { size: '' }, 'attached', 'invalid volume size "": it is not a whole number of bytes'],
    [{ size: 'ten' }, { size: '100' }, 'attached', undefined],
    [{ size: 'ten' }, { numberOfReplicas: 2 }, 'attached', undefined],
  ])('from %j to %j while %s: %s', (before, after, state, refusal) => {
    expect(update({ ...before }, { ...after }, state)).toBe(refusal);
  });
  it('of the replica count by the action only while attached', () => {
    expect(checkReplicaCountState('attached')).toBeUndefined();
    expect(checkReplicaCountState('detached')).toBe('invalid volume state to update replica count');
  });
});

describe('nodes', () => {
  const update = (
    before: NodeUpdateSeen['before'],
    after: NodeUpdateSeen['after'],
    diskStatus: NodeUpdateSeen['diskStatus'] = {},
  ) => checkNodeUpdate({ name: 'n1', before, after, diskStatus });
  const disk = { path: '/data', allowScheduling: false };
  it('are evicted only when scheduling is disabled', () => {
    expect(update({}, { evictionRequested: true, allowScheduling: true })).toMatch(
      /^need to disable scheduling on node n1 for node eviction, /,
    );
    expect(update({}, { evictionRequested: true, allowScheduling: false })).toBeUndefined();
    const evicted = { disks: { d: { ...disk, evictionRequested: true, allowScheduling: true } } };
    expect(update(evicted, evicted, { d: {} })).toMatch(/^need to disable scheduling on disk d for disk eviction, /);
  });
  it('change their disks only after the previous change is applied', () => {
    const changed = update({ disks: { d: disk } }, { disks: { d: { ...disk, tags: ['x'] } } });
    expect(changed).toBe('spec and status of disks on node n1 are being syncing and please retry later.');
    const reordered = { disks: { d: { allowScheduling: false, path: '/data' } } };
    expect(update({ disks: { d: disk } }, reordered)).toBeUndefined();
  });
  it('lose a disk only when it is empty and its scheduling is disabled', () => {
    const text = 'Please disable the disk d and remove all replicas and backing images first';
    expect(update({ disks: { d: disk } }, { disks: {} }, { d: { scheduledReplica: { r: 1 } } })).toBe(text);
    expect(update({ disks: { d: { ...disk, allowScheduling: true } } }, { disks: {} }, { d: {} })).toBe(text);
    expect(update({ disks: { d: disk } }, { disks: {} }, { d: { scheduledReplica: {} } })).toBeUndefined();
  });
  it('have tags of letters and digits', () => {
    expect(checkTags(['ssd', 'a-b_c.d'])).toBeUndefined();
    expect(checkTags(['a b'])).toMatch(/^at least one error encountered while validating tags: invalid "a b"/);
    expect(update({}, { tags: [''] })).toMatch(/validating tags/);
  });
  it('are deleted when they are gone and empty', () => {
    const gone = { name: 'n1', isReady: false, allowScheduling: false, replicas: 0, engines: 0 };
    expect(checkNodeDeletion(gone)).toBeUndefined();
    expect(checkNodeDeletion({ ...gone, isReady: true, replicas: 2 })).toBe(
      'could not delete node n1: it is ready, it has replicas (2)',
    );
  });
});

describe('recurring jobs', () => {
  const job = (parts: object, existing: string[] = []) => {
    const whole = normalizedRecurringJob({ name: 'nightly', task: 'snapshot', cron: '0 0 * * *', retain: 5, ...parts });
    const cronProblem = (text: string) => (text === 'x' ? 'no fields' : undefined);
    return checkRecurringJob({ spec: whole, maxRetention: 100, existing: new Set(existing) }, { cronProblem });
  };
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ retain: 101 }, 'retain value should be less than or equal to 100'],
    [{ task: 'snapshot-cleanup', retain: 101 }, undefined],
    [{ task: 'dance' }, 'recurring job task dance is not valid'],
    [{ task: 'system-backup' }, 'recurring job task system-backup is not supported by this volume manager yet'],
    [{ cron: 'x' }, 'invalid cron format(x): no fields'],
    [{ name: 'n'.repeat(41) }, `recurring job name ${'n'.repeat(41)} is longer than 40 characters`],
  ])('%j: %s', (parts, refusal) => {
    expect(job(parts)).toBe(refusal);
  });
  it('are unique, with names in lower case', () => {
    expect(job({ name: 'NIGHTLY' }, ['nightly'])).toBe('recurring job nightly already exists');
  });
  it.each([
    ['snapshot', 0, 1],
    ['backup', 7, 7],
    ['snapshot-delete', 0, 0],
    ['snapshot-cleanup', 9, 0],
    ['filesystem-trim', 9, 0],
  ] as const)('of task %s that should keep %d snapshots may keep %d', (task, retain, kept) => {
    expect(normalizedRecurringJob({ task, retain })).toMatchObject({ retain: kept, concurrency: 10 });
  });
});

describe('backup targets', () => {
  const seen = { name: 'a', urlBefore: 's3://x@r/', urlAfter: 's3://y@r/', urls: {}, standbyVolumes: [] };
  it.each([
    [checkBackupTargetDeletion('default'), 'deleting default backup target is not allowed'],
    [checkBackupTargetDeletion('a'), undefined],
    [checkBackupTargetUpdate(seen), undefined],
    [
      checkBackupTargetUpdate({ ...seen, standbyVolumes: ['w', 'v'] }),
      'cannot modify BackupTarget since there are existing standby volumes: v, w',
    ],
    [checkBackupTargetUpdate({ ...seen, urlAfter: seen.urlBefore, standbyVolumes: ['v'] }), undefined],
    [
      checkBackupTargetUpdate({ ...seen, urls: { a: 's3://x@r/', b: 's3://y@r/' } }),
      'url s3://y@r/ is the same to backup target b',
    ],
    [checkBackupTargetUpdate({ ...seen, urlAfter: '', urls: { b: '' } }), undefined],
    [checkBackupTargetSync('a', 1_000, 10_999), "cannot synchronize backup target 'a' in 10 seconds"],
    [checkBackupTargetSync('a', 1_000, 11_000), undefined],
    [checkBackupTargetSync('a', undefined, 0), undefined],
    [checkBackupTargetAvailable('a', false), 'backup target a is not available'],
    [checkBackupTargetAvailable('a', true), undefined],
  ])('%#: %s', (refusal, expected) => {
    expect(refusal).toBe(expected);
  });
});

it('engine images cannot be deleted while they are the default or in use', () => {
  const seen = { name: 'ei-1', image: 'x', defaultImage: 'y', refCount: 0 };
  expect(checkEngineImageDeletion(seen)).toBeUndefined();
  expect(checkEngineImageDeletion({ ...seen, defaultImage: 'x' })).toMatch(
    /^deleting the default engine image .* is not allowed$/,
  );
  expect(checkEngineImageDeletion({ ...seen, refCount: 1 })).toMatch(/ is not allowed while being used$/);
});

it('settings are checked against objects in the cluster', () => {
  const seen = { name: 'priority-class', value: 'high', priorityClasses: new Set(['low']), attached: { v1: 1, v2: 0 } };
  expect(checkSettingInCluster(seen)).toMatch(/^failed to get priority class high/);
  expect(checkSettingInCluster({ ...seen, value: 'low' })).toBeUndefined();
  expect(checkSettingInCluster({ ...seen, value: '' })).toBeUndefined();
  expect(checkSettingInCluster({ ...seen, name: 'v1-data-engine', value: 'false' })).toBe(
    'cannot apply v1-data-engine setting to Longhorn workloads when there are attached v1 volumes',
  );
  expect(checkSettingInCluster({ ...seen, name: 'v1-data-engine', value: 'true' })).toBeUndefined();
  expect(checkSettingInCluster({ ...seen, name: 'v2-data-engine', value: 'false' })).toBeUndefined();
});
