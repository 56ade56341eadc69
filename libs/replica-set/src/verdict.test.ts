import { describe, expect, it } from 'vitest';
import { type FailureKind, failureKinds } from './failure.ts';
import { type Asked, type Fate, verdictOf } from './verdict.ts';

const whole = { name: 'a', mode: 'RW' } as const;
const other = { name: 'b', mode: 'RW' } as const;
const rebuilt = { name: 'c', mode: 'WO' } as const;
const leaves = { fate: 'leaves', unreadableLeave: false } as const;
const ends = { fate: 'ends', unreadableLeave: false } as const;

describe('the consequence of a failed request', () => {
  it.each<[string, FailureKind, Asked, { fate: Fate; unreadableLeave: boolean }]>([
    ['a write without room', 'no-room', 'change', { fate: 'refuses', unreadableLeave: true }],
    ['a flush without room', 'no-room', 'flush', { fate: 'refuses', unreadableLeave: false }],
    ['a read that reports no room', 'no-room', 'read', ends],
    ['no room without a request', 'no-room', 'none', ends],
    ['a write with another error', 'io', 'change', ends],
    ['a connection lost during a write', 'lost', 'change', ends],
    ['a flush with another error', 'io', 'flush', ends],
    ['silence', 'timeout', 'none', ends],
  ])('for the only readable replica, after %s', (_, kind, asked, verdict) => {
    expect(verdictOf(whole, [whole], { kind, asked })).toMatchObject(verdict);
    expect(verdictOf(whole, [rebuilt, whole], { kind, asked })).toMatchObject(verdict);
  });

  it('is that the replica leaves when another one can be read, or when it is being rebuilt', () => {
    for (const kind of failureKinds)
      for (const asked of ['change', 'flush', 'read', 'none'] as const) {
        expect(verdictOf(whole, [whole, other], { kind, asked })).toMatchObject(leaves);
        expect(verdictOf(rebuilt, [whole, rebuilt], { kind, asked })).toMatchObject(leaves);
      }
  });
});
