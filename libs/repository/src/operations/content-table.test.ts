import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ContentTable } from './content-table.ts';

const id = (text: string, letter = ''): string => letter + createHash('sha256').update(text).digest('hex').slice(0, 32);

describe('ContentTable', () => {
  it('separates contents of one volume, of several volumes, and of none', () => {
    const table = new ContentTable();
    table.add(id('a'), 10, false);
    table.add(id('b'), 20, false);
    table.add(id('c'), 40, false);
    table.add(id('m', 'm'), 80, true);
    expect(table.visit(id('a'), 0)).toBe(10);
    expect(table.visit(id('a'), 0)).toBeUndefined();
    expect(table.visit(id('b'), 0)).toBe(20);
    expect(table.visit(id('b'), 1)).toBe(20);
    expect(table.visit(id('b'), 1)).toBeUndefined();
    expect(table.visit(id('unknown'), 1)).toBe(0);
    expect(table.sums(2)).toEqual({ unique: [10, 0], shared: 20, nobody: 40 });
  });

  it('handles interleaved visits of volumes, in the same group and in the next', () => {
    const table = new ContentTable();
    const names = ['a', 'b', 'c'];
    for (const [at, name] of names.entries()) table.add(id(name), 2 ** at, false);
    const visits = [
      [31, 'a'],
      [0, 'a'],
      [31, 'a'],
      [0, 'b'],
      [31, 'b'],
      [0, 'a'],
      [32, 'b'],
      [32, 'c'],
      [63, 'c'],
      [32, 'c'],
    ] as const;
    expect(visits.map(([volume, name]) => table.visit(id(name), volume))).toEqual([
      ...[1, 1, undefined, 2, 2, undefined],
      ...[2, 4, 4, undefined],
    ]);
    expect(table.sums(64)).toEqual({ unique: new Array(64).fill(0), shared: 7, nobody: 0 });
  });

  it('counts the same hash with another letter as another content, and the same ID once', () => {
    const table = new ContentTable();
    table.add(id('a'), 1, false);
    table.add(id('a'), 1, false);
    table.add(id('a', 'k'), 2, false);
    table.add(id('a', 'x'), 4, false);
    expect(table.count).toBe(3);
    expect(table.visit(id('a', 'k'), 0)).toBe(2);
    expect(table.sums(1)).toEqual({ unique: [2], shared: 0, nobody: 5 });
  });

  it('keeps all entries while it grows', () => {
    const table = new ContentTable();
    const many = 20_000;
    for (let at = 0; at < many; at++) table.add(id(String(at), at % 2 === 0 ? 'k' : ''), at, false);
    expect(table.count).toBe(many);
    for (let at = 0; at < many; at += 2) expect(table.visit(id(String(at), 'k'), at % 3)).toBe(at);
    const { unique, nobody } = table.sums(3);
    const even = Array.from({ length: many / 2 }, (_, at) => at * 2);
    for (const volume of [0, 1, 2])
      expect(unique[volume]).toBe(even.filter((at) => at % 3 === volume).reduce((sum, at) => sum + at, 0));
    expect(nobody).toBe(even.reduce((sum, at) => sum + at + 1, 0));
  });

  it('rejects an ID that is not a content ID', () => {
    expect(() => new ContentTable().add('hello', 1, false)).toThrowError(/named a content/);
  });
});
