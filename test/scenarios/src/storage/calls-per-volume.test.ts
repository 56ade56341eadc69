import { replicaType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/** For a busy machine. */
const testMs = 600_000;

/**
 * Calls to the API server and to hosts for one volume, from its creation until it is attached and then detached; watches and Leases are
 * shared.
 */
async function callsEach(count: number): Promise<{ readonly api: number; readonly hosts: number }> {
  const names = Array.from({ length: count }, (_, index) => `vol-${index}`);
  const world = new StorageWorld({ objects: names.map((name) => aVolume(name)) });
  world.startAll();
  const all = (state: string) => names.every((name) => world.state(name) === state);
  const nodeOf = (index: number): string => world.nodes[index % world.nodes.length] ?? '';
  await world.clock.advanceUntil(() => all('detached/unknown'));
  for (const [index, name] of names.entries()) world.attach(nodeOf(index), name);
  await world.clock.advanceUntil(() => all('attached/healthy'));
  for (const [index, name] of names.entries()) world.detach(nodeOf(index), name);
  await world.clock.advanceUntil(() => all('detached/unknown'));
  expect(world.cluster.all(replicaType, namespace).length).toBe(3 * count);
  const shared = ['list', 'watch'];
  const calls = world.cluster.calls.filter(({ verb, type }) => !shared.includes(verb) && type.kind !== 'Lease');
  return { api: calls.length / count, hosts: world.hosts.calls().length / count };
}

describe('the cost of a volume', () => {
  it('is the same among 24 volumes as among 8, with three replicas each', { timeout: testMs }, async () => {
    const [few, many] = [await callsEach(8), await callsEach(24)];
    expect(many.api / few.api).toBeLessThan(1.1);
    expect(many.hosts / few.hosts).toBeLessThan(1.1);
    // A volume that is attached and detached: creations, scheduling, a start with its promises, modes, and states of five objects.
    expect(many.api).toBeLessThan(120);
  });
});
