import { persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { volumeActionRows } from '@lateen/storage-rest';
import {
  backupType,
  type Engine,
  engineType,
  longhornNamespace,
  type Replica,
  replicaType,
  type Snapshot,
  salvageRequestOf,
  snapshotType,
  type Volume,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { type RestWorld, type RestWorldOptions, restWorld } from './rest-world.ts';
import { aVolume, oneOfEach } from './storage-objects.ts';

const namespace = longhornNamespace;
const key = { namespace, name: 'pvc-1' };
const engineKey = { namespace, name: 'pvc-1-e-0' };
const each = (options: Partial<RestWorldOptions> = {}) => restWorld({ objects: oneOfEach(), ...options });
const act = (world: RestWorld, action: string, body?: unknown) =>
  world.ask('POST', `/v1/volumes/pvc-1?action=${action}`, body);
const specOf = (world: RestWorld) => world.cluster.find(volumeType, key)?.spec;

describe('attach and detach', () => {
  const tickets = (world: RestWorld) => world.cluster.find(volumeAttachmentObjectType, key)?.spec.attachmentTickets;
  it('add and remove tickets', async () => {
    await using world = await each();
    const { body } = await act(world, 'attach', { hostId: 'node-1', attachmentID: 'a', attachedBy: 'me' });
    expect(body).toMatchObject({
      type: 'volume',
      replicas: [],
      volumeAttachment: { attachments: { a: { nodeID: 'node-1', satisfied: false } } },
    });
    await act(world, 'attach', { hostId: 'node-2' });
    expect(tickets(world)).toMatchObject({
      a: { type: 'longhorn-api', nodeID: 'node-1', generation: 0 },
      '': { nodeID: 'node-2' },
    });
    expect((await act(world, 'detach', { attachmentID: 'a' })).status).toBe(200);
    expect(Object.keys(tickets(world) ?? {})).toEqual(['']);
    expect((await act(world, 'detach')).status).toBe(200);
    expect(tickets(world)).toEqual({});
  });
  it('create the VolumeAttachment when there is none', async () => {
    await using world = await each();
    world.cluster.remove(volumeAttachmentObjectType, key);
    await act(world, 'attach', { hostId: 'node-1', attachmentID: 'a' });
    expect(world.cluster.find(volumeAttachmentObjectType, key)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Volume', name: 'pvc-1' }] },
      spec: { volume: 'pvc-1', attachmentTickets: { a: { nodeID: 'node-1' } } },
    });
  });
  it('keep a ticket that another client adds at the same time', async () => {
    await using world = await each();
    const off = world.cluster.intercept(async (call, next) => {
      if (call.verb === 'update' && call.type.kind === 'VolumeAttachment') {
        off();
        world.cluster.change(volumeAttachmentObjectType, key, (object) => {
          object.spec.attachmentTickets = { csi: { id: 'csi', nodeID: 'node-1' } };
        });
      }
      return next();
    });
    await act(world, 'attach', { hostId: 'node-1', attachmentID: 'a' });
    expect(Object.keys(tickets(world) ?? {}).sort()).toEqual(['a', 'csi']);
  });
  it('are rejected for a node that does not exist', async () => {
    await using world = await each();
    expect((await act(world, 'attach', { hostId: 'x' })).body.message).toBe(
      "unable to attach volume pvc-1 to x: node x is not ready, couldn't attach volume pvc-1 to it",
    );
  });
});

describe('changes of the spec', () => {
  it.each([
    ['updateReplicaCount', { replicaCount: 2 }, { numberOfReplicas: 2 }],
    ['expand', { size: '2Gi' }, { size: '2147483648' }],
    ['updateSnapshotMaxSize', { snapshotMaxSize: '4Gi' }, { snapshotMaxSize: '4294967296' }],
    ['updateDataLocality', { dataLocality: 'best-effort' }, { dataLocality: 'best-effort' }],
    ['offlineReplicaRebuilding', { offlineRebuilding: 'enabled' }, { offlineRebuilding: 'enabled' }],
    ['engineUpgrade', { image: 'lateen:new' }, { image: 'lateen:new' }],
  ])('%s', async (action, body, spec) => {
    await using world = await each();
    expect((await act(world, action, body)).status).toBe(200);
    expect(specOf(world)).toMatchObject(spec);
  });
  it('cancelExpansion sets the old size while nothing has grown', async () => {
    await using world = await each();
    expect((await act(world, 'cancelExpansion')).body.message).toBe('volume expansion is not started for volume pvc-1');
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.spec.size = '2147483648';
      volume.status = { ...volume.status, expansionRequired: true };
    });
    expect((await act(world, 'cancelExpansion')).status).toBe(200);
    expect(specOf(world)?.size).toBe('1073741824');
  });
  it('salvage is requested from the manager of the volume, for the replicas that have failed', async () => {
    await using world = await each();
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.status = { ...volume.status, state: 'detached', robustness: 'faulted' };
    });
    const replica = 'pvc-1-r-aaaaaaaa';
    world.cluster.change<Replica>(replicaType, { namespace, name: replica }, ({ spec }) => {
      spec.failedAt = '2026-11-23T04:00:00Z';
    });
    await expect.poll(() => world.reader.get('replicas', replica)?.spec.failedAt).not.toBe('');
    expect((await act(world, 'salvage', { names: [replica] })).status).toBe(200);
    const volume = world.cluster.find(volumeType, key);
    expect(volume && salvageRequestOf(volume)).toEqual({ [replica]: '2026-11-23T04:00:00Z' });
    expect((await act(world, 'salvage', { names: ['other'] })).body.message).toBe(
      'cannot salvage volume pvc-1: it has no replica other',
    );
  });
});

describe('snapshots', () => {
  it('are created as objects; an action that waits answers when they exist', async () => {
    await using world = await each();
    const cr = await act(world, 'snapshotCRCreate', { name: 'cr-1', labels: { a: 'b' } });
    expect(cr.body).toMatchObject({ type: 'snapshotCR', id: 'cr-1', createSnapshot: true, readyToUse: false });
    expect(world.cluster.find(snapshotType, { namespace, name: 'cr-1' })).toMatchObject({
      metadata: { labels: { longhornvolume: 'pvc-1' }, ownerReferences: [{ kind: 'Volume' }] },
      spec: { volume: 'pvc-1', createSnapshot: true, labels: { a: 'b' } },
    });
    expect((await act(world, 'snapshotCRList')).body.data.map(({ id }: { id: string }) => id).sort()).toEqual([
      'cr-1',
      'snap-1',
    ]);
    const waiting = act(world, 'snapshotCreate', { name: 's-2' });
    await expect.poll(() => world.cluster.find(snapshotType, { namespace, name: 's-2' })).toBeDefined();
    world.cluster.change<Engine>(engineType, engineKey, ({ status }) => {
      Object.assign(status?.snapshots ?? {}, {
        's-2': { name: 's-2', parent: 'snap-1', size: '0', usercreated: true },
      });
    });
    expect((await waiting).body).toMatchObject({ type: 'snapshot', id: 's-2', parent: 'snap-1' });
    expect((await act(world, 'snapshotGet', { name: 'snap-1' })).body).toMatchObject({
      checksum: 'abc',
      usercreated: true,
    });
    expect((await act(world, 'snapshotList')).body.data).toHaveLength(3);
    expect((await act(world, 'snapshotCRDelete', { name: 'cr-1' })).body).toMatchObject({ type: 'empty' });
    expect((await act(world, 'snapshotCRGet', { name: 'cr-1' })).status).toBe(404);
  });
  it('that cannot be taken return the cause', async () => {
    await using world = await each();
    const waiting = act(world, 'snapshotCreate', { name: 's-2' });
    const name = { namespace, name: 's-2' };
    await expect.poll(() => world.cluster.find(snapshotType, name)).toBeDefined();
    world.cluster.change<Snapshot>(snapshotType, name, (snapshot) => {
      snapshot.status = { error: 'there are 250 already' };
    });
    expect((await waiting).body.message).toBe('failed to create snapshot s-2 of volume pvc-1: there are 250 already');
  });
  it.each(['constructor', '__proto__', 'snap-9'])('with the name %s do not exist', async (name) => {
    await using world = await each();
    for (const action of ['snapshotGet', 'snapshotDelete', 'snapshotCRGet'])
      expect((await act(world, action, { name })).status).toBe(404);
  });
  it('are backed up with a Backup object', async () => {
    await using world = await each();
    expect((await act(world, 'snapshotBackup', { name: 'snap-1', labels: { a: 'b' } })).body).toMatchObject({
      replicas: [{}],
    });
    const made = world.cluster.all(backupType, namespace).find(({ metadata }) => metadata.name !== 'backup-1');
    expect(made).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^backup-[0-9a-f]{16}$/),
        labels: { 'backup-volume': 'pvc-1', 'backup-target': 'default' },
      },
      spec: {
        snapshotName: 'snap-1',
        backupMode: 'incremental',
        labels: { a: 'b', 'longhorn.io/volume-access-mode': 'rwo' },
      },
    });
  });
});

describe('operations that only the host of an engine can do', () => {
  const work = () => {
    const asked: unknown[] = [];
    const note =
      (what: string) =>
      async ({ signal: _, ...request }: { signal: AbortSignal }) => {
        asked.push([what, request]);
      };
    return { asked, trim: note('trim'), revert: note('revert'), purge: note('purge'), removeSnapshot: note('remove') };
  };
  const engine = { volume: 'pvc-1', engine: 'pvc-1-e-0', node: 'node-1' };
  it('are forwarded to it', async () => {
    const host = work();
    await using world = await each({ work: host });
    expect((await act(world, 'trimFilesystem')).body.type).toBe('volume');
    expect((await act(world, 'snapshotPurge')).body.type).toBe('volume');
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.status = { ...volume.status, frontendDisabled: true };
    });
    const revert = await act(world, 'snapshotRevert', { name: 'snap-1' });
    expect([revert.status, revert.text]).toEqual([200, '']);
    world.cluster.remove(snapshotType, { namespace, name: 'snap-1' });
    await expect.poll(() => world.reader.get('snapshots', 'snap-1')).toBeUndefined();
    await act(world, 'snapshotDelete', { name: 'snap-1' });
    expect(host.asked).toEqual([
      ['trim', engine],
      ['purge', engine],
      ['revert', { ...engine, snapshot: 'snap-1' }],
      ['remove', { ...engine, snapshot: 'snap-1' }],
    ]);
  });
  it('are rejected without a connection to hosts; a snapshot with an object is deleted nevertheless', async () => {
    await using world = await each();
    expect((await act(world, 'trimFilesystem')).body.message).toMatch(
      /^trim filesystem is not carried out by this volume manager yet/,
    );
    expect((await act(world, 'snapshotDelete', { name: 'snap-1' })).status).toBe(200);
    expect(world.cluster.find(snapshotType, { namespace, name: 'snap-1' })).toBeUndefined();
  });
});

describe('other actions', () => {
  it('a replica is removed when another one is healthy', async () => {
    await using world = await each();
    const name = 'pvc-1-r-aaaaaaaa';
    expect((await act(world, 'replicaRemove', { name })).body.message).toContain(
      'no other healthy replica available for volume pvc-1',
    );
    const [, , replica] = aVolume('pvc-1');
    if (replica === undefined) throw new Error('the volume has no replica');
    world.cluster.put({ ...replica, metadata: { ...replica.metadata, name: 'pvc-1-r-bbbbbbbb' } });
    await expect.poll(() => world.reader.get('replicas', 'pvc-1-r-bbbbbbbb')).toBeDefined();
    expect((await act(world, 'replicaRemove', { name })).body.replicas).toHaveLength(1);
    expect(world.cluster.find(replicaType, { namespace, name })).toBeUndefined();
  });
  it('recurring jobs are stored as labels', async () => {
    await using world = await each();
    await act(world, 'recurringJobAdd', { name: 'nightly', isGroup: false });
    const { body } = await act(world, 'recurringJobAdd', { name: 'default', isGroup: true });
    expect(body.data).toMatchObject([
      { name: 'default', isGroup: true },
      { name: 'nightly', isGroup: false },
    ]);
    expect((await act(world, 'recurringJobDelete', { name: 'nightly' })).body.data).toMatchObject([
      { name: 'default' },
    ]);
    expect((await act(world, 'recurringJobList')).body).toMatchObject({
      resourceType: 'volumeRecurringJob',
      data: [{ id: 'default' }],
    });
  });
  it('a volume gets its PersistentVolume and its claim', async () => {
    await using world = await each();
    expect((await act(world, 'pvCreate', { pvName: 'pv-1', secretName: 's' })).body.message).toContain(
      'leave secretName out',
    );
    expect((await act(world, 'pvCreate', { pvName: 'pv-1', fsType: 'xfs' })).status).toBe(200);
    expect(world.cluster.find(persistentVolumeType, { name: 'pv-1' })?.spec).toMatchObject({
      capacity: { storage: '1073741824' },
      storageClassName: 'longhorn-static',
      csi: { driver: 'driver.longhorn.io', volumeHandle: 'pvc-1', fsType: 'xfs' },
    });
    const waiting = act(world, 'pvcCreate', { namespace: 'default', pvcName: 'data' });
    world.cluster.change<Volume>(volumeType, key, (volume) => {
      volume.status = { ...volume.status, kubernetesStatus: { pvName: 'pv-1', pvStatus: 'Available' } };
    });
    expect((await waiting).status).toBe(200);
    expect(world.cluster.find(persistentVolumeClaimType, { namespace: 'default', name: 'data' })?.spec).toMatchObject({
      volumeName: 'pv-1',
      storageClassName: 'longhorn-static',
    });
    expect((await act(world, 'pvCreate', {})).body.message).toBe('volume already had PV pv-1');
  });
  it('actions of an unknown volume, and unknown actions, return 404', async () => {
    await using world = await each();
    expect((await world.ask('POST', '/v1/volumes/none?action=attach', {})).status).toBe(404);
    expect((await act(world, 'jobList', {})).status).toBe(404);
    expect((await act(world, '', {})).status).toBe(404);
  });
});

it('every action that is offered has a route, which parses its input', async () => {
  await using world = await each();
  const client = await world.client();
  const volume = await client.byId('volume', 'pvc-1');
  expect(Object.keys(volume.actions).length).toBeGreaterThan(30);
  for (const { name, reads } of volumeActionRows.filter(({ name }) => Object.hasOwn(volume.actions, name))) {
    const { status, body } = await world.ask('POST', volume.actions[name] ?? '', []);
    if (reads === undefined) expect([name, status === 404]).toEqual([name, false]);
    else
      expect([name, status, body.message]).toEqual([name, 500, `cannot read ${reads}: the body is not a JSON object`]);
  }
});
