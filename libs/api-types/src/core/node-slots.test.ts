import { describe, expect, it } from 'vitest';
import { slotsByDefault, slotsIn, slotsVariable } from './node-slots.ts';

describe('the slots of a node', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [4, 4],
    [8, 4],
    [64, 4],
    [256, 4],
  ])('with %d CPUs are %d by default', (cpus, slots) => expect(slotsByDefault(cpus)).toBe(slots));

  it.each([
    [slotsVariable(6).value, 6],
    [undefined, undefined],
    ['', undefined],
    ['0', undefined],
    ['1.5', undefined],
    ['many', undefined],
  ])('with %j in the environment are %s', (text, slots) =>
    expect(slotsIn({ [slotsVariable(1).name]: text })).toBe(slots),
  );
});
