import { describe, expect, it } from 'vitest';
import { Slots } from './slots.ts';

function asked(max: number) {
  const slots = new Slots(max);
  const woken: string[] = [];
  return { slots, woken, ask: (key: string) => slots.tryTake(key, () => woken.push(key)) };
}

describe('the slots of a node', () => {
  it('are given until there are none', () => {
    const { slots, ask } = asked(2);
    expect([ask('a'), ask('b'), ask('c')]).toEqual([true, true, false]);
    expect(slots.taken).toBe(2);
  });
  it('are not given twice to the same one', () => {
    const { slots, ask } = asked(1);
    expect([ask('a'), ask('a')]).toEqual([true, true]);
    expect(slots.taken).toBe(1);
  });
  it('wake who has waited longest, once', () => {
    const { slots, woken, ask } = asked(1);
    ask('a');
    ask('b');
    ask('c');
    ask('b');
    slots.release('a');
    expect(woken).toEqual(['b']);
    expect(ask('b')).toBe(true);
    slots.release('a');
    expect(woken).toEqual(['b']);
    slots.release('b');
    expect(woken).toEqual(['b', 'c']);
  });
  it('forget who no longer waits', () => {
    const { slots, woken, ask } = asked(1);
    ask('a');
    ask('b');
    ask('c');
    slots.release('b');
    slots.release('a');
    expect(woken).toEqual(['c']);
  });
  it('may be exceeded by what ran before the process did, and wake nobody until there is room', () => {
    const { slots, woken, ask } = asked(1);
    slots.force('a');
    slots.force('b');
    ask('c');
    slots.release('a');
    expect(woken).toEqual([]);
    slots.release('b');
    expect(woken).toEqual(['c']);
  });
  it('one that is woken and does not come does not block the others', () => {
    const { slots, woken, ask } = asked(1);
    ask('a');
    ask('gone');
    ask('c');
    slots.release('a');
    expect(woken).toEqual(['gone']);
    slots.release('gone');
    expect(woken).toEqual(['gone', 'c']);
  });
});
