import { secretType } from '@lateen/api-types';
import { settingType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aStorageNode, GiB, namespace } from './storage-nodes-objects.ts';
import { release, runningNodes, StorageNodesWorld } from './storage-nodes-world.ts';

describe('the first start in an empty cluster', () => {
  it('creates settings, certificate, nodes with their default disk and instance managers, and all become ready', async () => {
    const world = await runningNodes('n1', 'n2');
    expect(world.cluster.all(settingType).length).toBeGreaterThan(100);
    expect(world.cluster.find(settingType, { namespace, name: 'default-engine-image' })?.value).toBe(release.image);
    expect(world.cluster.all(secretType).map(({ metadata }) => metadata.name)).toEqual(['volume-manager-tls']);
    expect(world.manager('n1')?.status).toMatchObject({ currentState: 'running', ownerID: 'n1', apiVersion: 1 });
    for (const name of ['n1', 'n2']) {
      expect([world.condition(name, 'Ready'), world.condition(name, 'Schedulable')]).toEqual(['True', 'True']);
      expect(world.node(name)?.status?.zone).toBe(`zone-${name}`);
      const [[disk, spec] = []] = Object.entries(world.node(name)?.spec.disks ?? {});
      expect(spec).toMatchObject({ path: '/var/lib/longhorn/', storageReserved: 30 * GiB, allowScheduling: true });
      const status = world.node(name)?.status?.diskStatus?.[disk ?? ''];
      expect(status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
        'Ready True',
        'Schedulable True',
      ]);
      expect(status?.diskUUID).toBe(world.host(name).mounts.get('/var/lib/longhorn/')?.uuid);
    }
    expect(world.node('n1')?.metadata.annotations).toEqual({});
  });

  it('writes nothing more when everything is as it should be', async () => {
    const world = await runningNodes('n1', 'n2');
    await world.pass(60);
    const before = world.cluster.calls.length;
    await world.pass(120);
    const writes = world.cluster.calls
      .slice(before)
      .filter(({ verb, type }) => ['create', 'update', 'patch', 'delete'].includes(verb) && type.kind !== 'Lease');
    expect(writes.map(({ verb, type, key }) => `${verb} ${type.kind} ${key.name}`)).toEqual([]);
  });

  it('keeps settings with values, and reports unknown settings', async () => {
    const objects = [
      aSetting('default-replica-count', '{"v1":"2"}'),
      aSetting('from-the-future', 'x'),
      aSetting('log-level', 'Loud'),
    ];
    const world = new StorageNodesWorld([aStorageNode('n1')], objects);
    world.start('n1');
    await world.pass(10);
    const stored = (name: string) => world.cluster.find(settingType, { namespace, name });
    expect(stored('default-replica-count')).toMatchObject({ value: '{"v1":"2"}', status: { applied: true } });
    expect(stored('from-the-future')).toMatchObject({ value: 'x', status: { applied: false } });
    expect(stored('log-level')).toMatchObject({ value: 'Loud', status: { applied: false } });
    const events = world.cluster.everything().filter(({ kind }) => kind === 'Event') as unknown as { reason: string }[];
    expect(
      events
        .map(({ reason }) => reason)
        .filter((each) => each.startsWith('Setting'))
        .sort(),
    ).toEqual(['SettingInvalid', 'SettingUnknown']);
  });

  it('continues when the API server is reachable again', async () => {
    const world = new StorageNodesWorld([aStorageNode('n1')]);
    const heal = world.cluster.intercept(async (call, next) => {
      if (call.type.group !== 'longhorn.io') return await next();
      throw new Error('the API server is away');
    });
    world.start('n1');
    await world.pass(40);
    expect(world.manager('n1')).toBeUndefined();
    heal();
    await world.pass(60);
    expect(world.manager('n1')?.status?.currentState).toBe('running');
  });
});
