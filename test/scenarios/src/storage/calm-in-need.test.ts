import { generationOf, type Replica } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { inTurn } from './slow-hosts.ts';
import { aVolume } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/* Temporary faults cost no replica. */

/** For a busy machine. */
const testMs = 600_000;

const namesOf = (replicas: readonly Replica[]): string[] => replicas.map(({ metadata }) => metadata.name ?? '').sort();
const haveFailed = (replicas: readonly Replica[]): string[] =>
  namesOf(replicas.filter(({ spec }) => (spec.failedAt ?? '') !== '' || (spec.lastFailedAt ?? '') !== ''));

describe('ten minutes without the API server', () => {
  it('do not stop the data path, and nothing fails, starts or is created again afterwards', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    const before = { replicas: namesOf(world.replicas()), start: generationOf(world.engine() ?? { metadata: {} }) };
    world.hosts.records.away = true;
    const off = world.cluster.intercept(async () => {
      throw new Error('the API server is away');
    });
    for (let minute = 0; minute < 10; minute += 1) {
      expect(world.write()).toBe(true);
      await world.clock.advance(60_000);
    }
    off();
    world.hosts.records.away = false;
    await world.clock.advance(120_000);
    expect(world.state()).toBe('attached/healthy');
    expect({ replicas: namesOf(world.replicas()), start: generationOf(world.engine() ?? { metadata: {} }) }).toEqual(
      before,
    );
    expect(haveFailed(world.replicas())).toEqual([]);
    for (const name of before.replicas) expect(world.lacking(name)).toEqual([]);
    // Managers work again: requests are carried out.
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  });
});

describe('many volumes that are attached at the same time', () => {
  it('start with all their replicas, which hosts start one by one: none fails because it had to wait', {
    timeout: testMs,
  }, async () => {
    const names = Array.from({ length: 24 }, (_, index) => `vol-${index}`);
    const world = new StorageWorld({ objects: names.map((name) => aVolume(name)) });
    world.connect = inTurn(world.clock, world.hosts.connect, { startMs: 8_000 });
    world.startAll();
    const all = (state: string) => names.every((name) => world.state(name) === state);
    await world.clock.advanceUntil(() => all('detached/unknown'));
    for (const [index, name] of names.entries()) world.attach(world.nodes[index % 4] ?? '', name);
    await world.clock.advanceUntil(() => all('attached/healthy'), { withinMs: 3_600_000 });
    for (const name of names) {
      expect(world.replicas(name).length).toBe(3);
      expect(haveFailed(world.replicas(name))).toEqual([]);
    }
    expect(world.hosts.calls().filter((call) => call === 'engineAddReplica')).toEqual([]);
  });
});
