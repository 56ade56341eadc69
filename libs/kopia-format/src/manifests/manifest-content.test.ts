import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { latestManifests, manifestsIn } from './manifest-content.ts';

const content = (value: unknown) => gzipSync(JSON.stringify(value));
const entry = (id: string, second: number, more = {}) => ({
  id,
  labels: { type: 'snapshot' },
  modified: `2022-01-02T03:04:0${second}.5Z`,
  data: second,
  ...more,
});

describe('manifests', () => {
  it('are the latest version of each, oldest first, without deleted ones', () => {
    const versions = [
      ...manifestsIn('m1', content({ entries: [entry('a', 1), entry('b', 2), entry('c', 4)] })),
      ...manifestsIn('m2', content({ entries: [entry('a', 5), entry('b', 3, { deleted: true }), entry('c', 3)] })),
    ];
    expect(latestManifests(versions).map(({ id, data }) => [id, data])).toEqual([
      ['c', 4],
      ['a', 5],
    ]);
  });

  it.each([Buffer.from('x'), gzipSync('{"entr'), content({ entries: 5 }), content({ entries: [{ id: 5 }] })])(
    'are rejected when invalid',
    (bytes) => expect(() => manifestsIn('m1', bytes)).toThrow(expect.objectContaining({ code: 'SNAPSHOT_CORRUPT' })),
  );

  it('can be empty', () => expect(manifestsIn('m1', content({ entries: null }))).toEqual([]));
});
