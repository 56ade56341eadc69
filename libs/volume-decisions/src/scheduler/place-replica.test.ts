import { describe, expect, it } from 'vitest';
import type { NodeFacts } from './cluster-facts.ts';
import { aCluster, aDisk, aNode, aReplicaOn, aVolume, usualSettings } from './example-cluster.ts';
import { isPlace, placeReplica } from './place-replica.ts';
import type { PlaceRequest } from './place-request.ts';
import { refusedText, schedulingFailure } from './refusal.ts';

const GiB = 1024n ** 3n;
const usual = { zone: 'soft', node: 'hard', disk: 'soft' } as const;

function place(nodes: NodeFacts[], request: Partial<PlaceRequest> = {}, settings = {}) {
  const whole: PlaceRequest = {
    volume: aVolume(),
    replicas: [],
    leaving: new Set(),
    policies: usual,
    ...request,
  };
  const placement = placeReplica(whole, aCluster(...nodes), { ...usualSettings, ...settings });
  return isPlace(placement) ? `${placement.node} ${placement.disk}` : placement.refused.join('; ');
}

describe('placeReplica', () => {
  const disk = (parts: Parameters<typeof aDisk>[1]) => aNode('n1', { disks: [aDisk('d', parts)] });
  it.each<[string, NodeFacts, string]>([
    ['takes a node that is ready', aNode('n1'), 'n1 n1-a'],
    ['rejects a node that is not ready', aNode('n1', { ready: false }), 'nodes are unavailable'],
    ['rejects a node whose manager is down', aNode('n1', { managerIsUp: false }), 'nodes are unavailable'],
    ['rejects a node that is cordoned', aNode('n1', { cordoned: true }), 'nodes are unavailable'],
    ['rejects a node that is not schedulable', aNode('n1', { schedulable: false }), 'nodes are unavailable'],
    ['rejects a node with scheduling disabled', aNode('n1', { allowScheduling: false }), 'nodes are unavailable'],
    ['rejects a node that is being evicted', aNode('n1', { evictionRequested: true }), 'nodes are unavailable'],
    ['rejects a node without the image', aNode('n1', { engineImages: new Set(['other']) }), 'nodes are unavailable'],
    ['rejects a node without disks', aNode('n1', { disks: [] }), 'disk not found'],
    ['rejects a disk that is not schedulable', disk({ schedulable: false }), 'disks are unavailable'],
    ['rejects a disk with scheduling disabled', disk({ allowScheduling: false }), 'disks are unavailable'],
    ['rejects a disk that is being evicted', disk({ evictionRequested: true }), 'disks are unavailable'],
    ['takes a disk that the replica fills to the last byte', disk({ storageScheduled: 90n * GiB }), 'n1 d'],
    ['rejects a disk that lacks one byte', disk({ storageScheduled: 90n * GiB + 1n }), 'insufficient storage'],
    [
      'rejects a disk when the replica would need the reserved space',
      disk({ storageReserved: 91n * GiB }),
      'insufficient storage',
    ],
    [
      'rejects a disk when exactly the minimum share would stay free',
      disk({ storageAvailable: 25n * GiB }),
      'insufficient storage',
    ],
    ['takes a disk when one byte more would stay free', disk({ storageAvailable: 25n * GiB + 1n }), 'n1 d'],
    [
      'reports a full disk as full, even when it is also not schedulable',
      disk({ storageAvailable: 1n, schedulable: false }),
      'insufficient storage',
    ],
  ])('%s', (_, node, placed) => {
    expect(place([node])).toBe(placed);
  });

  it('uses the actual size of the volume for the space that must stay free', () => {
    const node = aNode('n1', { disks: [aDisk('d', { storageAvailable: 30n * GiB })] });
    expect(place([node], { volume: aVolume({ actualBytes: 4n * GiB }) })).toBe('n1 d');
    expect(place([node], { volume: aVolume({ actualBytes: 5n * GiB }) })).toBe('insufficient storage');
  });

  it('schedules more than the disk size when over-provisioning allows it', () => {
    const node = aNode('n1', { disks: [aDisk('d', { storageScheduled: 190n * GiB })] });
    expect(place([node], {}, { overProvisioningPercentage: 200 })).toBe('n1 d');
    expect(place([node], {}, { overProvisioningPercentage: 199 })).toBe('insufficient storage');
  });

  it('takes cordoned nodes when the setting allows it', () => {
    expect(place([aNode('n1', { cordoned: true })], {}, { disableSchedulingOnCordonedNode: false })).toBe('n1 n1-a');
  });

  it('requires every tag of the selectors, and keeps volumes without a selector off tagged nodes when the setting says so', () => {
    const tagged = aNode('n1', { tags: ['ssd', 'big'], disks: [aDisk('d', { tags: ['fast'] })] });
    expect(place([tagged], { volume: aVolume({ nodeSelector: ['ssd', 'big'], diskSelector: ['fast'] }) })).toBe('n1 d');
    expect(place([tagged], { volume: aVolume({ nodeSelector: ['ssd', 'x'] }) })).toBe('tags not fulfilled');
    expect(place([tagged], { volume: aVolume({ diskSelector: ['x'] }) })).toBe('tags not fulfilled');
    expect(place([tagged])).toBe('n1 d');
    expect(place([tagged], {}, { allowEmptyNodeSelector: false })).toBe('tags not fulfilled');
    expect(place([tagged], {}, { allowEmptyDiskSelector: false })).toBe('tags not fulfilled');
  });

  it('reports each reason once, sorted, and names the node and disk', () => {
    const nodes = [
      aNode('n3', { ready: false }),
      aNode('n1', {
        disks: [aDisk('full', { storageScheduled: 100n * GiB }), aDisk('off', { allowScheduling: false })],
      }),
      aNode('n2', { cordoned: true }),
    ];
    const request: PlaceRequest = { volume: aVolume(), replicas: [], leaving: new Set(), policies: usual };
    const placement = placeReplica(request, aCluster(...nodes), usualSettings);
    if (isPlace(placement)) throw new Error('it was placed');
    expect(schedulingFailure(request, placement.refused)).toEqual({
      reason: 'ReplicaSchedulingFailure',
      message: 'disks are unavailable; insufficient storage; nodes are unavailable',
    });
    expect(placement.because.map(refusedText)).toEqual([
      'disk full of n1 has promised its room to other volumes',
      'disk off of n1 does not allow scheduling',
      'n2 is cordoned',
      'n3 is not ready',
    ]);
  });

  it('reports that the cluster has no node', () => {
    expect(place([])).toBe('node not found');
  });
});

describe('order of places', () => {
  const zones = [aNode('a1', { zone: 'a' }), aNode('a2', { zone: 'a' }), aNode('b1', { zone: 'b' })];
  const bigger = (name: string, zone: string) =>
    aNode(name, { zone, disks: [aDisk(`${name}-a`, { storageMaximum: 1000n * GiB, storageAvailable: 1000n * GiB })] });
  it('takes an unused zone first, even if another zone has more free space', () => {
    expect(
      place([aNode('a1', { zone: 'a' }), bigger('a2', 'a'), aNode('b1', { zone: 'b' })], {
        replicas: [aReplicaOn('a1')],
      }),
    ).toBe('b1 b1-a');
  });
  it('takes an unused node of a used zone next, when zone anti-affinity is soft', () => {
    expect(place(zones, { replicas: [aReplicaOn('a1'), aReplicaOn('b1')] })).toBe('a2 a2-a');
  });
  it('finds no place in a used zone when zone anti-affinity is hard', () => {
    const policies = { ...usual, zone: 'hard' } as const;
    expect(place(zones, { replicas: [aReplicaOn('a1'), aReplicaOn('b1')], policies })).toBe('nodes are unavailable');
  });
  it('takes the zone of an evicted replica when zone anti-affinity is hard', () => {
    const policies = { ...usual, zone: 'hard' } as const;
    const request = { replicas: [aReplicaOn('a1'), aReplicaOn('b1')], leaving: new Set(['r-a1']), policies };
    expect(place(zones, request)).toMatch(/^a[12]/);
  });
  it('counts nodes without a zone as one zone', () => {
    const policies = { ...usual, zone: 'hard' } as const;
    expect(place([aNode('n1'), aNode('n2')], { replicas: [aReplicaOn('n1')], policies })).toBe('nodes are unavailable');
  });
  it('takes the node of an evicted replica only after unused nodes, when node anti-affinity is hard', () => {
    const leaving = new Set(['r-n1']);
    expect(place([aNode('n1'), aNode('n2')], { replicas: [aReplicaOn('n1')], leaving })).toBe('n2 n2-a');
    expect(place([aNode('n1')], { replicas: [aReplicaOn('n1')], leaving })).toBe('n1 n1-a');
    expect(place([aNode('n1')], { replicas: [aReplicaOn('n1')] })).toBe('nodes are unavailable');
  });
  it('takes a used node last, when both are soft, and there a disk without a replica', () => {
    const policies = { ...usual, node: 'soft' } as const;
    const two = aNode('n1', {
      disks: [aDisk('n1-a', { storageMaximum: 900n * GiB, storageAvailable: 900n * GiB }), aDisk('n1-b')],
    });
    expect(place([two, aNode('n2')], { replicas: [aReplicaOn('n1')], policies })).toBe('n2 n2-a');
    expect(place([two], { replicas: [aReplicaOn('n1')], policies })).toBe('n1 n1-b');
  });
  it('puts two replicas on one disk only when disk anti-affinity is soft', () => {
    const replicas = [aReplicaOn('n1')];
    expect(place([aNode('n1')], { replicas, policies: { zone: 'soft', node: 'soft', disk: 'soft' } })).toBe('n1 n1-a');
    expect(place([aNode('n1')], { replicas, policies: { zone: 'soft', node: 'soft', disk: 'hard' } })).toBe(
      'disks are unavailable',
    );
  });
  it('counts the place of a failed replica only while the replica may come back', () => {
    expect(place([aNode('n1')], { replicas: [aReplicaOn('n1', { failed: true, mayReturn: true })] })).toBe(
      'nodes are unavailable',
    );
    expect(place([aNode('n1')], { replicas: [aReplicaOn('n1', { failed: true })] })).toBe('n1 n1-a');
  });
  it('takes the node with the most usable space over all its disks, and its disk with the most space', () => {
    const of = (gib: bigint) => ({ storageMaximum: 900n * GiB, storageAvailable: gib * GiB });
    const one = aNode('n1', { disks: [aDisk('x', of(500n))] });
    const two = aNode('n2', { disks: [aDisk('y', of(300n)), aDisk('z', of(310n))] });
    expect(place([one, two])).toBe('n2 z');
  });
});

describe('data locality of one replica', () => {
  const nodes = [aNode('n1'), aNode('n2', { disks: [aDisk('d', { storageScheduled: 95n * GiB })] })];
  it('prefers a node, and takes another when the node has no room', () => {
    expect(place(nodes, { preferNode: 'n1' })).toBe('n1 n1-a');
    expect(place(nodes, { preferNode: 'n2' })).toBe('n1 n1-a');
    expect(place(nodes, { preferNode: 'gone' })).toBe('n1 n1-a');
  });
  it('requires a node when locality is strict', () => {
    expect(place(nodes, { hardNode: 'n1' })).toBe('n1 n1-a');
    expect(place(nodes, { hardNode: 'n2' })).toBe('hard affinity cannot be satisfied; insufficient storage');
    expect(place(nodes, { hardNode: 'gone' })).toBe('hard affinity cannot be satisfied; node not found');
    expect(schedulingFailure({ hardNode: 'n2' }, ['insufficient storage']).reason).toBe(
      'LocalReplicaSchedulingFailure',
    );
  });
});
