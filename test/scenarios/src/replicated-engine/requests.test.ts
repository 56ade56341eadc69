import { isAppError } from '@lateen/errors';
import { engineType, type Volume, volumeAttachmentObjectType, volumeType } from '@lateen/storage-types';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { engineRig, namespace } from './engine-rig.ts';

const MiB = 1024n * 1024n;
const call = { signal: new AbortController().signal };
const key = (name: string) => ({ namespace, name });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (isAppError(error) ? { code: error.code, message: error.message, retry: error.retry } : error),
  );

describe('a volume that is requested', () => {
  it('is created with the parameters of the StorageClass and defaults from the settings', async () => {
    const { engine, cluster } = engineRig();
    cluster.put({
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Setting',
      metadata: { name: 'default-engine-image', namespace },
      value: 'storage:1',
    } as never);
    const parameters = {
      numberOfReplicas: '2',
      staleReplicaTimeout: '30',
      diskSelector: 'ssd',
      nodeSelector: 'fast, ',
      dataLocality: 'best-effort',
      recurringJobSelector: '[{"name":"nightly"},{"name":"default","isGroup":true}]',
      exclusive: 'true',
      backupBlockSize: '16Mi',
    };
    await engine.create({ name: 'v1', sizeBytes: 3n * MiB, parameters }, call);
    const { metadata, spec } = cluster.find(volumeType, key('v1')) as Volume;
    expect(spec).toMatchObject({
      size: '4194304',
      numberOfReplicas: 2,
      staleReplicaTimeout: 30,
      diskSelector: ['ssd'],
      nodeSelector: ['fast'],
      dataLocality: 'best-effort',
      accessMode: 'rwop',
      backupBlockSize: '16777216',
      image: 'storage:1',
      frontend: 'blockdev',
      snapshotMaxCount: 250,
    });
    expect(metadata).toMatchObject({
      labels: {
        longhornvolume: 'v1',
        'backup-target': 'default',
        'recurring-job.longhorn.io/nightly': 'enabled',
        'recurring-job-group.longhorn.io/default': 'enabled',
      },
      finalizers: ['longhorn.io'],
    });
  });

  it.each([
    [{ numberOfReplicas: '21' }, 'INVALID_ARGUMENT', 'replica count value 21 must between 1 to 20'],
    [{ numberOfReplicas: 'two' }, 'INVALID_ARGUMENT', 'parameter numberOfReplicas "two" is not a whole number'],
    [{ dataLocality: 'strict-local' }, 'INVALID_ARGUMENT', 'number of replica count should be 1 when data locality is'],
    [{ nodeSelector: 'slow' }, 'INVALID_ARGUMENT', 'specified node tag slow does not exist'],
    [{ share: 'true' }, 'INVALID_ARGUMENT', 'access mode rwx is not supported by this volume manager: take rwo'],
    [{ encrypted: 'yes please' }, 'INVALID_ARGUMENT', 'parameter encrypted "yes please" is not true or false'],
    [{ recurringJobSelector: '{}' }, 'INVALID_ARGUMENT', 'is not a JSON list'],
    [{ dataSource: 'nowhere' }, 'INVALID_ARGUMENT', 'data source "nowhere" cannot be read'],
    [{ dataSource: 'vol://none' }, 'VOLUME_NOT_FOUND', 'there is no volume none'],
    [{ 'dataLayout.type': 'sharded' }, 'INVALID_ARGUMENT', 'data layout sharded is not supported'],
    [{ toString: 'x' }, 'INVALID_ARGUMENT', 'there is no parameter "toString"'],
  ])('with %j is rejected: %s', async (parameters, code, message) => {
    const { engine, cluster } = engineRig();
    const found = await failure(engine.create({ name: 'v1', sizeBytes: MiB, parameters }, call));
    expect(found).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(cluster.all(volumeType)).toEqual([]);
  });

  it('is rejected when its source is larger', async () => {
    const { engine } = engineRig();
    await engine.create({ name: 'v1', sizeBytes: 4n * MiB }, call);
    await engine.snapshot('v1', 's1', call);
    const create = (source: Parameters<typeof engine.create>[0]['source']) =>
      failure(engine.create({ name: 'v2', sizeBytes: 2n * MiB, ...(source === undefined ? {} : { source }) }, call));
    expect(await create({ kind: 'volume', volume: 'v1' })).toMatchObject({ code: 'OUT_OF_RANGE' });
    expect(await create({ kind: 'snapshot', volume: 'v1', snapshot: 's1' })).toMatchObject({
      code: 'OUT_OF_RANGE',
      message: 'a clone of 4194304 bytes cannot have 2097152',
    });
    expect(await engine.get('v2', call)).toBeUndefined();
  });

  it('is created from a backup without waiting for the restore, and its source cannot be changed afterwards', async () => {
    const { engine, cluster } = engineRig();
    const of = (url: string) => ({ name: 'v1', sizeBytes: MiB, source: { kind: 'backup', url } as const });
    const url = 's3://b@r/?backup=x&volume=y';
    await engine.create(of(url), call);
    expect(cluster.find<Volume>(volumeType, key('v1'))?.spec.fromBackup).toBe(url);
    expect(await engine.create({ name: 'v1', sizeBytes: MiB, parameters: { fromBackup: url } }, call)).toMatchObject({
      name: 'v1',
    });
    expect(await failure(engine.create(of('s3://b@r/?backup=z&volume=y'), call))).toMatchObject({
      code: 'VOLUME_EXISTS',
    });
  });

  it('is rejected and removed when no replica has a place; with some replicas it is degraded', async () => {
    const none = engineRig({ nodes: [] });
    expect(await failure(none.engine.create({ name: 'v1', sizeBytes: MiB }, call))).toEqual({
      code: 'NO_ROOM',
      message: 'no place for 2097152 bytes on 3 disks: insufficient storage',
      retry: 'later',
    });
    await none.manager?.settled();
    expect(none.cluster.all(volumeType)).toEqual([]);
    const some = engineRig({ nodes: ['node-1'] });
    await some.engine.create({ name: 'v1', sizeBytes: MiB }, call);
    expect(await some.engine.condition('v1', call)).toEqual({
      abnormal: true,
      message: 'it is not in use, so its replicas are not checked; a replica cannot be scheduled: insufficient storage',
    });
  });
});

describe('a request to attach', () => {
  it('is a ticket of the CSI attacher with the name of its caller', async () => {
    const { engine, cluster } = engineRig();
    await engine.create({ name: 'v1', sizeBytes: MiB }, call);
    const { devicePath } = await engine.attach('v1', 'node-2', { ...call, by: 'csi-1' });
    expect(devicePath).toBe('/dev/longhorn/v1');
    expect(cluster.find(volumeAttachmentObjectType, key('v1'))?.spec).toEqual({
      volume: 'v1',
      attachmentTickets: {
        'csi-1': {
          id: 'csi-1',
          type: 'csi-attacher',
          nodeID: 'node-2',
          parameters: { disableFrontend: 'false', lastAttachedBy: 'lateen' },
          generation: 0,
        },
      },
    });
  });

  it('has precedence over requests of the manager itself, and not over those of users', async () => {
    const { engine, cluster } = engineRig();
    await engine.create({ name: 'v1', sizeBytes: MiB }, call);
    const put = (type: string) =>
      cluster.change(volumeAttachmentObjectType, key('v1'), (stored) => {
        stored.spec.attachmentTickets = { x: { id: 'x', type: type as never, nodeID: 'node-1' } };
      });
    put('longhorn-api');
    const refused = await failure(engine.attach('v1', 'node-2', { ...call, by: 'csi-1' }));
    expect(refused).toMatchObject({ code: 'VOLUME_BUSY', message: 'volume v1 is attached to node-1, or is to be' });
    put('snapshot-controller');
    const given = new AbortController();
    const attached = failure(engine.attach('v1', 'node-2', { signal: given.signal, by: 'csi-1' }));
    await letWorkRun();
    expect(Object.keys(cluster.find(volumeAttachmentObjectType, key('v1'))?.spec.attachmentTickets ?? {})).toContain(
      'csi-1',
    );
    given.abort(new Error('enough'));
    expect(await attached).toEqual(new Error('enough'));
  });

  it("that is not fulfilled in time fails with the manager's reason, stays, and is removed by a detach", async () => {
    const clock = new FakeClock();
    const { engine, cluster } = engineRig({ clock, holdOff: () => 'the volume is faulted' });
    await engine.create({ name: 'v1', sizeBytes: MiB }, call);
    const attached = failure(engine.attach('v1', 'node-1', { ...call, by: 'csi-1' }));
    await clock.advance(100_000);
    expect(await attached).toEqual({
      code: 'VOLUME_FAULTED',
      message: 'volume v1 is not attached to node-1 after 1m40s: the volume is faulted',
      retry: 'later',
    });
    const tickets = () => cluster.find(volumeAttachmentObjectType, key('v1'))?.spec.attachmentTickets;
    expect(Object.keys(tickets() ?? {})).toEqual(['csi-1']);
    await engine.detach('v1', 'node-1', { ...call, by: 'csi-1' });
    expect(tickets()).toEqual({});
  });

  it('is retried after conflicts with other writers', async () => {
    const { engine, cluster } = engineRig();
    await engine.create({ name: 'v1', sizeBytes: MiB }, call);
    cluster.failTimes(3, 'patch', volumeAttachmentObjectType, 'KUBE_CONFLICT');
    await engine.attach('v1', 'node-1', { ...call, by: 'csi-1' });
    cluster.failTimes(3, 'patch', volumeAttachmentObjectType, 'KUBE_CONFLICT');
    await engine.detach('v1', 'node-1', { ...call, by: 'csi-1' });
    expect(await engine.get('v1', call)).toMatchObject({ attachedTo: [] });
  });

  it('of a volume that has grown meanwhile ends with the larger device', async () => {
    const { engine, devices } = engineRig();
    await engine.create({ name: 'v1', sizeBytes: 2n * MiB }, call);
    expect(await engine.grow('v1', 4n * MiB, call)).toMatchObject({ sizeBytes: 4n * MiB });
    const { devicePath } = await engine.attach('v1', 'node-1', { ...call, by: 'csi-1' });
    expect(await devices.deviceBytes(devicePath)).toBe(4 * 1024 * 1024);
  });
});

it('a volume that is expanded while it is being attached has the larger device', async () => {
  const { engine, cluster } = engineRig({ isManaged: false });
  const object = { apiVersion: 'longhorn.io/v1beta2' };
  cluster.put(
    { ...object, kind: 'Volume', metadata: { name: 'v1', namespace }, spec: { size: String(2n * MiB) } } as never,
    { ...object, kind: 'VolumeAttachment', metadata: { name: 'v1', namespace }, spec: { volume: 'v1' } } as never,
    {
      ...{ ...object, kind: 'Engine', metadata: { name: 'v1-e-0', namespace }, spec: { volumeName: 'v1' } },
      status: { currentSize: String(2n * MiB) },
    } as never,
  );
  let isThere = false;
  const attached = engine.attach('v1', 'node-1', { ...call, by: 'csi-1' }).then(() => {
    isThere = true;
  });
  await letWorkRun();
  expect(await engine.grow('v1', 4n * MiB, call)).toMatchObject({ sizeBytes: 4n * MiB });
  cluster.change(volumeAttachmentObjectType, key('v1'), (attachment) => {
    attachment.status = {
      attachmentTicketStatuses: { 'csi-1': { id: 'csi-1', satisfied: true, generation: 0, conditions: [] } },
    };
  });
  await letWorkRun();
  expect(isThere).toBe(false);
  cluster.change(engineType, key('v1-e-0'), ({ status }) => {
    if (status !== undefined) status.currentSize = String(4n * MiB);
  });
  await attached;
});

it('a volume is not expanded when a disk of its replicas has no room', async () => {
  const { engine, cluster } = engineRig();
  await engine.create({ name: 'v1', sizeBytes: 2n * MiB }, call);
  cluster.put({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Replica',
    metadata: { name: 'r', namespace, labels: { longhornvolume: 'v1' } },
    spec: { volumeName: 'v1', nodeID: 'node-1', diskID: 'disk-of-node-1' },
  } as never);
  expect(await failure(engine.grow('v1', 62n * 1024n * MiB, call))).toMatchObject({ code: 'NO_ROOM' });
  expect(cluster.find(volumeType, key('v1'))?.spec.size).toBe(String(2n * MiB));
  expect(await engine.grow('v1', 4n * MiB, call)).toMatchObject({ sizeBytes: 4n * MiB });
});

it('a call that waits for a manager that does not run says so', async () => {
  const clock = new FakeClock();
  const { engine } = engineRig({ clock, isManaged: false });
  const made = failure(engine.create({ name: 'v1', sizeBytes: 2n * MiB }, call));
  await clock.advance(60_000);
  expect(await made).toMatchObject({
    code: 'NOT_POSSIBLE_NOW',
    message: 'volume v1 is not ready after 1m0s: no manager has handled it',
  });
});

describe('the capacity', () => {
  it('is that of the node with the least room among those that a volume needs', async () => {
    const { engine } = engineRig();
    // Each disk: 100 GiB, of which 30 are reserved and 10 are promised.
    const GiB = 1024n * MiB;
    expect(await engine.capacity(undefined, {}, call)).toEqual({ availableBytes: 60n * GiB, largestBytes: 60n * GiB });
    const one = { numberOfReplicas: '1' };
    expect(await engine.capacity(undefined, one, call)).toEqual({
      availableBytes: 180n * GiB,
      largestBytes: 60n * GiB,
    });
    const local = { ...one, dataLocality: 'strict-local' };
    expect(await engine.capacity({ node: 'node-1' }, local, call)).toMatchObject({ availableBytes: 60n * GiB });
    expect(await engine.capacity({ node: 'node-9' }, local, call)).toMatchObject({ availableBytes: 0n });
    expect(await engine.capacity(undefined, { diskSelector: 'hdd' }, call)).toMatchObject({ largestBytes: 0n });
  });
});
