import { AppError } from '@lateen/errors';
import type { ContentLocation, KopiaRepository } from '@lateen/kopia-format';
import type { PackReader } from '@lateen/pack-reader';
import { describe, expect, it } from 'vitest';
import { checkStoredData } from './check-stored-data.ts';
import type { VerifyTask } from './content-verifier.ts';

const { signal } = new AbortController();
const id = (letter: string) => letter.repeat(32);
const content = (contentId: string, packId: string, offset: number): ContentLocation => {
  return { contentId, packId, offset, length: 10, originalLength: 10, compressionHeaderId: 0 };
};

/** A folder `shop` with a file of one content and a file of two contents, in one snapshot. */
const [plain, list, first, second, root] = [id('1'), `x${id('2')}`, id('3'), id('4'), `k${id('5')}`];
const stored: Record<string, unknown> = {
  [root]: {
    stream: 'kopia:directory',
    entries: [
      { name: 'large', type: 'f', mode: '0644', size: 20, obj: `I${list}` },
      { name: 'plain', type: 'f', mode: '0644', size: 10, obj: plain },
      { name: '/dev/twin', type: 'f', mode: '0644', size: 10, obj: plain },
    ],
  },
  [list]: {
    stream: 'kopia:indirect',
    entries: [
      { l: 10, o: first },
      { s: 10, l: 10, o: second },
    ],
  },
};
const contents = [
  content(plain, 'p1', 0),
  content(first, 'p1', 10),
  content(second, 'p2', 0),
  content(list, 'q1', 0),
  content(root, 'q1', 10),
];
const manifest = {
  id: 'k1',
  labels: {},
  modified: '',
  data: { source: { path: 'shop/data' }, startTime: 'T', rootEntry: { name: 'x', type: 'd', mode: '0755', obj: root } },
};

interface World {
  packs?: Record<string, number>;
  damaged?: readonly string[];
  /** The packs of the contents when they are looked up again. */
  moved?: Readonly<Record<string, string>>;
  percent?: number;
  readFails?: AppError;
}

async function check({ packs, damaged = [], moved = {}, percent = 100, readFails }: World = {}) {
  const problems: string[] = [];
  const read: string[] = [];
  const repository: Pick<
    KopiaRepository,
    'contentsMax' | 'allContents' | 'refresh' | 'locate' | 'readContent' | 'findManifests'
  > = {
    contentsMax: contents.length,
    allContents: async function* (wanted) {
      yield contents.filter(({ packId }) => wanted(packId));
    },
    refresh: async () => {},
    locate: async (ids) =>
      ids
        .flatMap((wanted) => contents.filter(({ contentId }) => contentId === wanted))
        .map((it) => {
          return { ...it, packId: moved[it.contentId] ?? it.packId };
        }),
    readContent: async (contentId) => {
      const found = stored[contentId];
      if (found === undefined || damaged.includes(contentId)) throw new AppError('CONTENT_CORRUPT', contentId);
      return Buffer.from(JSON.stringify(found));
    },
    findManifests: async () => [manifest],
  };
  const reader: Pick<PackReader, 'readAll'> = {
    readAll: async (slices, take) => {
      read.push(...slices.map(({ packId }) => packId));
      if (readFails !== undefined) throw readFails;
      await take({ bytes: new Uint8Array(new SharedArrayBuffer(100)), offset: 0, slices });
    },
  };
  const verify = ({ contents: given }: VerifyTask) =>
    given
      .filter(({ contentId }) => damaged.includes(contentId))
      .map((location) => ({ location, why: `content ${location.contentId} is damaged` }));
  let chance = 0;
  const next = () => {
    chance += 0.3;
    return chance - 0.3;
  };
  const random = { next, uuid: () => '', suffix: () => '' };
  const count = await checkStoredData(
    {
      repository: repository as KopiaRepository,
      reader: reader as PackReader,
      listPacks: async () => new Map(Object.entries(packs ?? { p1: 20, p2: 10, q1: 20 })),
      verify,
      random,
    },
    { percent, onProgress: () => {}, onProblem: (text) => problems.push(text), signal },
  );
  return { problems, count, read };
}

const snapshot = 'snapshot k1 of shop/data (T)';

describe('checking the stored data', () => {
  it('reports nothing for an intact repository', async () => {
    expect(await check()).toMatchObject({ problems: [], count: 5, read: ['p1', 'p1', 'p2', 'q1', 'q1'] });
  });

  it.each<[string, World, string[]]>([
    [
      'a content of files',
      { damaged: [plain] },
      [`content ${plain} is damaged; needed by ${snapshot}: "plain", "/dev/twin"`],
    ],
    [
      'a piece of a large file',
      { damaged: [second] },
      [`content ${second} is damaged; needed by ${snapshot}: "large"`],
    ],
    ['the list of pieces', { damaged: [list] }, [`content ${list} is damaged; needed by ${snapshot}: "large"`]],
    ['a folder', { damaged: [root] }, [`content ${root} is damaged; needed by ${snapshot}: "/"`]],
    [
      'a pack that is missing',
      { packs: { p2: 10, q1: 20 } },
      [`pack p1 is missing: 2 contents of it are lost; needed by ${snapshot}: "large", "plain", "/dev/twin"`],
    ],
    [
      'a pack that is cut',
      { packs: { p1: 15, p2: 10, q1: 20 } },
      [`pack p1 is shorter than its index says: one content of it is lost; needed by ${snapshot}: "large"`],
    ],
  ])('names %s and the affected snapshots', async (_, world, problems) => {
    expect(await check(world)).toMatchObject({ problems, count: 5 });
  });

  it('looks up all contents and reads some of the packs, each completely', async () => {
    const { read, problems } = await check({ percent: 50, packs: { p1: 20, q1: 20 } });
    expect(read).toEqual(['p1', 'p1']);
    expect(problems).toEqual([expect.stringMatching(/^pack p2 is missing/)]);
  });

  it('does not report data as lost that maintenance has moved meanwhile', async () => {
    const moved = { [plain]: 'p9', [first]: 'p9' };
    expect((await check({ packs: { p2: 10, q1: 20 }, moved })).problems).toEqual([]);
  });

  it('reports a missing pack when it is read, and ends when the store fails', async () => {
    const gone = new AppError('OBJECT_NOT_FOUND', 'gone');
    expect((await check({ readFails: gone })).problems).toHaveLength(3);
    const away = new AppError('OBJECT_STORE_UNAVAILABLE', 'away');
    await expect(check({ readFails: away })).rejects.toBe(away);
  });
});
