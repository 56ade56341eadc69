import type { KubeObject } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { type ListFlags, listPrinter, withListFlags } from './list-flags.ts';
import type { ResourceColumn } from './resource-table.ts';

const columns: ResourceColumn<KubeObject>[] = [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
  { head: 'MORE', cell: () => 'more', wide: true },
];
const object = (name: string, labels?: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
});

function printed(objects: KubeObject[], ...words: string[]): string {
  const command = withListFlags(new Command('get')).exitOverride();
  const flags = command.parse(words, { from: 'user' }).opts<ListFlags>();
  return listPrinter(columns, flags)(objects, { asList: true });
}

describe('listing objects', () => {
  it.each<[string[], string[]]>([
    [[], ['NAME', 'a', 'b']],
    [
      ['-o', 'wide'],
      ['NAME  MORE', 'a     more', 'b     more'],
    ],
    [
      ['-L', 'x.y/z, q'],
      ['NAME  Z       Q', 'a     1       <none>', 'b     <none>  <none>'],
    ],
    [['--show-labels'], ['NAME  LABELS', 'a     t=2,x.y/z=1', 'b     <none>']],
    [
      ['-o', 'name'],
      ['thing/a', 'thing/b'],
    ],
  ])('with %j', (words, lines) => {
    const objects = [object('a', { 'x.y/z': '1', t: '2' }), object('b')];
    expect(printed(objects, ...words)).toBe(`${lines.join('\n')}\n`);
  });

  it('has no default format for commands where a format means not to create', () => {
    const command = withListFlags(new Command('create'), { creates: true });
    expect(command.parse([], { from: 'user' }).opts<Partial<ListFlags>>().output).toBeUndefined();
  });

  it('rejects unknown formats and invalid label columns', () => {
    expect(() => printed([], '-o', 'csv')).toThrow('--output "csv" is not a format');
    expect(() => printed([], '-L', 'a,')).toThrow('--label-columns has an empty label in it');
  });
});

describe('quoting of arguments', () => {
  it.each([
    ['plain', '"plain"'],
    ['a"b', '"a\\"b"'],
    ['\u001b[2J\u202e\u2028\u0085', '"\\u001b[2J\\u202e\\u2028\\u0085"'],
    ['é😀', '"é😀"'],
    ['x'.repeat(121), `"${'x'.repeat(120)}…"`],
  ])('%j', (text, expected) => expect(quoted(text)).toBe(expected));
});
