import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookAhead, type Rank, rankOf, restoresBeforeBackup, slots as slotsOf } from './slots.ts';

function asked(max: number) {
  const slots = slotsOf(max);
  const woken: string[] = [];
  return {
    slots,
    woken,
    ask: (key: string, rank: Rank = 'backup', size = 0) => slots.tryTake(key, { rank, size }, () => woken.push(key)),
  };
}

it('treat a backup that holds a pod frozen by hooks like a restore', () => {
  const volume = (annotations: Record<string, string>) => ({ apiVersion: 'v', kind: 'K', metadata: { annotations } });
  const held = volume({ 'lateen.dev/pod-is-held': 'true' });
  expect([rankOf({ rank: 'backup' }, held), rankOf({ rank: 'backup' }, volume({}))]).toEqual(['restore', 'backup']);
});

describe('the slots of a node', () => {
  it('are given until none is left', () => {
    const { slots, ask } = asked(2);
    expect([ask('a'), ask('b'), ask('c')]).toEqual([true, true, false]);
    expect(slots).toMatchObject({ taken: 2, waiting: 1 });
  });
  it('are not given twice to one movement', () => {
    const { slots, ask } = asked(1);
    expect([ask('a'), ask('a')]).toEqual([true, true]);
    expect(slots.taken).toBe(1);
  });
  it('go to the one that has waited longest; a repeated request keeps its position', () => {
    const { slots, woken, ask } = asked(1);
    for (const key of ['a', 'b', 'c', 'b']) ask(key);
    slots.release('a');
    expect(woken).toEqual(['b']);
    expect(ask('b')).toBe(true);
    slots.release('a');
    expect(woken).toEqual(['b']);
    slots.release('b');
    expect(woken).toEqual(['b', 'c']);
  });
  it('cannot be taken by another one before the woken one takes it', () => {
    const { slots, ask } = asked(1);
    ask('a');
    ask('b');
    slots.release('a');
    expect(ask('late')).toBe(false);
    expect(ask('b')).toBe(true);
  });
  it('drop requests that no longer wait', () => {
    const { slots, woken, ask } = asked(1);
    for (const key of ['a', 'b', 'c']) ask(key);
    slots.release('b');
    slots.release('a');
    expect(woken).toEqual(['c']);
  });
  it('may be exceeded by movements from before the process start, and wake nobody until one is free', () => {
    const { slots, woken, ask } = asked(1);
    slots.force('a');
    slots.force('b');
    ask('c');
    slots.release('a');
    expect(woken).toEqual([]);
    slots.release('b');
    expect(woken).toEqual(['c']);
  });
  it('are passed on when the woken one releases it', () => {
    const { slots, woken, ask } = asked(1);
    for (const key of ['a', 'gone', 'c']) ask(key);
    slots.release('a');
    slots.release('gone');
    expect(woken).toEqual(['gone', 'c']);
  });
  it('go to the only restore before a full queue of backups', () => {
    const { slots, woken, ask } = asked(1);
    ask('running');
    for (let backup = 0; backup < 100; backup++) ask(`backup-${backup}`);
    ask('restore', 'restore');
    slots.release('running');
    expect(woken).toEqual(['restore']);
  });
  it('never starve a backup, however many restores arrive', () => {
    const { slots, woken, ask } = asked(1);
    ask('running');
    ask('backup');
    for (let restore = 0; restore < 10; restore++) ask(`restore-${restore}`, 'restore');
    let last = 'running';
    while (last !== 'backup') {
      slots.release(last);
      last = woken.at(-1) ?? '';
    }
    expect(woken).toHaveLength(restoresBeforeBackup + 1);
  });
  it('go to the largest of the first few, so that it does not come last', () => {
    const { slots, woken, ask } = asked(1);
    ask('running');
    ask('small', 'backup', 1);
    ask('large', 'backup', 3);
    ask('middle', 'backup', 2);
    for (const key of ['running', 'large', 'middle']) slots.release(key);
    expect(woken).toEqual(['large', 'middle', 'small']);
  });
  it('are not withheld from a small one forever while larger ones arrive', () => {
    const { slots, woken, ask } = asked(1);
    ask('running');
    ask('small', 'backup', 1);
    let last = 'running';
    for (let large = 0; last !== 'small'; large++) {
      ask(`large-${large}`, 'backup', 10);
      slots.release(last);
      last = woken.at(-1) ?? '';
    }
    expect(woken).toHaveLength(lookAhead + 1);
  });
  it('never exceed their number, are never lost, and never idle while one waits', () => {
    const action = fc.record({
      key: fc.integer({ min: 0, max: 8 }),
      rank: fc.constantFrom<Rank>('restore', 'backup'),
      take: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(action, { maxLength: 60 }), (max, actions) => {
        const slots = slotsOf(max);
        for (const { key, rank, take } of actions) {
          if (take) slots.tryTake(`${rank}-${key}`, { rank, size: key }, () => {});
          else slots.release(`${rank}-${key}`);
          expect(slots.taken).toBeLessThanOrEqual(max);
          if (slots.waiting > 0) expect(slots.taken).toBe(max);
        }
      }),
    );
  });
});
