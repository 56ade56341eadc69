import { describe, expect, it } from 'vitest';
import type { NodeFacts } from './cluster-facts.ts';
import { aCluster, aDisk, aNode } from './example-cluster.ts';
import { type FailedReplica, mayReturn, type ReuseSeen, reusableReplica } from './reuse.ts';

const t0 = Date.parse('2026-03-01T00:00:00Z');
const failed = (node: string, parts: Partial<FailedReplica> = {}): FailedReplica => ({
  name: `r-${node}`,
  node,
  diskID: `uuid-${node}-a`,
  image: 'image',
  failedAtMs: t0,
  rebuildRetryCount: 0,
  evictionRequested: false,
  ...parts,
});
const seen = (parts: Partial<ReuseSeen> = {}): ReuseSeen => ({
  failed: [failed('n1')],
  volume: { image: 'image' },
  cluster: aCluster(aNode('n1'), aNode('n2')),
  lastDegradedAtMs: t0,
  replenishmentWaitMs: 600_000,
  nowMs: t0 + 60_000,
  ...parts,
});
const waitOf = (node: NodeFacts) => reusableReplica(seen({ cluster: aCluster(node) })).kind;

describe('reusableReplica', () => {
  it('reuses a failed replica whose node is back', () => {
    expect(reusableReplica(seen())).toEqual({ kind: 'reuse', replica: 'r-n1' });
  });
  it('takes the latest failure first, and the first name when two failed together', () => {
    const two = [failed('n1'), failed('n2', { failedAtMs: t0 + 1 })];
    expect(reusableReplica(seen({ failed: two }))).toEqual({ kind: 'reuse', replica: 'r-n2' });
    expect(reusableReplica(seen({ failed: [failed('n2'), failed('n1')] }))).toEqual({ kind: 'reuse', replica: 'r-n1' });
  });
  it('reuses none when there is nothing to wait for', () => {
    expect(reusableReplica(seen({ failed: [] }))).toEqual({ kind: 'none' });
  });
  it.each<[string, Parameters<typeof aNode>[1], string]>([
    ['is not ready', { ready: false }, 'wait'],
    ['has no manager', { managerIsUp: false }, 'wait'],
    ['has no instance manager of the image', { engineImages: new Set() }, 'wait'],
    ['has a disk that is not schedulable', { disks: [aDisk('n1-a', { schedulable: false })] }, 'wait'],
    [
      'has scheduling disabled, because the replica is already there',
      { allowScheduling: false, cordoned: true },
      'reuse',
    ],
    ['is being evicted', { evictionRequested: true }, 'none'],
    ['has a disk that is being evicted', { disks: [aDisk('n1-a', { evictionRequested: true })] }, 'none'],
    ['no longer has the disk', { disks: [aDisk('other')] }, 'none'],
  ])('with a node that %s', (_, parts, kind) => {
    expect(waitOf(aNode('n1', parts))).toBe(kind);
  });
  it('does not wait for a deleted node', () => {
    expect(waitOf(aNode('n9'))).toBe('none');
  });
  it('waits for a replica that may come back until the volume was degraded for the configured time', () => {
    const cluster = aCluster(aNode('n1', { ready: false }));
    const wait = { kind: 'wait', untilMs: t0 + 600_000, replicas: ['r-n1'] };
    expect(reusableReplica(seen({ cluster, nowMs: t0 + 599_999 }))).toEqual(wait);
    expect(reusableReplica(seen({ cluster, nowMs: t0 + 600_000 }))).toEqual({ kind: 'none' });
    expect(reusableReplica(seen({ cluster, lastDegradedAtMs: undefined }))).toEqual(wait);
  });
  it('gives up a replica after five failed rebuilds', () => {
    const tried = (rebuildRetryCount: number) =>
      reusableReplica(seen({ failed: [failed('n1', { rebuildRetryCount })], nowMs: t0 + 300_000 })).kind;
    expect([tried(0), tried(4), tried(5)]).toEqual(['reuse', 'reuse', 'none']);
  });
  it('increases the time between two attempts with one replica, and wakes for the earliest attempt', () => {
    const replicas = [failed('n1', { rebuildRetryCount: 3 }), failed('n2', { rebuildRetryCount: 2 })];
    const wait = reusableReplica(seen({ failed: replicas, nowMs: t0 + 5_000 }));
    expect(wait).toEqual({ kind: 'wait', untilMs: t0 + 20_000, replicas: ['r-n1', 'r-n2'] });
    expect(reusableReplica(seen({ failed: replicas, nowMs: t0 + 20_000 }))).toEqual({ kind: 'reuse', replica: 'r-n2' });
  });
  it('does not reuse a replica with another image or one that is being evicted', () => {
    expect(reusableReplica(seen({ failed: [failed('n1', { image: 'old' })] })).kind).toBe('none');
    expect(reusableReplica(seen({ failed: [failed('n1', { evictionRequested: true })] })).kind).toBe('none');
  });
});

describe('mayReturn', () => {
  it('keeps the place of a failed replica until the wait ends', () => {
    const cluster = aCluster(aNode('n1', { ready: false }));
    expect(mayReturn(failed('n1'), seen({ cluster }))).toBe(true);
    expect(mayReturn(failed('n1'), seen({ cluster, nowMs: t0 + 600_000 }))).toBe(false);
  });
});
