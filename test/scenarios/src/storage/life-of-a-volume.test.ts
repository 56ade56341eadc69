import { hostError, type InstanceHost } from '@lateen/block-engine';
import { snapshotType, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const storageKinds = new Set(['Volume', 'Engine', 'Replica', 'VolumeAttachment', 'Snapshot']);

/** Writes to the kinds of volumes since `from`, by verb and kind. */
const writesSince = ({ cluster }: StorageWorld, from: number): string[] =>
  cluster.calls
    .slice(from)
    .filter(({ verb, type }) => !['get', 'list', 'watch'].includes(verb) && storageKinds.has(type.kind))
    .map(({ verb, type, subresource = '' }) => `${verb} ${type.kind} ${subresource}`.trim());

describe('a volume', () => {
  it('is created, attached, written to, detached and deleted, and leaves nothing', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(new Set(world.replicas().map(({ spec }) => spec.nodeID)).size).toBe(3);
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(world.write()).toBe(true);
    expect(world.attachment()?.status?.attachmentTicketStatuses?.['csi-n1']?.satisfied).toBe(true);
    for (const { metadata, spec } of world.replicas()) {
      expect(world.lacking(metadata.name ?? '')).toEqual([]);
      expect(spec.healthyAt).not.toBe('');
    }
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(world.hosts.enginesOf('vol')).toEqual([]);
    expect([...world.hosts.disks.values()].map(({ port }) => port)).toEqual([0, 0, 0]);
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await world.clock.advanceUntil(() => world.volume() === undefined);
    await world.clock.advance(10_000);
    expect(world.cluster.everything().filter(({ kind }) => storageKinds.has(kind ?? ''))).toEqual([]);
    expect([...world.hosts.disks]).toEqual([]);
  });

  it('causes no write when nothing changes, and few writes for each attach', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    await world.clock.advance(60_000);
    const beforeAttach = world.cluster.calls.length;
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    await world.clock.advance(60_000);
    const attaching = writesSince(world, beforeAttach);
    expect(attaching.length).toBeLessThanOrEqual(45);
    const resting = world.cluster.calls.length;
    await world.clock.advance(600_000);
    expect(writesSince(world, resting)).toEqual([]);
  });

  it('is deleted while it is attached', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n2');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await world.clock.advanceUntil(() => world.volume() === undefined);
    await world.clock.advance(10_000);
    expect(world.cluster.everything().filter(({ kind }) => storageKinds.has(kind ?? ''))).toEqual([]);
    expect([...world.hosts.disks]).toEqual([]);
  });

  it('grows while it is attached, and also while it is detached', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    const grow = (size: string) =>
      world.cluster.change(volumeType, { namespace, name: 'vol' }, ({ spec }) => {
        spec.size = size;
      });
    grow('2147483648');
    await world.clock.advanceUntil(() => world.engine()?.status?.currentSize === '2147483648');
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    grow('4294967296');
    await world.clock.advanceUntil(() => world.engine()?.status?.currentSize === '4294967296');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(world.attachment()?.spec.attachmentTickets).toEqual({});
  });

  it('that cannot grow reports the cause on its engine, is retried with backoff, and clears the message when it has grown', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    let tries = 0;
    let isFull = true;
    const said: (boolean | undefined)[] = [];
    const { connect } = world;
    world.connect = (peer) => {
      const { host, ...rest } = connect(peer);
      const engineGrow: InstanceHost['engineGrow'] = (request, o) => {
        tries += 1;
        said.push(status().isExpanding);
        if (isFull) throw hostError('NO_ROOM', 'no space left on device');
        return host.engineGrow(request, o);
      };
      return { ...rest, host: { ...host, engineGrow } };
    };
    const status = () => world.engine()?.status ?? {};
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(status().isExpanding).toBe(false);
    world.cluster.change(volumeType, { namespace, name: 'vol' }, ({ spec }) => {
      spec.size = '2147483648';
    });
    await world.clock.advanceUntil(() => (status().lastExpansionError ?? '') !== '');
    expect(status().lastExpansionError).toContain('no space left on device');
    expect(status().lastExpansionFailedAt).not.toBe('');
    await world.clock.advance(1_200_000);
    expect(tries).toBeGreaterThan(2);
    expect(tries).toBeLessThan(20);
    isFull = false;
    await world.clock.advanceUntil(() => status().currentSize === '2147483648', { withinMs: 900_000 });
    await world.clock.advanceUntil(() => status().lastExpansionError === '');
    expect([new Set(said), status().isExpanding]).toEqual([new Set([true]), false]);
    expect([status().lastExpansionFailedAt, world.state()]).toEqual(['', 'attached/healthy']);
  });

  it('reports on its engine the progress of merging a removed snapshot on each replica', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    for (const name of ['one', 'two']) {
      await world.cluster.create(snapshotType, {
        apiVersion: 'longhorn.io/v1beta2',
        kind: 'Snapshot',
        metadata: { name, namespace, labels: { longhornvolume: 'vol' } },
        spec: { volume: 'vol', createSnapshot: true },
      });
      const ready = () => world.cluster.find(snapshotType, { namespace, name })?.status?.readyToUse === true;
      await world.clock.advanceUntil(ready);
    }
    await world.cluster.delete(snapshotType, { namespace, name: 'one' });
    const purges = () => Object.values(world.engine()?.status?.purgeStatus ?? {});
    await world.clock.advanceUntil(() => purges().some(({ state }) => state === 'in_progress'));
    await world.clock.advanceUntil(() => purges().every(({ state }) => state === 'complete'));
    expect(Object.keys(world.engine()?.status?.purgeStatus ?? {}).sort()).toEqual(
      Object.values(world.engine()?.spec.replicaAddressMap ?? {}).sort(),
    );
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(purges()).toEqual([]);
  });

  it('keeps a snapshot until it is deleted, with its data', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    const make = (name: string) =>
      world.cluster.create(snapshotType, {
        apiVersion: 'longhorn.io/v1beta2',
        kind: 'Snapshot',
        metadata: { name, namespace, labels: { longhornvolume: 'vol' } },
        spec: { volume: 'vol', createSnapshot: true, labels: { why: 'test' } },
      });
    await make('one');
    await make('two');
    const ready = (name: string) => world.cluster.find(snapshotType, { namespace, name })?.status?.readyToUse === true;
    await world.clock.advanceUntil(() => ready('one') && ready('two'));
    // Attached without a device for the snapshots, and detached when they exist.
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    await world.cluster.delete(snapshotType, { namespace, name: 'one' });
    await world.clock.advanceUntil(() => world.cluster.find(snapshotType, { namespace, name: 'one' }) === undefined);
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    for (const disk of world.hosts.disks.values()) expect(disk.snapshots.map(({ name }) => name)).toEqual(['two']);
  });
});
