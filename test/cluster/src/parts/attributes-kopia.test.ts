import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { AppError } from '@lateen/errors';
import { systemClock, systemRandom } from '@lateen/kernel';
import { dataUploadSource } from '@lateen/repository';
import { FakeClock, type RecordingLog, recordingLog, seededRandom } from '@lateen/testing';
import { describeTree, treeScript } from '@lateen/testing/trees';
import {
  deleteOrphanedManifests,
  deleteSnapshot,
  kopiaUploader,
  orphanAgeMsMin,
  systemBlock,
  systemPrograms,
} from '@lateen/uploader';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilesystemSession, filesystemSession } from '../repository/filesystem-session.ts';

const isRoot = process.getuid?.() === 0;
const never = new AbortController().signal;

let base: string;
let session: FilesystemSession;
let log: RecordingLog;

beforeAll(async () => {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  base = await mkdtemp(join(tmpdir(), 'lateen-fidelity-'));
  session = await filesystemSession(kopia, base);
}, 900_000);
afterAll(() => rm(base, { recursive: true, force: true }));

const freshDirectory = () => mkdtemp(join(base, 'tree-'));
const shell = (script: string, cwd: string) => execFileSync('bash', ['-euc', script], { cwd, encoding: 'utf8' });

function uploader() {
  log = recordingLog();
  const child = { clock: systemClock, graceMs: 5_000 };
  return kopiaUploader({
    session,
    clock: systemClock,
    random: systemRandom,
    programs: systemPrograms({ ...child, path: process.env.PATH, scratchDirectory: base }),
    block: systemBlock({ ...child, scratchDirectory: base }),
    log,
    parallelFiles: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
}

const request = (volumePath: string, config: Record<string, string> = {}, signal = never) => ({
  volumePath,
  volumeMode: 'Filesystem' as const,
  config,
  onProgress: () => {},
  signal,
});
const upload = (volumePath: string, config: Record<string, string> = {}, signal = never) =>
  uploader().upload({ ...request(volumePath, config, signal), source: dataUploadSource('shop', 'data', 'op-1') });

async function download(snapshotID: string, volumePath: string, config: Record<string, string> = {}) {
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  await uploader().download({ ...request(volumePath, config), snapshotID, onWarning });
  return warnings;
}

interface Listed {
  id: string;
  source: { path: string };
  tags?: Record<string, string>;
}
async function snapshots(): Promise<Listed[]> {
  return JSON.parse((await session.run(['snapshot', 'list', '--all', '--incomplete', '--json'])).stdout) as Listed[];
}
const manifests = async () => (await snapshots()).filter(({ source }) => source.path === 'lateen-attributes/shop/data');

/** A tree with every kind of entry. */
async function sourceTree(seed = 1): Promise<string> {
  const source = await freshDirectory();
  shell(treeScript({ random: seededRandom(seed), entries: 20, isRoot }), source);
  return source;
}

/** A tree whose manifest may be stored in a tag; user attributes may not. */
async function plainTree(folders: number): Promise<string> {
  const source = await freshDirectory();
  const special = ': > file; ln file link; mkfifo -m 0600 pipe; setfacl -m u:1000:rwx file; touch -d @7.000000007 file';
  const capable = isRoot ? 'cp file bind; setcap cap_net_bind_service+ep bind' : 'true';
  const many = `mkdir more; for ((i = 0; i < ${folders}; i++)); do mkdir more/$i; : > more/$i/f; done; touch -d @7.000000007 more`;
  shell(`set -e; ${special}; ${capable}; ${many}`, source);
  return source;
}

/** Keys of the tags of a snapshot that have our prefix. */
async function attributeTags(snapshotID: string): Promise<string[]> {
  const found = (await snapshots()).find(({ id }) => id === snapshotID);
  return Object.keys(found?.tags ?? {}).filter((name) => name.startsWith('tag:lateen-attributes'));
}

describe('a tree through the real kopia', () => {
  it('is restored equal in everything that stat and getfattr show', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 60 }), async (seed, entries) => {
        const [source, target] = [await freshDirectory(), await freshDirectory()];
        shell(treeScript({ random: seededRandom(seed), entries, isRoot }), source);
        const { snapshotID } = await upload(source);
        expect(await download(snapshotID, target)).toEqual([]);
        expect(describeTree(target)).toEqual(describeTree(source));
      }),
      { numRuns: 10 },
    );
  }, 300_000);

  it('is restored equal with a manifest in a tag, without a second run of kopia, and with one in a snapshot', async () => {
    const small = await plainTree(2);
    const [before, runs] = [(await manifests()).length, session.runs.length];
    const inTag = await upload(small);
    expect(session.runs.slice(runs).map((args) => args.slice(0, 2).join(' '))).toEqual(['snapshot create']);
    expect(await attributeTags(inTag.snapshotID)).toEqual(['tag:lateen-attributes-inline']);
    expect(await manifests()).toHaveLength(before);
    const large = await plainTree(900);
    const inSnapshot = await upload(large);
    expect(await attributeTags(inSnapshot.snapshotID)).toEqual(['tag:lateen-attributes']);
    expect(await manifests()).toHaveLength(before + 1);
    for (const [source, { snapshotID }] of [
      [small, inTag],
      [large, inSnapshot],
    ] as const) {
      const target = await freshDirectory();
      expect(await download(snapshotID, target)).toEqual([]);
      expect(describeTree(target)).toEqual(describeTree(source));
    }
  }, 60_000);

  it('is not restored with a damaged tag, unless the config disables manifests', async () => {
    const source = await sourceTree(5);
    const tags = ['--tags=lateen-attributes-inline:1.AAAA'];
    const made = await session.run(['snapshot', 'create', source, '--json', '--no-progress', ...tags]);
    const { id } = JSON.parse(made.stdout) as Listed;
    const target = await freshDirectory();
    await expect(download(id, target)).rejects.toMatchObject({ code: 'ATTRIBUTES_INVALID' });
    expect(await readdir(target)).toEqual([]);
    await download(id, target, { AttributeManifest: 'false' });
    expect(await readdir(target)).not.toEqual([]);
  });

  it('is rejected when it is the snapshot of a block volume', async () => {
    const made = await session.run(['snapshot', 'create', 'device', '--stdin-file=/uid', '--json', '--no-progress'], {
      stdin: 'a device',
    });
    const target = await freshDirectory();
    const refusal = { code: 'SNAPSHOT_INVALID', message: expect.stringContaining('that of a block volume') };
    await expect(download((JSON.parse(made.stdout) as Listed).id, target)).rejects.toMatchObject(refusal);
    expect(await readdir(target)).toEqual([]);
  });

  it('is restored equal over the remains of an earlier attempt', async () => {
    const [source, target] = [await sourceTree(2), await freshDirectory()];
    const { snapshotID } = await upload(source);
    await download(snapshotID, target);
    shell('find . -mindepth 1 -type p -delete; find . -mindepth 1 -type d -exec touch {} +', target);
    await download(snapshotID, target);
    expect(describeTree(target)).toEqual(describeTree(source));
  });

  it('is restored without attributes when the config disables them, for the upload or for the download', async () => {
    const [source, target] = [await sourceTree(), await freshDirectory()];
    const before = (await manifests()).length;
    const plain = await upload(source, { AttributeManifest: 'false' });
    expect((await manifests()).length).toBe(before);
    await download(plain.snapshotID, target);
    const runs = session.runs.length;
    const { snapshotID } = await upload(source);
    await download(snapshotID, await freshDirectory(), { AttributeManifest: 'false' });
    expect(session.runs.slice(runs).map(([verb]) => verb)).not.toContain('show');
  });

  it('is restored as far as kopia can when it has no manifest, and the log says what is missing', async () => {
    const { snapshotID } = await upload(await sourceTree(), { AttributeManifest: 'false' });
    expect(await download(snapshotID, await freshDirectory())).toEqual([]);
    expect(JSON.stringify(log.lines)).toContain(
      'the snapshot has no attribute manifest; not given back if the source had',
    );
  });

  it('is restored when its manifest is gone, with a warning', async () => {
    const source = await plainTree(900);
    const known = new Set((await manifests()).map(({ id }) => id));
    const { snapshotID } = await upload(source);
    const own = (await manifests()).filter(({ id }) => !known.has(id)).map(({ id }) => id);
    await session.run(['snapshot', 'delete', ...own, '--delete']);
    const target = await freshDirectory();
    const warnings = await download(snapshotID, target);
    expect(warnings).toEqual([expect.stringContaining(`manifest of snapshot ${snapshotID} is missing`)]);
    expect(await readdir(target)).not.toEqual([]);
  });
});

describe('names that are not UTF-8, which kopia stores with other characters', () => {
  /** A single byte, a truncated character, a surrogate, an overlong form, one beyond the last code point, between valid characters. */
  const odd = [
    '\xff',
    '\xe2\x82',
    '\xed\xa0\x80',
    '\xc0\xaf',
    '\xf5\x80\x80\x80',
    '\xf4\x90\x80\x80',
    'a\xe9\xc3\xa9\xe9z',
  ];
  const bash = (bytes: string) =>
    `$'${[...bytes].map((byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`;

  it('are restored exactly, with all attributes of their entries', async () => {
    const [source, target] = [await freshDirectory(), await freshDirectory()];
    for (const [at, name] of odd.entries()) {
      shell(
        `mkdir ${bash(`${name}${at}`)}; cd ${bash(`${name}${at}`)}; echo ${at} > ${bash(name)}; setfattr -n user.x -v ${at} ${bash(name)}`,
        source,
      );
      shell(
        `cd ${bash(`${name}${at}`)}; ln ${bash(name)} ${bash(`${name}-link`)}; touch -h -d @${at}.000000007 .`,
        source,
      );
    }
    const { snapshotID } = await upload(source);
    const plain = await freshDirectory();
    await download(snapshotID, plain, { AttributeManifest: 'false' });
    // One U+FFFD for each byte: as these names appear in a manifest.
    const kept = ['�', '��', '���', '��', '����', '����', 'a�é�z'];
    expect((await readdir(plain)).toSorted()).toEqual(kept.map((name, at) => `${name}${at}`).toSorted());
    expect(await download(snapshotID, target)).toEqual([]);
    expect(describeTree(target)).toEqual(describeTree(source));
  });

  it('fail an upload when one of two equal stored names would be lost, with the name, and leave nothing', async () => {
    const source = await freshDirectory();
    shell(`echo 1 > ${bash('caf\xe8')}; echo 2 > ${bash('caf\xe9')}`, source);
    const before = (await snapshots()).length;
    await expect(upload(source)).rejects.toMatchObject({
      code: 'UPLOADER_NAME_NOT_KEPT',
      message: expect.stringContaining(String.raw`"caf\xe8" and "caf\xe9" become the same`),
    });
    expect(await snapshots()).toHaveLength(before);
    // The result of kopia alone, without a warning.
    const { snapshotID } = await upload(source, { AttributeManifest: 'false' });
    const target = await freshDirectory();
    await download(snapshotID, target);
    expect(await readdir(target)).toEqual(['caf�']);
  });

  it('fail an upload when they are too long to be restored', async () => {
    const source = await freshDirectory();
    shell(`: > ${bash('\xe4'.repeat(86))}`, source);
    await expect(upload(source)).rejects.toMatchObject({ code: 'UPLOADER_NAME_NOT_KEPT' });
    const { snapshotID } = await upload(source, { AttributeManifest: 'false' });
    await expect(download(snapshotID, await freshDirectory())).rejects.toThrow('file name too long');
  });
});

describe('the attribute manifest of a snapshot', () => {
  it('is deleted with it', async () => {
    const inTag = await upload(await plainTree(2));
    await deleteSnapshot(session, inTag.snapshotID, never);
    expect((await snapshots()).map(({ id }) => id)).not.toContain(inTag.snapshotID);
    const { snapshotID } = await upload(await plainTree(900));
    const before = await manifests();
    await deleteSnapshot(session, snapshotID, never);
    expect((await snapshots()).map(({ id }) => id)).not.toContain(snapshotID);
    expect(await manifests()).toHaveLength(before.length - 1);
    await expect(deleteSnapshot(session, snapshotID, never)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  });

  it('is found and deleted later when another program deleted the snapshot, but not while an upload may be creating it', async () => {
    const { snapshotID } = await upload(await plainTree(900));
    const kept = await upload(await plainTree(900));
    const inTag = await upload(await plainTree(2));
    await session.run(['snapshot', 'delete', snapshotID, '--delete']);
    const before = await manifests();
    expect(await deleteOrphanedManifests(session, systemClock, never)).toBe(0);
    const later = new FakeClock(systemClock.now() + orphanAgeMsMin + 60_000);
    expect(await deleteOrphanedManifests(session, later, never)).toBeGreaterThan(0);
    expect((await manifests()).length).toBeLessThan(before.length);
    const target = await freshDirectory();
    expect(await download(kept.snapshotID, target)).toEqual([]);
    expect(await download(inTag.snapshotID, await freshDirectory())).toEqual([]);
  }, 60_000);

  it('is not left behind by a cancelled upload', async () => {
    const source = await plainTree(900);
    shell('for i in 1 2 3 4; do head -c 20000000 /dev/urandom > big$i; done', source);
    const before = (await snapshots()).length;
    const abort = new AbortController();
    const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
    const running = uploader().upload({
      ...request(source, {}, abort.signal),
      source: dataUploadSource('shop', 'data', 'op-1'),
      onProgress: ({ doneBytes = 0 }) => doneBytes > 5_000_000 && abort.abort(reason),
    });
    await expect(running).rejects.toBe(reason);
    expect(await snapshots()).toHaveLength(before);
  });
});
