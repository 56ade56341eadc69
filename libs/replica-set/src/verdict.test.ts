import { describe, expect, it } from 'vitest';
import { type FailureKind, failureKinds } from './failure.ts';
import { type Asked, type Fate, verdictOf } from './verdict.ts';

const whole = { name: 'a', mode: 'RW' } as const;
const other = { name: 'b', mode: 'RW' } as const;
const rebuilt = { name: 'c', mode: 'WO' } as const;
const leaves = { fate: 'leaves', unreadableLeave: false } as const;
const ends = { fate: 'ends', unreadableLeave: false } as const;

describe('what becomes of a replica that has failed', () => {
  it.each<[string, FailureKind, Asked, { fate: Fate; unreadableLeave: boolean }]>([
    ['a write for which it has no room', 'no-room', 'change', { fate: 'refuses', unreadableLeave: true }],
    ['a flush for which it has no room', 'no-room', 'flush', { fate: 'refuses', unreadableLeave: false }],
    ['a read for which it says to have no room', 'no-room', 'read', ends],
    ['no room where nothing was asked', 'no-room', 'none', ends],
    ['a write that fails otherwise', 'io', 'change', ends],
    ['a connection that is lost under a write', 'lost', 'change', ends],
    ['a flush that fails otherwise', 'io', 'flush', ends],
    ['silence', 'timeout', 'none', ends],
  ])('is, when it is the only one that can be read, by %s', (_, kind, asked, verdict) => {
    expect(verdictOf(whole, [whole], { kind, asked })).toMatchObject(verdict);
    expect(verdictOf(whole, [rebuilt, whole], { kind, asked })).toMatchObject(verdict);
  });

  it('is that it leaves when another one can be read, or when it is being rebuilt, whatever it was asked for', () => {
    for (const kind of failureKinds)
      for (const asked of ['change', 'flush', 'read', 'none'] as const) {
        expect(verdictOf(whole, [whole, other], { kind, asked })).toMatchObject(leaves);
        expect(verdictOf(rebuilt, [whole, rebuilt], { kind, asked })).toMatchObject(leaves);
      }
  });
});
