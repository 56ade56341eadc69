import { describe, expect, it } from 'vitest';
import { decideSplitter, needsPolicy } from './decide-splitter.ts';

describe('decideSplitter', () => {
  it.each([
    // mode, told, has, used, gets
    ['Block', undefined, undefined, false, 'FIXED-4M'],
    ['Block', undefined, undefined, true, undefined],
    ['Block', undefined, 'FIXED-1M', false, undefined],
    ['Block', undefined, 'FIXED-1M', true, undefined],
    ['Block', 'FIXED-8M', undefined, false, 'FIXED-8M'],
    ['Block', 'FIXED-8M', undefined, true, 'FIXED-8M'],
    ['Block', 'FIXED-8M', 'FIXED-4M', true, 'FIXED-8M'],
    ['Block', 'FIXED-8M', 'FIXED-8M', true, undefined],
    ['Block', 'DYNAMIC-4M-BUZHASH', 'FIXED-4M', true, 'DYNAMIC-4M-BUZHASH'],
    ['Filesystem', undefined, undefined, false, undefined],
    ['Filesystem', undefined, undefined, true, undefined],
    ['Filesystem', undefined, 'FIXED-4M', true, undefined],
    ['Filesystem', 'FIXED-4M', undefined, false, 'FIXED-4M'],
    ['Filesystem', 'FIXED-4M', undefined, true, 'FIXED-4M'],
    ['Filesystem', 'FIXED-4M', 'FIXED-4M', true, undefined],
  ] as const)('%s, told %s, has %s, used %s: gets %s', (volumeMode, told, splitter, isUsed, gets) => {
    expect(decideSplitter({ volumeMode, told }, { splitter, isUsed })).toBe(gets);
  });
});

describe('needsPolicy', () => {
  it.each([
    ['Block', undefined, true],
    ['Block', 'FIXED-4M', true],
    ['Filesystem', 'FIXED-4M', true],
    ['Filesystem', undefined, false],
  ] as const)('%s, told %s: %s', (volumeMode, told, needs) => expect(needsPolicy({ volumeMode, told })).toBe(needs));
});
