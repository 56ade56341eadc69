import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newestWith, parseSnapshots } from './restic-snapshot.ts';
import { parentTags, readTags, snapshotTags } from './snapshot-tags.ts';

const source = {
  path: 'snapshot-data-upload-download/restic/shop/data',
  tags: { 'snapshot-requester': 'r', 'snapshot-uploader': 'restic', 'velero.io/async-operation-id': 'op-1' },
};
const snapshot = (id: string, time: string, tags: string[] = []) => ({ id, time, tags, short_id: id.slice(0, 8) });

describe('parseSnapshots', () => {
  it('reads a list, and null as an empty list', () => {
    const text = JSON.stringify([{ ...snapshot('a'.repeat(64), '2026-01-02T03:04:05.123456789Z'), tags: null }]);
    expect(parseSnapshots(text)).toEqual([
      { id: 'a'.repeat(64), tags: [], timeMs: Date.parse('2026-01-02T03:04:05.123Z') },
    ]);
    expect(parseSnapshots('null\n')).toEqual([]);
    expect(parseSnapshots('[]')).toEqual([]);
  });

  it.each(['', '{}', '[1]', '[{"id":"a"}]', '[{"id":"a","time":"soon"}]', 'Fatal'])('rejects %j', (text) => {
    expect(() => parseSnapshots(text)).toThrow(expect.objectContaining({ code: 'UPLOADER_BAD_ANSWER' }));
  });
});

describe('the parent of a snapshot', () => {
  it('is the newest of the same source and volume mode, from any requester of the same kind', () => {
    const ours = snapshotTags(source, 'Filesystem');
    const others = [
      snapshotTags({ ...source, path: `${source.path}2` }, 'Filesystem'),
      snapshotTags(source, 'Block'),
      snapshotTags({ ...source, tags: { ...source.tags, 'snapshot-requester': 'x' } }, 'Filesystem'),
      [],
    ];
    const list = parseSnapshots(
      JSON.stringify([
        snapshot('old', '2026-01-01T00:00:00.9Z', ours),
        snapshot(
          'new',
          '2026-01-01T00:00:01.123456789Z',
          ours.map((tag) => tag.replace('op-1', 'op-2')),
        ),
        ...others.map((tags, at) => snapshot(`other-${at}`, '2026-02-01T00:00:00Z', tags)),
      ]),
    );
    expect(newestWith(list, parentTags(source, 'Filesystem'))?.id).toBe('new');
    expect(newestWith(list.slice(2), parentTags(source, 'Filesystem'))).toBeUndefined();
  });

  it('is found for every name that Kubernetes allows, and never for another name', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(name, name, name, name, (namespace, pvc, otherNamespace, otherPvc) => {
        const of = (ns: string, claim: string) => ({ ...source, path: `s/restic/${ns}/${claim}` });
        const list = [{ id: 'x', timeMs: 0, tags: snapshotTags(of(namespace, pvc), 'Filesystem') }];
        const found = newestWith(list, parentTags(of(otherNamespace, otherPvc), 'Filesystem'));
        expect(found !== undefined).toBe(namespace === otherNamespace && pvc === otherPvc);
      }),
    );
  });
});

describe('tags', () => {
  it('are read back as given, without a comma, at which restic would split them', () => {
    const tags = snapshotTags({ ...source, tags: { a: 'b,c' } }, 'Block', { root: '1777 0:0 1.5', empty: true });
    expect(tags).toEqual([
      'a=b%2Cc',
      `snapshot-source=${source.path}`,
      'volume-mode=Block',
      'volume-root=1777 0:0 1.5',
      'volume-empty=true',
    ]);
    expect(readTags(tags)).toEqual({ mode: 'Block', empty: true, root: '1777 0:0 1.5' });
    expect(readTags(['backup=x'])).toEqual({ mode: 'Filesystem', empty: false, root: undefined });
  });
});
