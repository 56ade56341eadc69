import type { Node } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { namespace, replicaOf } from './storage-nodes-objects.ts';
import { runningNodes } from './storage-nodes-world.ts';

const down = (node: Node): void => {
  node.status = {
    ...node.status,
    conditions: [{ type: 'Ready', status: 'Unknown', message: 'no word of the kubelet' }],
  };
};

describe('a node that is lost', () => {
  it('and down: another manager writes its conditions, its instance manager is unknown, nothing is deleted', async () => {
    const world = await runningNodes('n1', 'n2');
    world.host('n1').setAnswers(false);
    world.changeNode('n1', down);
    await world.pass(60);
    expect(world.condition('n1', 'Ready')).toBe('False KubernetesNodeNotReady');
    expect(world.manager('n1')?.status?.currentState).toBe('unknown');
    expect(world.pod('n1')).toBeDefined();
  });

  it('and removed from the cluster: its object is deleted when no replica names it any more', async () => {
    const world = await runningNodes('n1', 'n2');
    world.cluster.put(replicaOf('r', 'v', 'n1'));
    world.host('n1').setAnswers(false);
    world.cluster.remove(
      { group: '', version: 'v1', kind: 'Node', resource: 'nodes', namespaced: false },
      { name: 'n1' },
    );
    await world.pass(60);
    expect(world.condition('n1', 'Ready')).toBe('False KubernetesNodeGone');
    world.cluster.remove(
      { group: 'longhorn.io', version: 'v1beta2', kind: 'Replica', resource: 'replicas', namespaced: true },
      { namespace, name: 'r' },
    );
    await world.pass(60);
    await world.cluster.settle();
    expect([world.node('n1'), world.manager('n1'), world.pod('n1')]).toEqual([undefined, undefined, undefined]);
    expect(world.node('n2')).toBeDefined();
  });
});
