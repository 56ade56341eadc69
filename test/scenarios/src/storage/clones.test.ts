import { eventType } from '@lateen/api-types';
import { instanceManagerType, type Snapshot, snapshotType, type Volume, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const key = (name: string) => ({ namespace, name });
const cloneOf = (name: string, dataSource = 'vol://vol', size?: string): Volume =>
  aVolume(name, { dataSource, numberOfReplicas: 2, ...(size === undefined ? {} : { size }) });

/** A detached volume with three writes, and managers on all nodes. */
async function aWrittenVolume() {
  const world = new StorageWorld({ objects: [aVolume('vol')] });
  const managers = new Map(world.nodes.map((node) => [node, world.start(node)]));
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  for (let each = 0; each < 3; each++) expect(world.write()).toBe(true);
  world.detach('n1');
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  const clone = (name = 'clone') => world.volume(name)?.status?.cloneStatus;
  const is = (state: string, name = 'clone') => clone(name)?.state === state;
  const snapshots = () => world.cluster.all<Snapshot>(snapshotType, namespace);
  const disks = (volume = 'clone') =>
    world.replicas(volume).map(({ metadata }) => [...(world.hosts.disks.get(metadata.name ?? '')?.written ?? [])]);
  const transfers = () => [...world.hosts.hosts.values()].flatMap((host) => host.transfers.names);
  const problem = (name = 'clone') =>
    world.volume(name)?.status?.conditions?.find(({ type }) => type === 'Restore')?.message;
  return { world, managers, clone, is, snapshots, disks, transfers, problem };
}

type Written = Awaited<ReturnType<typeof aWrittenVolume>>;

/** Waits until both are detached without tickets, the copy has ended, and the snapshot that was taken for it is removed. */
async function atRest({ world, snapshots, transfers }: Written, source = 'vol'): Promise<void> {
  const rests = (name: string) => {
    const tickets = world.attachment(name)?.spec.attachmentTickets ?? {};
    return world.state(name) === 'detached/unknown' && Object.keys(tickets).length === 0;
  };
  await world.clock.advanceUntil(() => rests(source) && rests('clone') && transfers().length === 0);
  expect(
    snapshots().every(({ status, metadata }) => metadata.deletionTimestamp === undefined || status?.markRemoved),
  ).toBe(true);
}

describe('a clone', () => {
  it('has the data of the source, with both attached only for the copy, and leaves nothing behind', async () => {
    const written = await aWrittenVolume();
    const { world, is, disks, snapshots } = written;
    world.cluster.put(cloneOf('clone'));
    await world.clock.advanceUntil(() => is('initiated') && world.state('clone') === 'attached/healthy');
    // An attach meanwhile gets no device, because the data is incomplete.
    world.attach('n3', 'clone');
    await world.clock.advance(5_000);
    const answer = world.attachment('clone')?.status?.attachmentTicketStatuses?.['csi-n3'];
    expect(answer).toMatchObject({ satisfied: false, conditions: [{ reason: 'ContentPending' }] });
    expect(world.hosts.enginesOf('clone').some(({ frontend }) => frontend)).toBe(false);
    world.detach('n3', 'clone');
    await world.clock.advanceUntil(() => is('completed'));
    expect(disks()).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
    await atRest(written);
    // The head is based on the snapshot taken for the copy, so the data of that is removed with the next snapshot.
    expect(snapshots().map(({ status }) => status?.markRemoved)).toEqual([true]);
    expect(world.volume('clone')?.spec.dataSource).toBe('vol://vol');
    expect(world.engine('clone')?.spec.requestedDataSource).toBe('');
  });

  it('of a snapshot has the data of the snapshot, which stays', async () => {
    const written = await aWrittenVolume();
    const { world, is, disks, snapshots } = written;
    const wanted: Snapshot = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Snapshot',
      metadata: { ...key('snap'), labels: { longhornvolume: 'vol' } },
      spec: { volume: 'vol', createSnapshot: true },
    };
    world.cluster.put(wanted);
    await world.clock.advanceUntil(() => snapshots()[0]?.status?.readyToUse === true);
    world.attach('n2');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(world.write()).toBe(true);
    world.cluster.put(cloneOf('clone', 'snap://vol/snap', String(2 * 1024 ** 3)));
    await world.clock.advanceUntil(() => is('completed'));
    expect(disks()[0]).toEqual([0, 1, 2]);
    expect(world.state()).toBe('attached/healthy');
    expect(snapshots().map(({ metadata }) => metadata.name)).toEqual(['snap']);
    world.detach('n2');
    await atRest(written);
  });

  it.each([
    ['vol://none', undefined, 'volume none, which it is cloned from, is not there'],
    ['snap://vol/none', undefined, 'volume vol does not have snapshot none any more'],
    ['vol://vol', '1048576', 'a clone of 1073741824 bytes cannot have 1048576'],
    ['nothing', undefined, 'data source "nothing" cannot be read'],
  ])('of %s with %s bytes fails with the cause', async (dataSource, size, message) => {
    const { world, is, problem } = await aWrittenVolume();
    world.cluster.put(cloneOf('clone', dataSource, size));
    await world.clock.advanceUntil(() => is('failed'));
    expect(problem()).toBe(message);
    world.attach('n1', 'clone');
    await world.clock.advance(30_000);
    const answer = world.attachment('clone')?.status?.attachmentTicketStatuses?.['csi-n1'];
    expect(answer?.conditions?.[0]?.message).toContain(message);
    await world.cluster.delete(volumeType, key('clone'));
    await world.clock.advanceUntil(() => world.volume('clone') === undefined);
  });

  it('is tried again when the engine of either side dies during the copy, and has all data at the end', async () => {
    const written = await aWrittenVolume();
    const { world, clone, is, disks } = written;
    world.cluster.put(cloneOf('clone'));
    for (const [attempt, volume] of [
      [1, 'clone'],
      [2, 'vol'],
    ] as const) {
      await world.clock.advanceUntil(() => written.transfers().includes(`clone-clone-${attempt}`));
      await world.clock.advance(7_000);
      world.hosts.engineOf(volume)?.kill();
      if (volume === 'vol')
        for (const { metadata } of world.replicas())
          for (const host of world.hosts.hosts.values()) host.killReplica(metadata.name ?? '');
      await world.clock.advanceUntil(() => (clone()?.attemptCount ?? 0) > attempt);
    }
    await world.clock.advanceUntil(() => is('completed'));
    expect(disks()[0]).toEqual([0, 1, 2]);
    await atRest(written);
    expect(written.problem()).toBe('');
  });

  it('counts and reports a failed try, also after a conflict with another writer of the volume', async () => {
    const written = await aWrittenVolume();
    const { world, clone, is } = written;
    world.cluster.put(cloneOf('clone'));
    await world.clock.advanceUntil(() => written.transfers().length === 1);
    await world.clock.advance(7_000);
    world.hosts.engineOf('clone')?.kill();
    const tellsOfIt = (body: unknown) => ((body as Volume).status?.cloneStatus?.nextAllowedAttemptAt ?? '') !== '';
    world.cluster.failOnce(
      'update',
      ({ type, subresource, body }) => type.kind === 'Volume' && subresource === 'status' && tellsOfIt(body),
      'KUBE_CONFLICT',
    );
    await world.clock.advanceUntil(() => is('completed'));
    expect(clone()?.attemptCount).toBe(2);
    const told = world.cluster.all(eventType, namespace).filter(({ reason }) => reason === 'CloneRetried');
    expect(told.map(({ involvedObject, count }) => [involvedObject.name, count])).toEqual([['clone', 1]]);
    await atRest(written);
  });

  it('continues on another node when its node is lost, with the manager that is responsible for it', async () => {
    const written = await aWrittenVolume();
    const { world, managers, is, disks } = written;
    world.cluster.put(cloneOf('clone'));
    await world.clock.advanceUntil(() => written.transfers().length === 1);
    const node = world.engine('clone')?.spec.nodeID ?? '';
    await managers.get(node)?.stop();
    await world.setNode(node, 'dead');
    world.cluster.change(instanceManagerType, key(`instance-manager-${node}`), (object) => {
      object.status = { ...object.status, currentState: 'unknown' };
    });
    await world.clock.advanceUntil(() => is('completed'));
    expect(disks().some((ids) => ids.join() === '0,1,2')).toBe(true);
  });

  it('is deleted during the copy, together with the snapshot that was taken for it', async () => {
    const written = await aWrittenVolume();
    const { world, snapshots, transfers } = written;
    world.cluster.put(cloneOf('clone'));
    await world.clock.advanceUntil(() => transfers().length === 1);
    await world.clock.advance(6_000);
    await world.cluster.delete(volumeType, key('clone'));
    await world.clock.advanceUntil(() => world.volume('clone') === undefined);
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown' && transfers().length === 0);
    await world.clock.advance(10_000);
    expect(snapshots().every(({ status }) => status?.markRemoved === true)).toBe(true);
    expect(world.attachment()?.spec.attachmentTickets).toEqual({});
  });

  it('fails when its source is deleted during the copy, and does not delay that', async () => {
    const written = await aWrittenVolume();
    const { world, is, problem, transfers } = written;
    world.cluster.put(cloneOf('clone'));
    await world.clock.advanceUntil(() => transfers().length === 1);
    await world.cluster.delete(volumeType, key('vol'));
    await world.clock.advanceUntil(() => is('failed') && world.volume() === undefined);
    expect(problem()).toContain('which it is cloned from, is being deleted');
    await world.clock.advanceUntil(() => world.state('clone') === 'detached/unknown' && transfers().length === 0);
  });

  it('keeps the snapshot that it reads until the copy is complete', async () => {
    const written = await aWrittenVolume();
    const { world, is, snapshots, transfers, disks } = written;
    world.cluster.put(cloneOf('clone'));
    await world.clock.advanceUntil(() => transfers().length === 1);
    await world.cluster.delete(snapshotType, key(snapshots()[0]?.metadata.name ?? ''));
    await world.clock.advanceUntil(() => is('completed'));
    expect(disks()[0]).toEqual([0, 1, 2]);
    await atRest(written);
  });

  it('of a clone waits until that one has its data', async () => {
    const { world, is, disks } = await aWrittenVolume();
    world.cluster.put(cloneOf('clone'));
    world.cluster.put(cloneOf('second', 'vol://clone'));
    await world.clock.advanceUntil(() => is('completed', 'second'));
    expect(is('completed')).toBe(true);
    expect(disks('second')[0]).toEqual([0, 1, 2]);
  });
});
