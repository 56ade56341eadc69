import { AppError } from '@lateen/errors';
import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ComparedVolume, verifySnapshot } from './verify-snapshot.ts';

const { signal } = new AbortController();
const id = (letter: string) => letter.repeat(32);
const [small, list, first, second, root, below] = [
  id('1'),
  `x${id('2')}`,
  id('3'),
  id('4'),
  `k${id('5')}`,
  `k${id('6')}`,
];
const volumeBytes = Buffer.from('the first piece and the second');
const large = { name: 'large', type: 'f', mode: '0644', size: 30, obj: `I${list}` };
const folderOf = (...entries: object[]) => Buffer.from(JSON.stringify({ stream: 'kopia:directory', entries }));

const stored = (): Record<string, Uint8Array> => ({
  [root]: folderOf(
    { name: 'below', type: 'd', mode: '0755', obj: below },
    large,
    { name: 'empty', type: 'f', mode: '0644' },
    { name: 'link', type: 's', mode: '0777', size: 5, obj: small },
  ),
  [below]: folderOf({ name: 'small', type: 'f', mode: '0644', size: 5, obj: small }),
  [small]: Buffer.from('small'),
  [list]: Buffer.from(
    JSON.stringify({
      stream: 'kopia:indirect',
      entries: [
        { l: 16, o: first },
        { s: 16, l: 14, o: second },
      ],
    }),
  ),
  [first]: volumeBytes.subarray(0, 16),
  [second]: volumeBytes.subarray(16),
});

interface World {
  contents?: Record<string, Uint8Array>;
  damaged?: readonly string[];
  percent?: number;
  volume?: ComparedVolume;
  fails?: AppError;
}

async function verify({ contents = stored(), damaged = [], percent = 100, volume, fails }: World = {}) {
  const problems: string[] = [];
  const read: string[] = [];
  const progress: [number, number][] = [];
  const summ = { size: 40, files: 4 };
  const rootEntry = { name: 'x', type: 'd', mode: '0755', obj: root, summ };
  const verified = await verifySnapshot(
    {
      random: seededRandom(5),
      repository: {
        manifest: async (snapshotID) => ({ id: snapshotID, labels: {}, modified: '', data: { rootEntry } }),
        readContent: async (contentId) => {
          read.push(contentId);
          if (fails !== undefined && contentId === first) throw fails;
          const found = contents[contentId];
          if (found === undefined) throw new AppError('CONTENT_MISSING', `content ${contentId} is missing`);
          if (damaged.includes(contentId)) throw new AppError('CONTENT_CORRUPT', `content ${contentId} is damaged`);
          return found;
        },
      },
    },
    {
      snapshotID: 'k1',
      percent,
      volume,
      onProgress: (...each) => progress.push(each),
      onProblem: (text) => problems.push(text),
      signal,
    },
  );
  return { verified, problems, read, progress };
}

const volumeOf = (bytes: Buffer): ComparedVolume => ({
  sizeBytes: bytes.length,
  read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
});

describe('verifySnapshot', () => {
  it('reads all of a snapshot: folders, lists, files and targets of links', async () => {
    const { verified, problems, read, progress } = await verify();
    expect(problems).toEqual([]);
    expect(verified).toEqual({ totalBytes: 40, readBytes: 40, comparedBytes: 0 });
    expect(new Set(read)).toEqual(new Set(Object.keys(stored())));
    expect(progress.at(-1)).toEqual([40, 40]);
  });

  it('reads only folders and lists for 0 %', async () => {
    const { verified, read } = await verify({ percent: 0 });
    expect(verified.readBytes).toBe(0);
    expect(read.sort()).toEqual([below, list, root].sort());
  });

  it.each([
    [
      'a damaged content',
      { damaged: [second] },
      [`"large", 14 bytes from 16 on cannot be read: content ${second} is damaged`],
    ],
    [
      'a missing list, and continues',
      { contents: { ...stored(), [list]: undefined as unknown as Uint8Array } },
      [`the list of pieces of "large" cannot be read: content ${list} is missing`],
    ],
    [
      'a damaged folder, and continues',
      { damaged: [below] },
      [`folder "below" cannot be read: content ${below} is damaged`],
    ],
    ['the top folder', { damaged: [root] }, [`the top folder cannot be read: content ${root} is damaged`]],
    [
      'a piece of another length',
      { contents: { ...stored(), [first]: Buffer.from('short') } },
      [`"large", 16 bytes from 0 on: content ${first} has 5 bytes`],
    ],
  ])('reports %s', async (_, world, expected) => expect((await verify(world)).problems).toEqual(expected));

  it('ends with an error that is not about the data', async () => {
    const fails = new AppError('OBJECT_STORE_UNAVAILABLE', 'away');
    await expect(verify({ fails })).rejects.toBe(fails);
  });
});

describe('verifySnapshot with the volume', () => {
  const ofDevice = () => ({ ...stored(), [root]: folderOf({ ...large, name: '/uid' }) });

  it('compares the stored data with the volume, which may be larger', async () => {
    const volume = volumeOf(Buffer.concat([volumeBytes, Buffer.alloc(10)]));
    const { verified, problems } = await verify({ contents: ofDevice(), volume });
    expect(problems).toEqual([]);
    expect(verified).toMatchObject({ readBytes: 30, comparedBytes: 30 });
  });

  it('reports the first different offset of each piece', async () => {
    const bytes = Buffer.from(volumeBytes);
    bytes[20] = 0;
    bytes[29] = 0;
    const { problems } = await verify({ contents: ofDevice(), volume: volumeOf(bytes) });
    expect(problems).toEqual(['the volume has other bytes than the snapshot from offset 20 on']);
  });

  it.each([
    ['the snapshot has files', stored(), volumeBytes],
    ['the volume is smaller', ofDevice(), volumeBytes.subarray(1)],
  ])('is rejected when %s', async (_, contents, bytes) => {
    await expect(verify({ contents, volume: volumeOf(bytes) })).rejects.toMatchObject({
      code: 'VOLUME_NOT_COMPARABLE',
    });
  });
});
