import { volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import type { Death } from '../world/mortal-kube.ts';
import { aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const kinds = new Set(['Volume', 'Engine', 'Replica', 'VolumeAttachment', 'Snapshot']);

/**
 * A volume from creation to deletion, with one manager that dies at a write and is restarted. Returns the number of writes of the first
 * one.
 */
async function life(death?: Death): Promise<number> {
  const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects: [aVolume('vol')] });
  const { life: first } = world.start('n1', death);
  world.start('n2');
  world.start('n3');
  const until = async (condition: () => boolean) => {
    while (!condition()) {
      const stepMs = Math.min(world.clock.nextDueInMs ?? 1_000, 60_000);
      await world.clock.advance(stepMs);
      if (first.dead && !restarted) {
        restarted = true;
        world.start('n1');
      }
      if (world.clock.monotonicMs() > 3_600_000) throw new Error(`an hour has passed: ${world.state()}, ${condition}`);
    }
  };
  let restarted = false;
  await until(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await until(() => world.state() === 'attached/healthy');
  expect(world.write()).toBe(true);
  for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
  world.detach('n1');
  await until(() => world.state() === 'detached/unknown');
  await world.cluster.delete(volumeType, { namespace, name: 'vol' });
  await until(() => world.volume() === undefined);
  await world.clock.advance(60_000);
  expect(world.cluster.everything().filter(({ kind }) => kinds.has(kind ?? ''))).toEqual([]);
  expect([...world.hosts.disks]).toEqual([]);
  await world.stopAll();
  return first.writes;
}

describe('a manager that dies between two writes', () => {
  it('leaves nothing that the next one does not complete', async () => {
    const writes = await life();
    expect(writes).toBeGreaterThan(20);
    // Two of each seven deaths by default, at writes of different kinds; all of them with LATEEN_EVERY_DEATH.
    const step = process.env.LATEEN_EVERY_DEATH === undefined ? 7 : 1;
    for (let atWrite = 0; atWrite < writes; atWrite += step) {
      await life({ atWrite, when: 'before' });
      await life({ atWrite: atWrite + Math.floor(step / 2), when: 'after' });
    }
  });
});
