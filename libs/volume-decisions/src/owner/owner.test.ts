import type { Lease } from '@lateen/api-types';
import { type LeaseObservation, observeLease } from '@lateen/kube-runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Availability, decideOwner, type OwnerSeen } from './decide-owner.ts';
import { managerAvailability, managerLease } from './manager-availability.ts';
import { preferredOwner } from './preferred-owner.ts';
import { rendezvousWinner } from './rendezvous-winner.ts';

const nodes = ['a', 'b', 'c'];
const decide = (parts: Partial<OwnerSeen> & { up?: Partial<Record<string, Availability>> }) => {
  const { up, ...rest } = parts;
  const available = (node: string): Availability => up?.[node] ?? 'yes';
  return decideOwner({ self: 'a', current: '', preferred: '', nodes, key: 'Volume/v', available, ...rest });
};
const winner = rendezvousWinner('Volume/v', nodes) ?? '';
const other = nodes.find((node) => node !== winner) ?? '';

describe('decideOwner', () => {
  it.each<[string, Parameters<typeof decide>[0], string]>([
    ['the preferred node owns it', { current: 'a', preferred: 'a' }, 'mine'],
    ['the preferred node takes it from a manager that is up', { current: 'b', preferred: 'a' }, 'take'],
    [
      'the owner keeps it because the preferred node is down',
      { current: 'a', preferred: 'b', up: { b: 'no' } },
      'mine',
    ],
    ['the owner keeps it because no node is preferred', { current: 'a' }, 'mine'],
    ['the owner leaves it because the preferred node is up', { current: 'a', preferred: 'b' }, 'leave'],
    [
      'the owner keeps it because the state of the preferred node is unknown',
      { current: 'a', preferred: 'b', up: { b: 'unknown' } },
      'mine',
    ],
    ['another node owns it', { current: 'b' }, 'leave'],
    ['the state of its owner is unknown', { current: 'b', up: { b: 'unknown' } }, 'leave'],
    [
      'the node is preferred, and the state of the owner is unknown',
      { current: 'b', preferred: 'a', up: { b: 'unknown' } },
      'leave',
    ],
    [
      'the state of the preferred node is unknown',
      { current: 'b', preferred: 'c', up: { b: 'no', c: 'unknown' } },
      'leave',
    ],
    ['the preferred node takes it itself', { current: 'b', preferred: 'c', up: { b: 'no' } }, 'leave'],
    ['the lease of this node has expired', { current: 'b', preferred: 'a', up: { a: 'no', b: 'no' } }, 'leave'],
  ])('%s', (_, parts, decision) => {
    expect(decide(parts)).toBe(decision);
  });

  it('lets the node that all managers agree on take an object without an owner', () => {
    expect([decide({ self: winner }), decide({ self: other })]).toEqual(['take', 'leave']);
  });

  it('counts a node without the image as down, and leaves the object with its owner when no node has the image', () => {
    expect(decide({ current: 'b', preferred: 'a', hasImage: (node) => node !== 'a' })).toBe('leave');
    expect(decide({ current: 'a', hasImage: (node) => node !== 'a' })).toBe('leave');
    expect(decide({ current: 'a', hasImage: () => false })).toBe('mine');
  });

  it('considers images only while a manager that may be up has one', () => {
    const hasImage = (node: string) => node === 'c';
    const taken = ['a', 'b'].map((self) => decide({ self, up: { c: 'no' }, hasImage }));
    expect(taken.toSorted()).toEqual(['leave', 'take']);
    expect(decide({ up: { c: 'unknown' }, hasImage })).toBe('leave');
    expect(decide({ current: 'a', up: { c: 'no' }, hasImage })).toBe('mine');
  });

  it('gives every object exactly one stable owner when all managers see the same', () => {
    const name = fc.constantFrom('', ...nodes);
    const mostlyUp = fc.constantFrom<Availability>('yes', 'yes', 'no');
    const world = fc.record({
      current: name,
      preferred: name,
      up: fc.record({ a: mostlyUp, b: mostlyUp, c: mostlyUp }),
      images: fc.subarray(nodes),
      key: fc.string(),
    });
    fc.assert(
      fc.property(world, ({ current, preferred, up, images, key }) => {
        const hasImage = (node: string) => images.includes(node);
        const live = nodes.filter((node) => up[node as 'a'] === 'yes');
        let owner = current;
        const round = () => live.map((self) => [self, decide({ self, current: owner, preferred, up, hasImage, key })]);
        for (let turn = 0; turn < 2; turn++) {
          const takers = round().filter(([, decision]) => decision === 'take');
          expect(takers.length).toBeLessThanOrEqual(1);
          owner = takers[0]?.[0] ?? owner;
        }
        const settled = round();
        expect(settled.filter(([, decision]) => decision === 'take')).toEqual([]);
        const able = live.some(hasImage) ? live.filter(hasImage) : live;
        if (able.length > 0) expect(settled.filter(([, decision]) => decision === 'mine')).toHaveLength(1);
        if (able.includes(preferred)) expect(owner).toBe(preferred);
        else if (able.includes(current)) expect(owner).toBe(current);
      }),
      { numRuns: 500 },
    );
  });
});

describe('rendezvousWinner', () => {
  it('does not depend on the order, and moves only the objects of the removed node', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(names, fc.string(), (all, key) => {
        const first = rendezvousWinner(key, all);
        expect(rendezvousWinner(key, [...all].reverse())).toBe(first);
        const gone = all[0];
        if (gone !== first) expect(rendezvousWinner(key, all.slice(1))).toBe(first);
      }),
      { numRuns: 200 },
    );
    expect(rendezvousWinner('x', [])).toBeUndefined();
  });
  it('spreads objects over nodes', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 300; n++) {
      const node = rendezvousWinner(`Backup/b${n}`, nodes) ?? '';
      counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    expect(Math.min(...nodes.map((node) => counts.get(node) ?? 0))).toBeGreaterThan(60);
  });
});

describe('preferredOwner', () => {
  it.each([
    [preferredOwner('Replica', { spec: { nodeID: 'n1' } }), 'n1'],
    [preferredOwner('Volume', { spec: {} }), ''],
    [preferredOwner('Snapshot', { spec: {} }, { status: { ownerID: 'n2' } }), 'n2'],
    [preferredOwner('VolumeAttachment', { spec: { nodeID: 'n1' } }), ''],
    [preferredOwner('Backup', { spec: { nodeID: 'n1' } }), ''],
  ])('owner of case %#: %s', (owner, expected) => {
    expect(owner).toBe(expected);
  });
});

describe('managerAvailability', () => {
  const aLease = (renewTime: string, parts = {}): Lease => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'volume-manager-n1', uid: 'u', ...parts },
    spec: { holderIdentity: 'n1', leaseDurationSeconds: managerLease.durationMs / 1000, renewTime },
  });
  const look = (lease: Lease, before: LeaseObservation | undefined, nowMs: number) => ({
    lease,
    observed: observeLease(lease, before, nowMs),
  });
  it('uses the time when a renewal was observed, not the time in the lease, because node clocks differ', () => {
    const first = look(aLease('1999-01-01T00:00:00.000000Z'), undefined, 1_000);
    const same = look(aLease('1999-01-01T00:00:00.000000Z'), first.observed, 20_000);
    expect(managerAvailability(same, true, 30_999)).toBe('yes');
    expect(managerAvailability(same, true, 31_000)).toBe('no');
    const renewed = look(aLease('1999-01-01T00:00:05.000000Z'), same.observed, 31_000);
    expect(managerAvailability(renewed, true, 60_999)).toBe('yes');
  });
  it('counts a manager as down when it released its lease or never had one', () => {
    const given: Lease = { ...aLease('x'), spec: { holderIdentity: '', leaseDurationSeconds: 1 } };
    expect(managerAvailability(look(given, undefined, 0), true, 0)).toBe('no');
    expect(managerAvailability(look(aLease('x', { deletionTimestamp: 'y' }), undefined, 0), true, 0)).toBe('no');
    expect(managerAvailability(undefined, true, 0)).toBe('no');
  });
  it('reports unknown before all leases are read', () => {
    expect(managerAvailability(undefined, false, 0)).toBe('unknown');
  });
});
