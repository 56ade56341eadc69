import { longhornNamespace, recurringJobType, settingType, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { type RestWorld, restWorld } from './rest-world.ts';
import { aStorageNode, oneOfEach, storageObject } from './storage-objects.ts';

const namespace = longhornNamespace;
const each = () => restWorld({ objects: oneOfEach() });
const message = async (world: RestWorld, method: string, path: string, body?: unknown) => {
  const answer = await world.ask(method, path, body);
  return [answer.status, answer.body?.message];
};
const denied = (text: string) => `admission webhook "validator.longhorn.io" denied the request: ${text}`;

describe('a new volume', () => {
  it('has the values of the request, defaults from settings, and can be read immediately', async () => {
    await using world = await each();
    const client = await world.client();
    const body = { name: 'data', size: '3000000', recurringJobSelector: [{ name: 'nightly', isGroup: false }], odd: 1 };
    const made = await client.create('volume', body);
    expect(made).toMatchObject({
      id: 'data',
      size: '4194304',
      numberOfReplicas: 2,
      frontend: 'blockdev',
      replicas: [],
    });
    expect(world.cluster.find(volumeType, { namespace, name: 'data' })).toMatchObject({
      metadata: { labels: { 'recurring-job.longhorn.io/nightly': 'enabled' } },
      spec: {
        size: '4194304',
        accessMode: 'rwo',
        dataEngine: 'v1',
        backupTargetName: 'default',
        staleReplicaTimeout: 0,
      },
    });
    expect(await client.byId('volume', 'data')).toMatchObject({ id: 'data' });
  });
  it('has the size of its backup or of its source volume', async () => {
    await using world = await each();
    world.cluster.put(
      storageObject('Backup', 'backup-2', { spec: {}, status: { volumeName: 'old', volumeSize: '8388608' } }),
    );
    await expect.poll(() => world.reader.get('backups', 'backup-2')).toBeDefined();
    const fromBackup = 's3://bucket@region/?backup=backup-2&volume=old';
    expect((await world.ask('POST', '/v1/volumes', { name: 'restored', fromBackup, size: '1Gi' })).body).toMatchObject({
      size: '8388608',
      fromBackup,
      standby: false,
    });
    const standby = { name: 'standby', fromBackup, standby: true, frontend: '' };
    expect((await world.ask('POST', '/v1/volumes', standby)).body).toMatchObject({ standby: true, frontend: '' });
    const dataSource = 'vol://pvc-1';
    const clone = (name: string, size?: string) =>
      world.ask('POST', '/v1/volumes', { name, dataSource, ...(size === undefined ? {} : { size }) });
    expect((await clone('same')).body).toMatchObject({ size: '1073741824', dataSource, cloneMode: 'full-copy' });
    expect((await clone('larger', '2Gi')).body).toMatchObject({ size: '2147483648' });
    expect((await clone('smaller', '512Mi')).body.message).toBe(
      'unable to create volume: size 536870912 is less than that of data source vol://pvc-1: 1073741824',
    );
    const none = await world.ask('POST', '/v1/volumes', { name: 'c', dataSource: 'snap://none/s', size: '1Gi' });
    expect(none.body.message).toContain('cannot find the volume of data source "snap://none/s"');
  });
  it.each([
    [{ name: 'UPPER' }, 'unable to create volume: invalid name UPPER'],
    [{ name: 'a1', diskSelector: ['nvme'] }, 'unable to create volume: specified disk tag nvme does not exist'],
    [{ name: 'a1', numberOfReplicas: 21 }, 'unable to create volume: replica count value 21 must between 1 to 20'],
    [
      { name: 'a1', accessMode: 'rwx' },
      'unable to create volume: access mode rwx is not supported by this volume manager: take rwo, or rwop',
    ],
    [{ name: 'a1', size: 5 }, 'cannot read volume: size is not of type string'],
    [
      { name: 'a1', fromBackup: 's3://b@r/?backup=none' },
      'unable to create volume: cannot find the backup of "s3://b@r/?backup=none", or its size is not known yet',
    ],
    [undefined, 'cannot read volume: the body is not a JSON object'],
    ['{', 'cannot read the body: it is not JSON (SyntaxError)'],
    [{ name: 'pvc-1', size: '1Gi' }, 'volumes.longhorn.io "pvc-1" already exists'],
  ])('%j is rejected: %s', async (body, words) => {
    await using world = await each();
    expect(await message(world, 'POST', '/v1/volumes', body)).toEqual([500, words]);
  });
});

describe('deleting', () => {
  it.each([
    ['/v1/volumes/pvc-1', 'volumes', 'pvc-1'],
    ['/v1/recurringjobs/nightly', 'recurringJobs', 'nightly'],
    ['/v1/engineimages/ei-01234567', 'engineImages', 'ei-01234567'],
    ['/v1/orphans/orphan-1', 'orphans', 'orphan-1'],
    ['/v1/backupvolumes/pvc-1-0a1b2c3d', 'backupVolumes', 'pvc-1-0a1b2c3d'],
  ] as const)('%s returns an empty answer, and 404 when repeated', async (path, kind, name) => {
    await using world = await each();
    const answer = await world.ask('DELETE', path);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(world.reader.get(kind, name)).toBeUndefined();
    expect((await world.ask('DELETE', path)).status).toBe(404);
  });
  it('is rejected when it is in use', async () => {
    await using world = await each();
    expect(await message(world, 'DELETE', '/v1/nodes/node-1')).toEqual([
      500,
      denied(
        'could not delete node node-1: it is ready, it allows scheduling, it has replicas (1), it has engines (1)',
      ),
    ]);
    expect(await message(world, 'DELETE', '/v1/backuptargets/default')).toEqual([
      500,
      denied('deleting default backup target is not allowed'),
    ]);
    world.cluster.put(storageObject('Setting', 'default-engine-image', { value: 'lateen:dev' }));
    await expect.poll(() => world.reader.get('settings', 'default-engine-image')).toBeDefined();
    expect((await message(world, 'DELETE', '/v1/engineimages/ei-01234567'))[1]).toContain(
      'deleting the default engine image',
    );
  });
});

describe('settings', () => {
  it('are stored and returned in normalized form, with a warning when they have no effect', async () => {
    await using world = await each();
    const { body } = await world.ask('PUT', '/v1/settings/default-replica-count', { value: ' 1 ' });
    expect(body.value).toBe('{"v1":"1","v2":"1"}');
    expect((await world.ask('GET', '/v1/settings/default-replica-count')).body.value).toBe('{"v1":"1","v2":"1"}');
    const { headers } = await world.ask('PUT', '/v1/settings/storage-network', { value: '' });
    expect(headers.warning).toMatch(/^299 - "storage-network is kept and has no effect: /);
    expect(world.cluster.find(settingType, { namespace, name: 'storage-network' })?.value).toBe('');
  });
  it.each([
    ['backup-target', 'x', 'setting backup-target is not supported'],
    ['default-replica-count', '21', 'should be less than or equal to 20'],
    ['priority-class', 'high', 'failed to get priority class high'],
    [
      'v1-data-engine',
      'false',
      'cannot apply v1-data-engine setting to Longhorn workloads when there are attached v1 volumes',
    ],
    ['crd-api-version', 'x', 'setting crd-api-version is read-only'],
  ])('%s = %s is rejected: %s', async (name, value, words) => {
    await using world = await each();
    const [status, text] = await message(world, 'PUT', `/v1/settings/${name}`, { value });
    expect(status).toBe(500);
    expect(text).toContain(words);
  });
  it('with an unknown name are rejected, on reads too', async () => {
    await using world = await each();
    expect(await message(world, 'GET', '/v1/settings/x')).toEqual([500, 'setting x is not supported']);
  });
  it('are written again after conflicts with another client', async () => {
    await using world = await each();
    const put = () => world.ask('PUT', '/v1/settings/default-replica-count', { value: '3' });
    world.cluster.failTimes(2, 'update', settingType, 'KUBE_CONFLICT');
    expect((await put()).status).toBe(200);
    expect(world.cluster.calls.filter(({ verb }) => verb === 'update')).toHaveLength(3);
  });
});

describe('nodes', () => {
  it('are replaced by the values of the request', async () => {
    await using world = await each();
    const client = await world.client();
    const node = await client.byId('node', 'node-1');
    expect(await client.update(node, { ...node, allowScheduling: false, tags: ['b', 'a', 'b'] })).toMatchObject({
      allowScheduling: false,
      tags: ['a', 'b'],
    });
    const disks = {
      default: { path: '/var/lib/longhorn/', allowScheduling: true, storageReserved: 5, tags: ['x'] },
      second: { path: '/mnt/b', allowScheduling: true },
    };
    expect(await client.action(node, 'diskUpdate', { disks })).toMatchObject({
      disks: { default: { storageReserved: 5 }, second: { path: '/mnt/b', diskType: 'filesystem' } },
    });
  });
  it.each([
    [{ disks: {} }, 'Please disable the disk default and remove all replicas and backing images first'],
    [{ disks: [] }, 'disks is not a map of disks by name'],
    [{ disks: { default: { path: '/p', tags: ['a b'] } } }, 'at least one error encountered while validating tags'],
    [
      { disks: { b: { path: '/dev/sdb', diskType: 'block' }, default: { path: '/p', allowScheduling: true } } },
      'disk b of type block is not supported',
    ],
  ])('diskUpdate of %j is rejected: %s', async (body, words) => {
    await using world = await each();
    const [status, text] = await message(world, 'POST', '/v1/nodes/node-1?action=diskUpdate', body);
    expect([status, text]).toEqual([500, expect.stringContaining(words)]);
  });
  it('reject disks that the node has not seen yet', async () => {
    await using world = await restWorld({ objects: [aStorageNode('node-1', { status: { diskStatus: {} } })] });
    const body = { disks: { other: { path: '/p' } } };
    expect((await message(world, 'POST', '/v1/nodes/node-1?action=diskUpdate', body))[1]).toContain(
      'are being syncing and please retry later.',
    );
  });
});

describe('recurring jobs', () => {
  const job = {
    name: 'Weekly',
    task: 'snapshot',
    cron: '0 0 * * 0',
    retain: 3,
    concurrency: 0,
    groups: ['default'],
    labels: { a: 'b' },
  };
  it('are created, changed and deleted', async () => {
    await using world = await each();
    const client = await world.client();
    const made = await client.create('recurringJob', job);
    expect(made).toMatchObject({ id: 'weekly', concurrency: 10, task: 'snapshot', labels: { a: 'b' } });
    expect(await client.update(made, { ...made, name: 'x', task: 'backup', retain: 0, labels: null })).toMatchObject({
      id: 'weekly',
      task: 'snapshot',
      retain: 1,
    });
    expect(world.cluster.find(recurringJobType, { namespace, name: 'weekly' })?.spec).toMatchObject({
      name: 'weekly',
      labels: {},
    });
    await client.delete(made);
    expect(world.cluster.find(recurringJobType, { namespace, name: 'weekly' })).toBeUndefined();
  });
  it.each([
    [{ ...job, name: 'nightly' }, denied('recurring job nightly already exists')],
    [{ ...job, retain: 101 }, denied('retain value should be less than or equal to 100')],
    [{ ...job, task: 'x' }, denied('recurring job task x is not valid')],
    [{ ...job, cron: 'x' }, 'invalid cron format(x): '],
  ])('%j is rejected: %s', async (body, words) => {
    await using world = await each();
    const [status, text] = await message(world, 'POST', '/v1/recurringjobs', body);
    expect([status, text]).toEqual([500, expect.stringContaining(words)]);
  });
});

describe('backup targets', () => {
  it('are created, or returned when they exist', async () => {
    await using world = await each();
    const client = await world.client();
    const made = await client.create('backupTarget', {
      name: 'second',
      backupTargetURL: 'nfs://host:/path',
      pollInterval: '300',
    });
    expect(made).toMatchObject({ pollInterval: '5m0s', backupTargetURL: 'nfs://host:/path' });
    expect(await client.create('backupTarget', { name: 'default' })).toMatchObject({
      backupTargetURL: 's3://bucket@region/',
    });
    expect(
      await client.action(made, 'backupTargetUpdate', { ...made, backupTargetURL: 'nfs://other:/path' }),
    ).toMatchObject({ pollInterval: '5m0s', backupTargetURL: 'nfs://other:/path' });
    expect(
      (await world.ask('POST', '/v1/backuptargets', { name: 'x', backupTargetURL: 's3://bucket@region/' })).body
        .message,
    ).toContain('url s3://bucket@region/ is the same to backup target default');
    expect((await world.ask('POST', '/v1/backuptargets', { name: 'x', pollInterval: 'soon' })).body.message).toContain(
      'invalid poll interval "soon"',
    );
  });
  it('are synchronized on request, and not twice within ten seconds', async () => {
    await using world = await each();
    const sync = () =>
      world.ask('POST', '/v1/backuptargets/default?action=backupTargetSync', { syncBackupTarget: true });
    expect((await sync()).body).toMatchObject({ id: 'default', type: 'backupTarget' });
    expect((await sync()).body.message).toBe("cannot synchronize backup target 'default' in 10 seconds");
    const all = await world.ask('PUT', '/v1/backuptargets', { syncAllBackupTargets: true });
    expect(all.body).toMatchObject({ type: 'collection', resourceType: 'backupTarget' });
  });
});

describe('backup volumes', () => {
  const path = '/v1/backupvolumes/pvc-1-0a1b2c3d';
  it('list, return, delete and synchronize backups', async () => {
    await using world = await each();
    const act = (action: string, body?: unknown) => world.ask('POST', `${path}?action=${action}`, body);
    expect((await act('backupList')).body).toMatchObject({ resourceType: 'backup', data: [{ id: 'backup-1' }] });
    expect((await act('backupListByVolume', { name: 'pvc-1', size: 5 })).body.data).toHaveLength(1);
    expect((await act('backupListByVolume', { name: 'other' })).body.data).toEqual([]);
    expect((await act('backupGet', { name: 'backup-1' })).body).toMatchObject({ id: 'backup-1', type: 'backup' });
    expect((await act('backupVolumeSync', { syncBackupVolume: true })).body).toMatchObject({ type: 'backupVolume' });
    expect(world.reader.get('backupVolumes', 'pvc-1-0a1b2c3d')?.spec.syncRequestedAt).toBeDefined();
    expect((await act('backupDelete', { name: 'backup-1' })).body).toMatchObject({ type: 'backupVolume' });
    expect((await act('backupGet', { name: 'backup-1' })).status).toBe(404);
    expect((await act('other')).status).toBe(404);
    expect((await world.ask('PUT', '/v1/backupvolumes', { syncAllBackupVolumes: true })).body.resourceType).toBe(
      'backupVolume',
    );
  });
  it('return empty results for one that does not exist', async () => {
    await using world = await each();
    expect(await world.ask('GET', '/v1/backupvolumes/none')).toMatchObject({
      status: 200,
      body: { type: 'backupVolume', links: {} },
    });
  });
});

it('engine images are created from the name of the image', async () => {
  await using world = await each();
  expect(
    (await world.ask('POST', '/v1/engineimages', { image: 'longhornio/longhorn-engine:v1.12.1' })).body,
  ).toMatchObject({ id: 'ei-62d20cb1', image: 'longhornio/longhorn-engine:v1.12.1' });
  expect(await message(world, 'POST', '/v1/engineimages', {})).toEqual([500, 'engine image is required']);
});

it.each(['backingimages', 'systembackups', 'systemrestores', 'supportbundles'])(
  '%s are rejected, with the alternative to use',
  async (path) => {
    await using world = await each();
    expect((await message(world, 'POST', `/v1/${path}`, { name: 'a' }))[1]).toMatch(
      /are not supported by this volume manager: \w/,
    );
  },
);
