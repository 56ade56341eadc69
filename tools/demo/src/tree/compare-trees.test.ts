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
  ])('finds %s that differ, and calls the tree unfaithful', (aspect, source, restored) => {
    expect(different(aspect, [file('a', source)], [file('a', restored)])).toEqual(['a']);
    expect(isFaithful(compareTrees([file('a', source)], [file('a', restored)]))).toBe(false);
  });
  it.each<[Aspect, Partial<TreeEntry>]>([
    ['hard links', { sameInodeAs: name('b') }],
    ['extended attributes', { xattrs: ['user.x=0sAA=='] }],
    ['POSIX ACLs', { acl: '0sAA==' }],
    ['file capabilities', { capability: '0sAA==' }],
  ])('lists lost %s, which is a known loss', (aspect, source) => {
    expect(different(aspect, [file('a', source)], [file('a')])).toEqual(['a']);
    expect(isFaithful(compareTrees([file('a', source)], [file('a')]))).toBe(true);
  });
  it('forgives a symlink its last nanoseconds but not its microseconds', () => {
    const link = (mtimeNs: string) => file('l', { type: 'symlink', target: name('x'), mtimeNs });
    const rounded = [link('1700000000123457000')];
    expect(different('modification times', [link('1700000000123456789')], rounded)).toEqual([]);
    expect(different('symlink times below 1 µs', [link('1700000000123456789')], rounded)).toEqual(['l']);
    expect(different('modification times', [link('1700000000123455999')], rounded)).toEqual(['l']);
  });
  it('lists the time of a folder as a known loss', () => {
    const folder = (mtimeNs: string) => [file('d', { type: 'directory', mtimeNs })];
    expect(different('directory times', folder('1'), folder('2'))).toEqual(['d']);
    expect(isFaithful(compareTrees(folder('1'), folder('2')))).toBe(true);
  });
  it('names entries that are missing and entries that were not in the source', () => {
    expect(different('entries', [file('a')], [file('b')])).toEqual(['a', 'b (not in the source)']);
  });
  it('counts a missing FIFO as a known loss and a missing file as a fault', () => {
    expect(isFaithful(compareTrees([file('p', { type: 'fifo' })], []))).toBe(true);
    expect(isFaithful(compareTrees([file('a')], []))).toBe(false);
  });
  it('refuses a listing that was cut', () => {
    expect(() => parseTree(`${JSON.stringify(file('a'))}\n`)).toThrow('incomplete');
    expect(parseTree(`${JSON.stringify(file('a'))}\n{"entries":1}\n`)).toHaveLength(1);
    expect(readablePath(name('new\nline'))).toBe('new\\nline');
  });
});
