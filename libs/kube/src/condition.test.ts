import type { Clock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { findCondition, withCondition } from './condition.ts';

const clockAt = (time: string): Clock => ({
  now: () => Date.parse(time),
  monotonicMs: () => 0,
  sleep: async () => {},
  deadline: () => new AbortController().signal,
});

describe('withCondition', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'Starting', message: 'starts' } as const;
  const first = withCondition(undefined, ready, clockAt('2030-01-01T00:00:00.900Z'));

  it('sets the transition time in whole seconds', () => {
    expect(first).toEqual([{ ...ready, lastTransitionTime: '2030-01-01T00:00:00Z' }]);
  });

  it('moves the transition time with the status, not with the message', () => {
    const second = withCondition(first, { ...ready, message: 'still starts' }, clockAt('2030-01-01T00:01:00Z'));
    expect(findCondition(second, 'Ready')).toMatchObject({
      message: 'still starts',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    });
    const third = withCondition(second, { ...ready, status: 'True' }, clockAt('2030-01-01T00:02:00Z'));
    expect(findCondition(third, 'Ready')?.lastTransitionTime).toBe('2030-01-01T00:02:00Z');
  });

  it('leaves other conditions and its input alone', () => {
    const other = withCondition(first, { ...ready, type: 'Other' }, clockAt('2030-01-01T00:01:00Z'));
    expect(other.map((each) => each.type)).toEqual(['Ready', 'Other']);
    expect(first).toHaveLength(1);
  });
});
