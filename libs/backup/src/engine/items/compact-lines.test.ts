import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompactLines } from './compact-lines.ts';

const sorted = (lines: readonly string[]) => [...lines].sort();

describe('CompactLines', () => {
  it('returns the added lines sorted, in any order of adding', () => {
    void fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-c/é]{1,6}$/)), (lines) => {
        const compact = new CompactLines(12);
        for (const line of lines) compact.add(line);
        expect([...compact.sorted()]).toEqual(sorted(lines));
        expect(compact.count).toBe(lines.length);
      }),
    );
  });

  it('returns the same lines again, and later ones, before and after compression', async () => {
    const compact = new CompactLines(100);
    const lines = Array.from({ length: 500 }, (_, at) => `namespace-${at % 7}/name-${at}`);
    for (const line of lines) compact.add(line);
    expect([...compact.sorted()]).toEqual(sorted(lines));
    await new Promise((resolve) => setImmediate(resolve));
    await compact.compressed();
    compact.add('late');
    expect([...compact.sorted()]).toEqual(sorted([...lines, 'late']));
  });

  it('stores names in a fraction of their length', async () => {
    const compact = new CompactLines();
    let chars = 0;
    for (let at = 0; at < 50_000; at++) {
      const line = `some-namespace-${Math.floor(at / 100)}/application-config-${at}`;
      chars += line.length;
      compact.add(line);
    }
    await compact.compressed();
    expect(compact.bytes).toBeLessThan(chars / 5);
  });

  it('can be read partially', () => {
    const compact = new CompactLines(4);
    for (const line of ['d', 'b', 'c', 'a', 'e']) compact.add(line);
    const [first, second] = compact.sorted();
    expect([first, second]).toEqual(['a', 'b']);
  });
});
