import { expect, it } from 'vitest';
import { withCondition } from './with-condition.ts';

const t0 = Date.parse('2026-03-01T00:00:00Z');
const scheduled = {
  type: 'Scheduled',
  status: 'False',
  reason: 'ReplicaSchedulingFailure',
  message: 'no room',
} as const;

it('adds a condition and keeps its transition time while its status does not change', () => {
  const first = withCondition(null, scheduled, t0);
  expect(first).toEqual([{ ...scheduled, lastProbeTime: '', lastTransitionTime: '2026-03-01T00:00:00Z' }]);
  expect(withCondition(first, scheduled, t0 + 60_000)).toEqual(first);
  const reworded = withCondition(first, { ...scheduled, message: 'other' }, t0 + 60_000);
  expect(reworded).toEqual([{ ...first[0], message: 'other' }]);
  const restore = { type: 'Restore', status: 'True', reason: '', message: '' } as const;
  const met = { type: 'Scheduled', status: 'True', reason: '', message: '' } as const;
  expect(withCondition(withCondition(first, restore, t0), met, t0 + 60_000)).toMatchObject([
    { type: 'Scheduled', status: 'True', lastTransitionTime: '2026-03-01T00:01:00Z' },
    { type: 'Restore', lastTransitionTime: '2026-03-01T00:00:00Z' },
  ]);
});
