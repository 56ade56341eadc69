import type { Lease } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { claimed, leaseState, observe, released } from './lease-claim.ts';

const lease = (spec: Lease['spec']): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'velero', name: 'controller', uid: 'u' },
  ...(spec === undefined ? {} : { spec }),
});
const held = { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2030-01-01T00:00:00.000000Z' };

describe('leaseState', () => {
  const rows: [string, Lease['spec'], number, object][] = [
    ['without a spec', undefined, 0, { kind: 'free' }],
    ['that was let go of', { ...held, holderIdentity: '' }, 0, { kind: 'free' }],
    ['of our own', { ...held, holderIdentity: 'me' }, 99_000, { kind: 'mine' }],
    ['just seen', held, 0, { kind: 'held', by: 'other', expiresInMs: 15_000 }],
    ['seen for almost its duration', held, 14_999, { kind: 'held', by: 'other', expiresInMs: 1 }],
    ['seen for its duration without a renewal', held, 15_000, { kind: 'free' }],
  ];
  it.each(rows)('a lease %s', (_title, spec, laterMs, expected) => {
    const seen = observe(lease(spec), undefined, 1_000);
    expect(leaseState(lease(spec), seen, 'me', 1_000 + laterMs)).toEqual(expected);
  });

  it("counts from the time when a renewal was observed, whatever the holder's clock says", () => {
    const first = observe(lease(held), undefined, 0);
    expect(observe(lease(held), first, 10_000)).toBe(first);
    const renewed = lease({ ...held, renewTime: '1999-01-01T00:00:00.000000Z' });
    const second = observe(renewed, first, 10_000);
    expect(leaseState(renewed, second, 'me', 20_000)).toEqual({ kind: 'held', by: 'other', expiresInMs: 5_000 });
  });
});

describe('claimed and released', () => {
  const claim = { identity: 'me', leaseDurationMs: 15_000, epochMs: Date.parse('2030-01-01T00:00:10.123Z') };

  it('increases leaseTransitions on a change of holder, not on a renewal', () => {
    const first = claimed(undefined, claim);
    expect(first).toMatchObject({ leaseTransitions: 0, acquireTime: '2030-01-01T00:00:10.123000Z' });
    const renewed = claimed(first, { ...claim, epochMs: claim.epochMs + 2_000 });
    expect(renewed).toMatchObject({ leaseTransitions: 0, acquireTime: first.acquireTime });
    expect(renewed.renewTime).toBe('2030-01-01T00:00:12.123000Z');
    expect(claimed(renewed, { ...claim, identity: 'you' })).toMatchObject({
      holderIdentity: 'you',
      leaseTransitions: 1,
    });
  });

  it('releases the lease so that the next candidate need not wait', () => {
    const spec = released(claimed(undefined, claim), claim.epochMs);
    expect(leaseState(lease(spec), observe(lease(spec), undefined, 0), 'you', 0)).toEqual({ kind: 'free' });
    expect(spec.leaseDurationSeconds).toBe(1);
  });
});
