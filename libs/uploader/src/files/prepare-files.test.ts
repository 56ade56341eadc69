import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UploadRequest } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { FilesToSplice, SplicedFile } from '@lateen/repository';
import { FakeClock, recordingLog, seededRandom } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Program, Programs } from '../attributes/programs.ts';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import type { FileSplice } from './file-splice.ts';
import { prepareFiles } from './prepare-files.ts';

const MiB = 1024 * 1024;
const deviceBytes = 100 * MiB;
const source = { path: 'snapshot-data-upload-download/kopia/shop/data', tags: {} };
const { signal } = new AbortController();
let volumePath: string;

beforeAll(async () => {
  volumePath = await mkdtemp(join(tmpdir(), 'lateen-files-'));
  await mkdir(join(volumePath, 'pg'));
  for (const [path, bytes] of [
    ['pg/large', 9 * MiB],
    ['other', 5 * MiB],
  ] as const) {
    await using file = await open(join(volumePath, path), 'w');
    await file.truncate(bytes);
  }
});
afterAll(() => rm(volumePath, { recursive: true, force: true }));

const good = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
/** One extent of each file, from sector 1,000 of the device. */
const map = (flags = '0x1') =>
  `/a:\n EXT: FILE-OFFSET BLOCK-RANGE TOTAL FLAGS\n   0: [0..20479]: 1000..21479 20480 ${flags}\n`;

/** Programs that print what is given, by the program and its last but one argument. */
function programs(
  answers: { identity?: string; find?: string; attributes?: string; map?: string | ((path: string) => string) } = {},
): Programs {
  const { find = 'pg/large\0other\0', attributes = '-p--------------X /a\n' } = answers;
  const run = async (program: Program, { args, onStdout }: Parameters<Programs['run']>[1]) => {
    const isMap = args.some((arg) => arg.startsWith('fiemap'));
    const isIdentity = program === 'stat';
    const found = isMap
      ? (answers.map ?? map())
      : isIdentity
        ? (answers.identity ?? '2026-11-28 13:59:26.018175000 +0000\n')
        : attributes;
    const told = typeof found === 'string' ? found : found(args.at(-1) ?? '');
    const text = program === 'find' ? find : told;
    await onStdout?.(Buffer.from(text, 'latin1'));
    return good;
  };
  return { run };
}

const system: Readonly<Record<string, string>> = {
  '/sys/dev/block/7:3/size': String(deviceBytes / 512),
  '/sys/dev/block/7:3/uevent': 'DEVNAME=loop3\n',
};
const readText = (fileSystem: string) => async (path: string) =>
  path === '/proc/self/mountinfo' ? `1 1 7:3 / ${volumePath} rw - ${fileSystem} /dev/loop3 rw\n` : system[path];

interface Setting extends Partial<FileSplice> {
  programs?: Programs;
  fileSystem?: string;
  config?: Record<string, string>;
  outcomes?: Record<string, SplicedFile>;
}

const engine = (isKnown: boolean): SplicedFile => ({ kind: 'engine', isKnown });
const compared = (isKnown: boolean, isEqual: boolean): SplicedFile => ({ kind: 'compared', isKnown, isEqual });
const ranges = (list: { offset: number; length: number }[]) => ({ sizeBytes: deviceBytes, within: () => list });
const changes = { kind: 'changes', baseID: 'base', changed: ranges([]) } as const;

/** Runs the preparation, and records what is asked for. */
async function prepare(setting: Setting = {}) {
  const asked: FilesToSplice[] = [];
  const log = recordingLog();
  const warnings: string[] = [];
  const { outcomes = { 'pg/large': engine(false), other: engine(false) }, config = {} } = setting;
  const fileSplice: FileSplice = {
    ...(setting.begin === undefined ? {} : { begin: setting.begin }),
    changesOf: setting.changesOf ?? (async () => changes),
    spliceFiles: async (request) => {
      asked.push(request);
      return (
        (await setting.spliceFiles?.(request)) ?? {
          files: new Map(Object.entries(outcomes)),
          checkpointID: 'c',
          readBytes: 7,
        }
      );
    },
  };
  const options = { programs: setting.programs ?? programs(), log, clock: new FakeClock('2030-01-01T00:00:00Z') };
  const request = {
    volumePath,
    volumeMode: 'Filesystem',
    source,
    config: { ChangedBlocksInFilesMinMiB: '4', ...config },
    onProgress: () => {},
    onWarning: (text: string) => void warnings.push(text),
    signal,
  };
  const made = await prepareFiles(
    options as unknown as KopiaUploaderOptions,
    fileSplice,
    request as UploadRequest,
    readText(setting.fileSystem ?? 'xfs'),
  );
  return { made, asked, log, warnings };
}

const tagsOf = (args: readonly string[]) =>
  Object.fromEntries(
    args.map((arg) => /^--tags=([^:]*):(.*)$/.exec(arg) ?? []).map(([, name, value]) => [`tag:${name}`, value]),
  );

describe('large files before an upload', () => {
  it('are handed on, the largest first, with the maps of those that the snapshot has for certain', async () => {
    const { made, asked } = await prepare({ outcomes: { 'pg/large': engine(true), other: compared(false, true) } });
    expect(asked[0]).toMatchObject({ sourcePath: source.path, baseID: 'base' });
    expect(asked[0]?.files.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      ['pg/large', 9 * MiB],
      ['other', 5 * MiB],
    ]);
    expect(made).toMatchObject({
      checkpointID: 'c',
      readBytes: 7,
      composed: 1,
      readsAll: false,
      fullReadReason: undefined,
    });
    const next = await prepare();
    const [stored, all] = [tagsOf(made.tagArgs), tagsOf(next.made.tagArgs)];
    const compare = (path: string, baseTags: Record<string, unknown>) => {
      const file = next.asked[0]?.files.find((one) => one.path === path);
      return file && next.asked[0]?.compare({ file, base: file, baseTags });
    };
    expect([compare('pg/large', stored), compare('other', stored)]).toEqual([undefined, expect.any(Function)]);
    expect([compare('pg/large', all), compare('other', {})]).toEqual([expect.any(Function), undefined]);
  });

  it('have a session begun for them before their maps are read, unless nobody needs one', async () => {
    const steps: string[] = [];
    const begin = () => void steps.push('begin');
    const answers = programs();
    const noted: Programs = {
      run: (program, options) => {
        steps.push(program);
        return answers.run(program, options);
      },
    };
    await prepare({ begin, programs: noted });
    expect(steps.slice(0, 4)).toEqual(['stat', 'find', 'begin', 'xfs_io']);
    steps.length = 0;
    await prepare({ begin, config: { ReadUnchangedFiles: 'true' } });
    await prepare({ begin, programs: programs({ find: '' }) });
    expect(steps).toEqual([]);
  });

  it('are compared by their maps and the changes of the device', async () => {
    const before = await prepare();
    const changed = ranges([{ offset: 1000 * 512 + 4 * MiB, length: 1 }]);
    const { asked } = await prepare({ changesOf: async () => ({ ...changes, changed }) });
    const file = asked[0]?.files[0];
    if (file === undefined) throw new Error('no file');
    const chunksOf = asked[0]?.compare({ file, base: file, baseTags: tagsOf(before.made.tagArgs) });
    expect(await chunksOf?.(4 * MiB)).toEqual([1]);
    const other = await prepare({ programs: programs({ identity: '2026-11-28 13:59:26.018176000 +0000\n' }) });
    // Somebody has made the file system anew and copied the files: the places are those of another one.
    expect(asked[0]?.compare({ file, base: file, baseTags: tagsOf(other.made.tagArgs) })).toBeUndefined();
    // The base has another state of the file than the one whose map was stored.
    expect(
      asked[0]?.compare({ file, base: { ...file, mtimeNs: 1n }, baseTags: tagsOf(before.made.tagArgs) }),
    ).toBeUndefined();
  });

  it('are all read when one has changed but neither its size nor its time, and then all maps are certain', async () => {
    const { made } = await prepare({ outcomes: { 'pg/large': compared(true, false), other: engine(true) } });
    expect(made).toMatchObject({ readsAll: true, composed: 0, tagArgs: (await prepare()).made.tagArgs });
    expect(made.fullReadReason).toBe('a file has changed, but neither its size nor its time');
  });

  it('are looked up without changes too, so that their maps can be stored', async () => {
    const { made, asked } = await prepare({
      changesOf: async () => ({ kind: 'full', reason: 'first backup of the volume' }),
    });
    expect(asked).toMatchObject([{ baseID: undefined }]);
    expect(made.tagArgs).toHaveLength(1);
    expect(made.fullReadReason).toBe('first backup of the volume');
  });

  it('are left to the engine when the changes are of a volume of another size', async () => {
    const changed = { ...ranges([]), sizeBytes: deviceBytes - 512 };
    const { made, asked } = await prepare({ changesOf: async () => ({ ...changes, changed }) });
    expect(asked).toMatchObject([{ baseID: undefined }]);
    expect(made.fullReadReason).toBe('the changes are of a volume of another size');
  });

  it('are looked up once more when the base cannot be used', async () => {
    const spliceFiles = async ({ baseID }: FilesToSplice) => {
      if (baseID !== undefined)
        throw new AppError('BASE_SNAPSHOT_UNUSABLE', 'base snapshot gone: 12', {
          details: { reason: 'base snapshot gone' },
        });
      return { files: new Map([['other', engine(false)]]), checkpointID: undefined, readBytes: 0 };
    };
    const { made, asked } = await prepare({ spliceFiles });
    expect(asked.map(({ baseID }) => baseID)).toEqual(['base', undefined]);
    expect(made).toMatchObject({
      fullReadReason: 'base snapshot gone',
      tagArgs: [expect.stringContaining('lateen-file-maps')],
    });
  });

  it('have no maps when there is no session with the repository', async () => {
    const spliceFiles = () => Promise.reject(new AppError('REPOSITORY_SESSION_LOST', 'the session was lost'));
    const { made } = await prepare({ spliceFiles });
    expect(made).toMatchObject({ tagArgs: [], fullReadReason: 'the session was lost', checkpointID: undefined });
  });

  it('with too many extents for the snapshot are read as a whole, and this upload and the next say so', async () => {
    const random = seededRandom(3);
    const extents = Array.from({ length: 3_000 }, (_, at) => {
      const [from, place] = [at * 4, 2 * Math.floor(random.next() * 80_000)];
      return `   ${at}: [${from}..${from + 1}]: ${place}..${place + 1} 2 0x0`;
    });
    const fragmented = `/a:\n EXT: FILE-OFFSET BLOCK-RANGE TOTAL FLAGS\n${extents.join('\n')}\n`;
    const setting = { programs: programs({ map: (path) => (path.endsWith('pg/large') ? fragmented : map()) }) };
    const first = await prepare(setting);
    expect(first.warnings).toEqual([
      'The next upload reads large files as a whole whose maps have no room in the snapshot: 1, most extents 3000 of pg/large.',
    ]);
    const baseTags = tagsOf(first.made.tagArgs);
    const next = (isKnown: boolean) => async (request: FilesToSplice) => {
      const files = request.files.map((file): [string, SplicedFile] => {
        const chunksOf = request.compare({ file, base: file, baseTags });
        return [file.path, chunksOf === undefined ? engine(isKnown) : compared(false, false)];
      });
      return { files: new Map(files), checkpointID: 'c', readBytes: 7 };
    };
    const fullReadReason = 'maps of large files had no room in the base snapshot: 1 with too many extents';
    const second = await prepare({ ...setting, spliceFiles: next(false) });
    expect(second.made).toMatchObject({ composed: 1, fullReadReason });
    expect(second.warnings[0]).toBe(`Large files are read as a whole: ${fullReadReason}.`);
    // Not read at all: kopia takes it from the base.
    expect((await prepare({ ...setting, spliceFiles: next(true) })).made.fullReadReason).toBeUndefined();
  });

  it('that cannot be read end the upload', async () => {
    const spliceFiles = () => Promise.reject(new AppError('UPLOADER_SOURCE_UNREADABLE', 'no'));
    await expect(prepare({ spliceFiles })).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
  });

  it('have certain maps without a question to storage or repository when everything is read', async () => {
    const changesOf = () => Promise.reject(new Error('the storage is not asked'));
    const { made, asked } = await prepare({ config: { ReadUnchangedFiles: 'true' }, changesOf });
    expect(asked).toEqual([]);
    expect(made.tagArgs).toEqual((await prepare()).made.tagArgs);
  });

  it.each<[string, Setting]>([
    ['changed blocks of files are known for ext4 and xfs only', { fileSystem: 'btrfs' }],
    ['the file system may have data in its journal', { fileSystem: 'ext4' }],
    ['the volume has no large files', { programs: programs({ find: '' }) }],
    ['the file system does not tell its identity', { programs: programs({ identity: '-\n' }) }],
    ['the file system does not tell its identity', { programs: programs({ identity: '0000000000000000\n' }) }],
    // Its name is not UTF-8.
    ['the volume has no large files', { programs: programs({ find: 'a\xff\0' }) }],
  ])('are not looked up: %s', async (reason, setting) => {
    const { made, asked } = await prepare(setting);
    expect(asked).toEqual([]);
    expect(made).toMatchObject({ fullReadReason: reason, tagArgs: [] });
  });

  it.each([
    ['attributes by which its bytes may be elsewhere', { attributes: 'r---------------X /a\n' }],
    ['a map that cannot be read', { map: '/a:\n head\n nonsense\n' }],
  ])('have no map of a file with %s', async (_, answers) => {
    expect((await prepare({ programs: programs(answers) })).made.tagArgs).toEqual([]);
  });
});
