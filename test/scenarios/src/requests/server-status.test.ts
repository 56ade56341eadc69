import { serverStatusRequestType } from '@lateen/api-types';
import { afterEach, describe, expect, it } from 'vitest';
import { aServerStatusRequest, namespace, RequestWorld } from './request-world.ts';

const worlds: RequestWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

function running(): RequestWorld {
  const world = new RequestWorld({ objects: [] });
  worlds.push(world);
  world.start();
  return world;
}

const statusOf = (world: RequestWorld, name: string) =>
  world.cluster.find(serverStatusRequestType, { namespace, name })?.status;

describe('a ServerStatusRequest', () => {
  it('is answered with version and plugins, sorted as clients print them, and deleted a minute later', async () => {
    const world = running();
    const { metadata } = await world.cluster.create(serverStatusRequestType, {
      ...aServerStatusRequest(''),
      metadata: { generateName: 'velero-cli-', namespace },
    });
    await world.cluster.settle();
    expect(statusOf(world, metadata.name ?? '')).toEqual({
      phase: 'Processed',
      processedTimestamp: '2030-01-01T00:00:00Z',
      serverVersion: 'v1.18.0+lateen.9.9.9',
      plugins: ['aws', 'azure', 'fs', 'gcp'].map((name) => ({ name: `velero.io/${name}`, kind: 'ObjectStore' })),
    });
    await world.clock.advance(59_000);
    expect(statusOf(world, metadata.name ?? '')).toBeDefined();
    await world.clock.advance(1_000);
    expect(world.cluster.all(serverStatusRequestType)).toEqual([]);
  });

  it('is answered and deleted also among a hundred', async () => {
    const world = running();
    for (let index = 0; index < 100; index++)
      await world.cluster.create(serverStatusRequestType, aServerStatusRequest(`r-${index}`));
    await world.cluster.settle();
    const phases = world.cluster.all(serverStatusRequestType).map(({ status }) => status?.phase);
    expect(phases).toEqual(Array.from({ length: 100 }, () => 'Processed'));
    await world.clock.advance(60_000);
    expect(world.cluster.all(serverStatusRequestType)).toEqual([]);
  });

  it('that was answered by an ended process is deleted by the next one', async () => {
    const world = new RequestWorld({ objects: [] });
    worlds.push(world);
    const first = world.start();
    await world.cluster.create(serverStatusRequestType, aServerStatusRequest('r'));
    await world.cluster.settle();
    await first.stop();
    await world.clock.advance(3_600_000);
    expect(statusOf(world, 'r')?.phase).toBe('Processed');
    world.start();
    await world.cluster.settle();
    expect(world.cluster.all(serverStatusRequestType)).toEqual([]);
  });

  it('is retried when its answer, or its deletion, fails temporarily', async () => {
    const world = running();
    world.cluster.failOnce('patch', serverStatusRequestType, 'KUBE_UNAVAILABLE');
    world.cluster.failOnce('delete', serverStatusRequestType, 'KUBE_UNAVAILABLE');
    await world.cluster.create(serverStatusRequestType, aServerStatusRequest('r'));
    await world.cluster.settle();
    await world.clock.advance(1_000);
    expect(statusOf(world, 'r')?.phase).toBe('Processed');
    await world.clock.advance(70_000);
    expect(world.cluster.all(serverStatusRequestType)).toEqual([]);
  });
});
