import { describe, expect, it } from 'vitest';
import { roomForWrites, withRoom } from './room-condition.ts';

const noRoom = { replica: 'r-a', message: 'no room left: disk full', atMs: 1_000_000 };

describe('withRoom', () => {
  it('says nothing of an engine that never refused a write', () => {
    expect(withRoom([], undefined, 0)).toEqual({ conditions: [], events: [] });
  });

  it('says that writes fail, tells it by one Event, and looks again when the engine would have told of more', () => {
    const first = withRoom([], noRoom, 1_000_000);
    expect(first).toMatchObject({
      conditions: [{ type: roomForWrites, status: 'False', reason: 'NoRoom', message: expect.stringContaining('r-a') }],
      events: [{ type: 'Warning', reason: 'NoRoom' }],
      again: { afterMs: 150_000 },
    });
    const next = withRoom(first.conditions, { ...noRoom, atMs: 1_060_000 }, 1_060_000);
    expect(next).toEqual({ conditions: first.conditions, events: [], again: expect.anything() });
  });

  it.each([
    ['when the engine has told of none for a while', noRoom, 1_150_000],
    ['when the engine has ended', undefined, 1_000_001],
  ] as const)('says that writes succeed %s', (_, now, nowMs) => {
    const { conditions } = withRoom([], noRoom, 1_000_000);
    expect(withRoom(conditions, now, nowMs)).toEqual({
      conditions: [expect.objectContaining({ type: roomForWrites, status: 'True', message: '' })],
      events: [],
    });
  });
});
