import { podType } from '@lateen/api-types';
import { settingType } from '@lateen/storage-types';
import { podDisruptionBudgetType } from '@lateen/volume-controllers';
import { describe, expect, it } from 'vitest';
import { namespace, replicaOf } from './storage-nodes-objects.ts';
import { runningNodes } from './storage-nodes-world.ts';

describe('the pod of an instance manager', () => {
  it('is created again when it was deleted, and has another address', async () => {
    const world = await runningNodes('n1');
    const before = world.manager('n1')?.status?.ip;
    world.cluster.remove(podType, { namespace, name: world.pod('n1')?.metadata.name ?? '' });
    await world.pass(5);
    expect(world.manager('n1')?.status).toMatchObject({ currentState: 'running' });
    expect(world.manager('n1')?.status?.ip).not.toBe(before);
  });

  it('is created again with changed settings when nothing runs in it, and the setting is then applied', async () => {
    const world = await runningNodes('n1');
    const instance = {
      kind: 'replica',
      name: 'r',
      volume: 'v',
      generation: 1,
      state: 'running',
      uuid: 'u',
      port: 1,
    } as const;
    world.cluster.put(replicaOf('r', 'v', 'n1'));
    world.host('n1').run(instance);
    await world.pass(5);
    const applied = () => world.cluster.find(settingType, { namespace, name: 'taint-toleration' })?.status?.applied;
    world.cluster.change(settingType, { namespace, name: 'taint-toleration' }, (each) => {
      each.value = 'dedicated:NoExecute';
    });
    await world.pass(30);
    expect([world.pod('n1')?.spec.tolerations, applied()]).toEqual([[], false]);
    expect(world.manager('n1')?.status?.instanceReplicas).toHaveProperty('r');
    world.host('n1').run();
    await world.pass(10);
    expect([world.pod('n1')?.spec.tolerations, applied()]).toEqual([
      [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }],
      true,
    ]);
  });

  it('with a new image runs beside the old one until the old one is empty', async () => {
    const world = await runningNodes('n1');
    const [engine] = [
      { kind: 'engine', name: 'v-e-0', volume: 'v', generation: 1, state: 'running', uuid: 'u' } as const,
    ];
    world.host('n1').run(engine);
    await world.pass(2);
    world.start('n1', 'storage:2');
    await world.pass(20);
    expect([world.manager('n1')?.status?.currentState, world.manager('n1', 'storage:2')?.status?.currentState]).toEqual(
      ['running', 'running'],
    );
    world.host('n1').run();
    await world.pass(20);
    expect([world.manager('n1'), world.pod('n1')]).toEqual([undefined, undefined]);
    expect(world.manager('n1', 'storage:2')?.status?.currentState).toBe('running');
  });

  it('may be evicted from a cordoned node only when each of its volumes has a healthy replica elsewhere', async () => {
    const world = await runningNodes('n1', 'n2');
    const budget = () =>
      world.cluster.find(podDisruptionBudgetType, { namespace, name: world.manager('n1')?.metadata.name ?? '' });
    world.cluster.put(replicaOf('a', 'v', 'n1'));
    world.changeNode('n1', (node) => {
      node.spec = { unschedulable: true };
    });
    await world.pass(5);
    expect(budget()).toBeDefined();
    expect(world.condition('n1', 'Schedulable')).toBe('False KubernetesNodeCordoned');
    world.cluster.put(replicaOf('b', 'v', 'n2'));
    await world.pass(5);
    expect(budget()).toBeUndefined();
    world.changeNode('n1', (node) => {
      node.spec = {};
    });
    await world.pass(5);
    expect(budget()).toBeDefined();
  });
});
