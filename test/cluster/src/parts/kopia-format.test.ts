import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import {
  type KopiaRepository,
  openKopiaRepository,
  parseObjectId,
  readObject,
  snapshotRoot,
} from '@lateen/kopia-format';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilesystemSession, filesystemSession } from '../repository/filesystem-session.ts';
import { flatBlobStore } from '../repository/flat-blob-store.ts';

/** Compares our reader of kopia's format with the real kopia: both list and return the same. */
const { signal } = new AbortController();
const MiB = 1024 * 1024;

let kopia: string;
let base: string;
beforeAll(async () => {
  kopia = (await ensureParts(['kopia'], silentProgress)).kopia ?? '';
  base = await mkdtemp(join(tmpdir(), 'lateen-format-'));
}, 900_000);
afterAll(() => rm(base, { recursive: true, force: true }));

interface Rig {
  session: FilesystemSession;
  /** kopia's output; fails when kopia fails. */
  run(...args: string[]): Promise<string>;
  listed(...args: string[]): Promise<Record<string, unknown>[]>;
  /** Creates a file and a snapshot of its folder; returns the manifest's ID. */
  snapshot(name: string, bytes: Uint8Array | string): Promise<string>;
  opened<T>(use: (repository: KopiaRepository) => Promise<T>, memoryBytes?: number): Promise<T>;
  blobs: string;
}

async function rig(name: string, ...create: string[]): Promise<Rig> {
  const directory = join(base, name);
  const [tree, blobs] = [join(directory, 'tree'), join(directory, 'blobs')];
  await mkdir(tree, { recursive: true });
  const session = await filesystemSession(kopia, directory, ['--flat', ...create]);
  const run = async (...args: string[]) => {
    const exit = await session.run(args);
    expect(exit, args.join(' ')).toMatchObject({ exitCode: 0 });
    return exit.stdout;
  };
  return {
    session,
    run,
    blobs,
    listed: async (...args) => JSON.parse((await run(...args)) || '[]') as Record<string, unknown>[],
    snapshot: async (file, bytes) => {
      await writeFile(join(tree, file), bytes);
      return (JSON.parse(await run('snapshot', 'create', tree, '--json')) as { id: string }).id;
    },
    opened: async (use, memoryBytes = 64 * MiB) => {
      const repository = await openKopiaRepository(
        {
          ...flatBlobStore(blobs),
          password: 'p',
          name,
          scratchDirectory: base,
          memoryBytes,
          clock: systemClock,
          random: systemRandom,
          log: silentLogger,
        },
        signal,
      );
      try {
        return await use(repository);
      } finally {
        await repository.close();
      }
    },
  };
}

/** kopia's list of contents in the form of ours. */
const asListed = ({
  contentID,
  packFile,
  packOffset = 0,
  length,
  originalLength,
  compression = 0,
}: Record<string, unknown>) => ({
  contentId: contentID,
  packId: packFile,
  offset: packOffset,
  length,
  originalLength,
  compressionHeaderId: compression,
});

/** Every content is at the place that kopia lists, and opens. */
async function expectSameContents(one: Rig, memoryBytes?: number): Promise<void> {
  const contents = await one.listed('content', 'list', '--json', '--deleted');
  await one.opened(async (repository) => {
    const ids = contents.map(({ contentID }) => contentID as string);
    expect(ids.length).toBeGreaterThan(0);
    expect(await repository.locate(ids, signal)).toEqual(contents.map(asListed));
    for (const { contentID, deleted } of contents)
      if (deleted !== true) await repository.readContent(contentID as string, signal);
  }, memoryBytes);
}

/** The manifests are the same. */
async function expectSame(one: Rig, memoryBytes?: number): Promise<void> {
  await expectSameContents(one, memoryBytes);
  const manifests = await one.listed('manifest', 'list', '--json');
  await one.opened(async (repository) => {
    const ours = await repository.findManifests({}, signal);
    const byId = (a: { id: unknown }, b: { id: unknown }) => (`${a.id}` < `${b.id}` ? -1 : 1);
    expect(ours.map(({ id, labels }) => ({ id, labels })).sort(byId)).toEqual(
      manifests.map(({ id, labels }) => ({ id, labels })).sort(byId),
    );
    const [{ id } = { id: '' }] = ours.slice(-1);
    const shown = await one.run('manifest', 'show', id);
    expect(JSON.parse(shown.slice(shown.indexOf('{')))).toEqual((await repository.manifest(id, signal)).data);
  });
}

/** The bytes of a file of a snapshot. */
async function bytesOf(repository: KopiaRepository, objectId: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const read = (id: string, ends: AbortSignal) => repository.readContent(id, ends);
  for await (const piece of readObject(parseObjectId(objectId), read, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const noise = (bytes: number, key: string): Buffer =>
  execFileSync(
    'bash',
    ['-euc', `openssl enc -aes-128-ctr -K ${key} -iv 00 < /dev/zero 2>/dev/null | head -c ${bytes} || true`],
    {
      maxBuffer: 2 * bytes,
    },
  );

const hashes = [
  'BLAKE2B-256',
  'BLAKE2B-256-128',
  'BLAKE2S-128',
  'BLAKE2S-256',
  'BLAKE3-256',
  'BLAKE3-256-128',
  'HMAC-SHA224',
  'HMAC-SHA256',
  'HMAC-SHA256-128',
  'HMAC-SHA3-224',
  'HMAC-SHA3-256',
];
const encryptions = ['AES256-GCM-HMAC-SHA256', 'CHACHA20-POLY1305-HMAC-SHA256'];
const pairs = hashes.flatMap((hash) => encryptions.map((encryption) => [hash, encryption] as const));

describe('a repository of the real kopia', () => {
  it.each(pairs)('with %s and %s is read', async (hash, encryption) => {
    const one = await rig(`${hash}-${encryption}`, `--block-hash=${hash}`, `--encryption=${encryption}`);
    await one.snapshot('file', noise(300_000, '01'));
    // With the whole index read from disk.
    await expectSameContents(one, 0);
  });

  it('of each format version, with many snapshots, deletions and maintenance, is read', async () => {
    for (const version of ['1', '2', '3']) {
      const one = await rig(`version-${version}`, `--format-version=${version}`);
      const made: string[] = [];
      for (let at = 0; at < 6; at++) made.push(await one.snapshot(`f${at}`, noise(10_000 + at, `0${at + 1}`)));
      await expectSameContents(one);
      for (const id of made.slice(0, 3)) await one.run('snapshot', 'delete', id, '--delete');
      await rm(join(base, `version-${version}`, 'tree', 'f0'));
      await expectSame(one);
      if (version === '1') await one.run('index', 'optimize', '--all', '--dangerous-commands=enabled');
      await one.run('maintenance', 'run', '--full', '--safety=none');
      await one.snapshot('again', noise(50_000, '77'));
      await one.run('maintenance', 'run', '--full', '--safety=none');
      await expectSame(one);
      await expectSameContents(one, 0);
    }
  });

  it('is read with every known compression, and unknown ones are named', async () => {
    const one = await rig('compressions');
    const text = (name: string) => Array.from({ length: 9000 }, (_, at) => `${name} ${at * 7919}\n`).join('');
    const known = ['gzip', 'pgzip', 'deflate'].flatMap((name) => [`${name}-best-speed`, `${name}-best-compression`]);
    const names = [
      ...known,
      'gzip',
      'pgzip',
      'deflate-default',
      'zstd',
      'zstd-fastest',
      'zstd-better-compression',
      'zstd-best-compression',
    ];
    for (const name of names) {
      await one.run('policy', 'set', '--global', `--compression=${name}`);
      await one.snapshot(name, text(name));
    }
    const compressed = new Set((await one.listed('content', 'list', '--json')).map(({ compression }) => compression));
    // Each compression has a number of its own, and uncompressed contents have none.
    expect(compressed.size).toBe(names.length + 1);
    await expectSame(one);
    for (const name of ['s2-default', 'lz4']) {
      await one.run('policy', 'set', '--global', `--compression=${name}`);
      const id = await one.snapshot(name, text(name));
      const [object = ''] =
        /\b[0-9a-f]{32}\b/.exec(
          (await one.run('ls', '-l', id)).split('\n').find((line) => line.endsWith(` ${name}`)) ?? '',
        ) ?? [];
      await expect(one.opened((repository) => bytesOf(repository, object))).rejects.toMatchObject({
        code: 'REPOSITORY_FORMAT_UNSUPPORTED',
        message: expect.stringContaining(`the compression ${name.replace('-default', '')},`),
      });
    }
  });

  it.each(['FIXED-1M', 'FIXED-128K', 'DYNAMIC-1M-BUZHASH', 'DYNAMIC-2M-RABINKARP', 'DYNAMIC-4M-BUZHASH'])(
    'returns a large file split by %s byte for byte, from one list of pieces or several',
    async (splitter) => {
      const one = await rig(`splitter-${splitter}`, `--object-splitter=${splitter}`);
      const bytes = noise(21 * MiB + 4096, '05');
      const id = await one.snapshot('large', bytes);
      const root = JSON.parse(await one.run('manifest', 'show', id).then((text) => text.slice(text.indexOf('{')))) as {
        rootEntry: { obj: string };
      };
      await one.opened(async (repository) => {
        expect(snapshotRoot(await repository.manifest(id, signal)).type).toBe('folder');
        const folder = JSON.parse((await bytesOf(repository, root.rootEntry.obj)).toString()) as {
          entries: { name: string; obj: string }[];
        };
        expect(JSON.parse(await one.run('show', root.rootEntry.obj))).toEqual(folder);
        const object = folder.entries.find(({ name }) => name === 'large')?.obj ?? '';
        expect(object).toMatch(/^I/);
        expect((await bytesOf(repository, object)).equals(bytes)).toBe(true);
      });
    },
  );

  it('is read when its epochs have advanced and were compacted, one by one and in ranges', async () => {
    const one = await rig('epochs');
    await one.run(
      'repository',
      'set-parameters',
      '--epoch-min-duration=10m',
      '--epoch-refresh-frequency=3m',
      '--epoch-cleanup-safety-margin=9m',
      '--epoch-advance-on-count=10',
      '--epoch-checkpoint-frequency=2',
    );
    const isThere = (pattern: string) =>
      execFileSync('bash', ['-euc', 'ls "$1" | grep -c "$2" || true', 'bash', one.blobs, pattern], {
        encoding: 'utf8',
      }).trim() !== '0';
    let generations = 0;
    for (let epoch = 0; epoch < 7; epoch++) {
      for (let at = 0; at < 10; at++) await one.snapshot(`f${at}`, noise(3000 + generations++, '09'));
      // All blobs get times an hour ago, because epochs follow the times of blobs.
      execFileSync('bash', [
        '-euc',
        'find "$1" -name "x*" -newermt "-50 minutes" -exec touch -d "-1 hour" {} +',
        'bash',
        one.blobs,
      ]);
      await one.snapshot('f0', noise(3000 + generations++, '09'));
      await one.run('maintenance', 'run', '--full', '--safety=none');
      if (epoch % 3 === 0) await expectSame(one, epoch % 2 === 0 ? 0 : undefined);
    }
    expect([isThere('^xs'), isThere('^xr'), isThere('^xe')]).toEqual([true, true, true]);
  });

  it('with error correction is not opened, with an error that names it', async () => {
    const corrected = await rig('ecc', '--ecc=REED-SOLOMON-CRC32', '--ecc-overhead-percent=2');
    await expect(corrected.opened(async () => {})).rejects.toMatchObject({
      code: 'REPOSITORY_FORMAT_UNSUPPORTED',
      message: expect.stringContaining('REED-SOLOMON-CRC32'),
    });
  });
});
