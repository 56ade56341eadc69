import { describe, expect, it } from 'vitest';
import { type Aspect, compareTrees, isFaithful } from './compare-trees.ts';
import { parseTree, readablePath, type TreeEntry } from './tree-entry.ts';

const name = (text: string): string => Buffer.from(text).toString('base64');
const file = (path: string, part: Partial<TreeEntry> = {}): TreeEntry => ({
  path: name(path),
  type: 'file',
  mode: 0o644,
  uid: 0,
  gid: 0,
  sizeBytes: 4,
  allocatedBytes: 4096,
  mtimeNs: '1700000000123456789',
  sha256: 'aa',
  ...part,
});
const different = (aspect: Aspect, source: TreeEntry[], restored: TreeEntry[]): readonly string[] =>
  compareTrees(source, restored).find((result) => result.aspect === aspect)?.different ?? [];

describe('comparing a restored tree with its source', () => {
  it('finds nothing when they are equal', () => {
    const tree = [file('a'), file('b', { type: 'directory' })];
    const results = compareTrees(tree, tree);
    expect(results.flatMap((result) => result.different)).toEqual([]);
    expect(isFaithful(results)).toBe(true);
  });
  it.each<[Aspect, Partial<TreeEntry>, Partial<TreeEntry>]>([
    ['content', {}, { sha256: 'bb' }],
    ['modes', { mode: 0o4755 }, { mode: 0o755 }],
    ['owners', { uid: 7 }, {}],
    ['modification times', {}, { mtimeNs: '1700000000123456788' }],
    ['types', {}, { type: 'directory' }],
    ['sparse files', { sizeBytes: 1 << 26, allocatedBytes: 4096 }, { sizeBytes: 1 << 26, allocatedBytes: 1 << 26 }],
  ])('finds %s that differ, and reports the tree as changed', (aspect, source, restored) => {
    expect(different(aspect, [file('a', source)], [file('a', restored)])).toEqual(['a']);
    expect(isFaithful(compareTrees([file('a', source)], [file('a', restored)]))).toBe(false);
  });
  it.each<[Aspect, Partial<TreeEntry>]>([
    ['hard links', { sameInodeAs: name('b') }],
    ['extended attributes', { xattrs: ['user.x=0sAA=='] }],
    ['POSIX ACLs', { acl: '0sAA==' }],
    ['file capabilities', { capability: '0sAA==' }],
    ['FIFOs and devices', { type: 'character-device', device: '1:3' }],
  ])('finds lost %s', (aspect, source) => {
    expect(different(aspect, [file('a', source)], [file('a')])).toEqual(['a']);
    expect(isFaithful(compareTrees([file('a', source)], [file('a')]))).toBe(false);
  });
  it('finds a difference of one nanosecond of a symlink, a folder and a FIFO', () => {
    for (const [type, aspect] of [
      ['symlink', 'modification times'],
      ['fifo', 'modification times'],
      ['directory', 'folder times'],
    ] as const) {
      const entry = (mtimeNs: string) => file('l', { type, target: name('x'), mtimeNs });
      const results = compareTrees([entry('1700000000123456789')], [entry('1700000000123456790')]);
      expect(results.filter((result) => result.different.length > 0).map((result) => result.aspect)).toEqual([aspect]);
    }
  });
  it('distinguishes devices', () => {
    const device = (numbers: string) => file('n', { type: 'block-device', device: numbers });
    expect(different('FIFOs and devices', [device('1:3')], [device('1:5')])).toEqual(['n']);
  });
  it('names entries that are missing and entries that were not in the source', () => {
    expect(different('entries', [file('a')], [file('b')])).toEqual(['a', 'b (not in the source)']);
  });
  it('counts a missing FIFO as an error, and ignores a socket', () => {
    expect(isFaithful(compareTrees([file('p', { type: 'fifo' })], []))).toBe(false);
    expect(isFaithful(compareTrees([file('s', { type: 'socket' })], []))).toBe(true);
  });
  it('rejects a truncated listing', () => {
    expect(() => parseTree(`${JSON.stringify(file('a'))}\n`)).toThrow('incomplete');
    expect(parseTree(`${JSON.stringify(file('a'))}\n{"entries":1}\n`)).toHaveLength(1);
    expect(readablePath(name('new\nline'))).toBe('new\\nline');
  });
});
