import { describe, expect, it } from 'vitest';
import { roomForWrites, withRoom } from './room-condition.ts';

const noRoom = { replica: 'r-a', message: 'no room left: disk full', atMs: 1_000_000 };

describe('withRoom', () => {
  it('adds nothing for an engine that never refused a write', () => {
    expect(withRoom([], undefined, 0)).toEqual({ conditions: [], events: [] });
  });

  it("reports with one Event that writes fail, and checks again after the engine's report interval", () => {
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
    ['when the engine has reported no refusal for a while', noRoom, 1_150_000],
    ['when the engine has ended', undefined, 1_000_001],
  ] as const)('reports that writes succeed %s', (_, now, nowMs) => {
    const { conditions } = withRoom([], noRoom, 1_000_000);
    expect(withRoom(conditions, now, nowMs)).toEqual({
      conditions: [expect.objectContaining({ type: roomForWrites, status: 'True', message: '' })],
      events: [],
    });
  });
});
