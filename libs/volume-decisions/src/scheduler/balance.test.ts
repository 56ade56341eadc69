import { describe, expect, it } from 'vitest';
import { type BalanceSeen, decideBalance } from './balance.ts';
import type { NodeFacts } from './cluster-facts.ts';
import { aCluster, aDisk, aNode, aReplicaOn, aVolume, usualSettings } from './example-cluster.ts';
import { affinityOf, wantsLocalReplica } from './locality.ts';
import type { PlacedReplica } from './place-request.ts';
import { surplusReplica } from './surplus-replica.ts';

const GiB = 1024n ** 3n;
const soft = { zone: 'soft', node: 'soft', disk: 'soft' } as const;

function balance(nodes: NodeFacts[], replicas: PlacedReplica[], parts: Partial<BalanceSeen> = {}) {
  const move = decideBalance({
    mode: 'best-effort',
    request: { volume: aVolume(), replicas, leaving: new Set(), policies: soft },
    numberOfReplicas: replicas.length,
    cluster: aCluster(...nodes),
    settings: usualSettings,
    diskPressurePercentage: 90,
    ...parts,
  });
  return move === undefined ? undefined : `${move.replaces} -> ${move.place.node}: ${move.because}`;
}
const many = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([node, count]) =>
    Array.from({ length: count }, (_, index) => aReplicaOn(node, { name: `${node}-${index}` })),
  );

describe('decideBalance', () => {
  const two = [aNode('n1'), aNode('n2')];
  it('with least-effort, moves one replica to a node that has none', () => {
    expect(balance(two, many({ n1: 4 }), { mode: 'least-effort' })).toBe('n1-0 -> n2: node n1 has 4 replicas, n2 0');
    expect(balance(two, many({ n1: 3, n2: 1 }), { mode: 'least-effort' })).toBeUndefined();
  });
  it('with best-effort, continues until nodes are even', () => {
    expect(balance(two, many({ n1: 3, n2: 1 }))).toBe('n1-0 -> n2: node n1 has 3 replicas, n2 1');
    expect(balance(two, many({ n1: 2, n2: 2 }))).toBeUndefined();
    expect(balance(two, many({ n1: 2, n2: 1 }))).toBeUndefined();
  });
  it('evens out zones first, and nodes when a zone has no room for more', () => {
    const zones = [aNode('a1', { zone: 'a' }), aNode('a2', { zone: 'a' }), aNode('b1', { zone: 'b' })];
    expect(balance(zones, many({ a1: 1, a2: 1 }))).toBe('a1-0 -> b1: zone a has 2 replicas, b 0');
    const full = aNode('b1', { zone: 'b', allowScheduling: false });
    expect(balance([...zones.slice(0, 2), full], many({ a1: 2 }))).toBe('a1-0 -> a2: node a1 has 2 replicas, a2 0');
  });
  it('respects hard anti-affinity', () => {
    const policies = { ...soft, node: 'hard' } as const;
    const replicas = many({ n1: 3, n2: 1 });
    const request = { volume: aVolume(), replicas, leaving: new Set<string>(), policies };
    expect(balance(two, replicas, { request })).toBeUndefined();
  });
  it('does nothing when it is disabled, or when the volume has too few or too many replicas', () => {
    const replicas = many({ n1: 4 });
    expect(balance(two, replicas, { mode: 'disabled' })).toBeUndefined();
    expect(balance(two, replicas, { numberOfReplicas: 5 })).toBeUndefined();
    expect(balance(two, replicas, { numberOfReplicas: 3 })).toBeUndefined();
    expect(balance(two, [...many({ n1: 3 }), aReplicaOn('n1', { failed: true })])).toBeUndefined();
  });
  it('keeps the replica that data locality requires', () => {
    expect(
      balance(
        [aNode('n1', { zone: 'a' }), aNode('n2', { zone: 'a' }), aNode('n3', { zone: 'b' })],
        many({ n1: 1, n2: 1 }),
        { keepNode: 'n1' },
      ),
    ).toBe('n2-0 -> n3: zone a has 2 replicas, b 0');
  });

  const disks = (available: bigint, other = 60n * GiB) =>
    aNode('n1', {
      disks: [aDisk('n1-a', { storageAvailable: available }), aDisk('n1-b', { storageAvailable: other })],
    });
  it('moves a replica from a nearly full disk to another disk of the same node', () => {
    expect(balance([disks(10n * GiB)], many({ n1: 1 }))).toBe('n1-0 -> n1: disk n1-a of n1 is 90 % full');
    expect(balance([disks(10n * GiB + 1n)], many({ n1: 1 }))).toBeUndefined();
    expect(balance([disks(10n * GiB)], many({ n1: 1 }), { diskPressurePercentage: 0 })).toBeUndefined();
    expect(balance([disks(10n * GiB)], many({ n1: 1 }), { mode: 'least-effort' })).toBeUndefined();
  });
  it('takes the next best place when a replica could not be built at the first one', () => {
    const avoid = { nodes: new Set(['n2']), disks: new Set(['uuid-n2-a']) };
    const three = [...two, aNode('n3')];
    expect(balance(three, many({ n1: 4 }))).toContain('n1-0 -> n2: ');
    expect(balance(three, many({ n1: 4 }), { avoid })).toContain('n1-0 -> n3: ');
    expect(balance(two, many({ n1: 4 }), { avoid })).toBeUndefined();
    const vain = { nodes: new Set(['n1']), disks: new Set(['uuid-n1-b']) };
    expect(balance([disks(10n * GiB)], many({ n1: 1 }), { avoid: vain })).toBeUndefined();
    expect(balance([disks(10n * GiB)], many({ n1: 1 }), { avoid: { ...vain, disks: new Set() } })).toContain('-> n1: ');
  });
  it('does not move a replica to a disk that would become just as full', () => {
    const request = {
      volume: aVolume({ actualBytes: 50n * GiB }),
      replicas: many({ n1: 1 }),
      leaving: new Set<string>(),
      policies: soft,
    };
    expect(balance([disks(10n * GiB)], many({ n1: 1 }), { request })).toBeUndefined();
  });
});

describe('surplusReplica', () => {
  const cluster = aCluster(aNode('a1', { zone: 'a' }), aNode('a2', { zone: 'a' }), aNode('b1', { zone: 'b' }));
  const of = (
    healthy: PlacedReplica[],
    numberOfReplicas: number,
    parts: { leaving?: string[]; keepNode?: string } = {},
  ) => surplusReplica({ numberOfReplicas, healthy, cluster, ...parts, leaving: new Set(parts.leaving) });
  it('names no replica while none is surplus, and never the last one', () => {
    expect(of(many({ a1: 1, b1: 1 }), 2)).toBeUndefined();
    expect(of(many({ a1: 1 }), 0)).toBeUndefined();
  });
  it('names the replica that is being evicted first', () => {
    expect(of(many({ a1: 1, a2: 1, b1: 1 }), 2, { leaving: ['b1-0'], keepNode: 'b1' })).toBe('b1-0');
  });
  it('then names a replica on the node and the zone with the most replicas', () => {
    expect(of(many({ a1: 1, a2: 1, b1: 2 }), 3)).toBe('b1-0');
    expect(of(many({ a1: 1, a2: 1, b1: 1 }), 2)).toBe('a1-0');
    expect(of(many({ a1: 1, a2: 1, b1: 1 }), 2, { keepNode: 'a1' })).toBe('a2-0');
  });
});

describe('data locality', () => {
  it('requires nothing when it is disabled', () => {
    expect(affinityOf('disabled', '', [])).toEqual({});
    expect(affinityOf('disabled', 'n1', [])).toEqual({});
  });
  it('waits for the attachment, then prefers or requires one replica on that node', () => {
    expect(affinityOf('best-effort', '', [])).toBe('afterAttachment');
    expect(affinityOf('strict-local', '', [])).toBe('afterAttachment');
    expect(affinityOf('best-effort', 'n1', [])).toEqual({ preferNode: 'n1' });
    expect(affinityOf('best-effort', 'n1', [aReplicaOn('n1')])).toEqual({});
    expect(affinityOf('strict-local', 'n1', [])).toEqual({ hardNode: 'n1' });
  });
  it('adds one replica on the node of the volume when all others are healthy', () => {
    const seen = {
      locality: 'best-effort',
      node: 'n1',
      numberOfReplicas: 2,
      replicas: many({ n2: 1, n3: 1 }),
    } as const;
    expect(wantsLocalReplica(seen)).toBe(true);
    expect(wantsLocalReplica({ ...seen, locality: 'disabled' })).toBe(false);
    expect(wantsLocalReplica({ ...seen, node: '' })).toBe(false);
    expect(wantsLocalReplica({ ...seen, node: 'n2' })).toBe(false);
    expect(wantsLocalReplica({ ...seen, numberOfReplicas: 3 })).toBe(false);
    const returning = aReplicaOn('n1', { failed: true, mayReturn: true });
    expect(wantsLocalReplica({ ...seen, replicas: [...seen.replicas, returning] })).toBe(false);
  });
});
