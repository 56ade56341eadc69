import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { dataUploadSource, ownerText, splitterNames } from '@lateen/repository';
import { kopiaUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FilesystemSession, filesystemSession } from '../repository/filesystem-session.ts';

const MiB = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const signal = new AbortController().signal;

let base: string;
let session: FilesystemSession;
let loops: string[] = [];

beforeAll(async () => {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  base = await mkdtemp(join(tmpdir(), 'lateen-splitter-'));
  session = await filesystemSession(kopia, base);
}, 900_000);
afterAll(() => rm(base, { recursive: true, force: true }));
afterEach(() => {
  for (const loop of loops) sh('losetup --detach "$1"', loop);
  loops = [];
});

const sh = (script: string, ...args: string[]) =>
  execFileSync('bash', ['-euc', script, 'bash', ...args], { encoding: 'utf8' });

/** Numbers, so that no two parts are equal; not a whole number of chunks. */
const bytes = 21 * MiB + 4096;
const noise = (file: string, key: string) =>
  sh(
    'openssl enc -aes-128-ctr -K "$3" -iv 00 < /dev/zero 2>/dev/null | head -c "$2" > "$1" || true',
    file,
    `${bytes}`,
    key,
  );

function aDevice(name: string, key?: string): string {
  const file = join(base, name);
  if (key === undefined) sh('truncate -s "$2" "$1"', file, `${bytes}`);
  else noise(file, key);
  const device = sh('losetup --find --show "$1"', file).trim();
  loops.push(device);
  return device;
}

function mover() {
  const child = { clock: systemClock, graceMs: 5_000, scratchDirectory: base };
  const uploader = kopiaUploader({
    session,
    clock: systemClock,
    random: systemRandom,
    programs: systemPrograms({ ...child, path: process.env.PATH }),
    block: systemBlock(child),
    log: silentLogger,
    parallelFiles: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
  const common = (volumeMode: 'Block' | 'Filesystem', volumePath: string, config: Record<string, string>) => ({
    volumePath,
    volumeMode,
    config,
    onProgress: () => {},
    signal,
  });
  return {
    block: (device: string, claim: string, config: Record<string, string> = {}) =>
      uploader.upload({ ...common('Block', device, config), source: dataUploadSource('shop', claim, undefined) }),
    files: (directory: string, claim: string, config: Record<string, string> = {}) =>
      uploader.upload({
        ...common('Filesystem', directory, config),
        source: dataUploadSource('shop', claim, undefined),
      }),
    back: (volumeMode: 'Block' | 'Filesystem', volumePath: string, snapshotID: string) =>
      uploader.download({ ...common(volumeMode, volumePath, {}), snapshotID }),
  };
}

const kopia = async (...args: string[]): Promise<string> => {
  const exit = await session.run(args);
  expect(exit).toMatchObject({ exitCode: 0 });
  return exit.stdout;
};
const sourceOf = (claim: string) => `${ownerText}:${dataUploadSource('shop', claim, undefined).path}`;
/** A snapshot as Velero takes it: first its policy for the source, then the snapshot from a reader of the device. */
async function snapshotOfReference(device: string, claim: string): Promise<string> {
  await kopia('policy', 'set', sourceOf(claim), '--keep-latest=2147483647', '--manual');
  const args = ['snapshot', 'create', '/any', '--stdin-file=/uid', `--override-source=${sourceOf(claim)}`, '--json'];
  const exit = await session.run(args, { stdin: createReadStream(device) });
  return (JSON.parse(exit.stdout) as { id: string }).id;
}

/** The object of the only file of a snapshot, and the lengths of its chunks. */
async function chunksOf(snapshotID: string): Promise<{ object: string; lengths: number[] }> {
  const object = /^\S+ +\d+ .* (I?\w+) +\S+$/m.exec((await kopia('ls', '-l', snapshotID)).trim())?.[1] ?? '';
  // `I` and the content that lists the chunks.
  const listed = JSON.parse(await kopia('content', 'show', object.slice(1))) as { entries: { l: number }[] };
  return { object, lengths: listed.entries.map(({ l }) => l) };
}
const fixed = (size: number) => [...Array<number>(Math.floor(bytes / size)).fill(size), bytes % size];
const policyOf = async (claim: string) => JSON.parse(await kopia('policy', 'show', sourceOf(claim), '--json')).splitter;
const shown = (claim: string) => ['policy', 'show', sourceOf(claim), '--json'];
const runsFrom = (start: number) => session.runs.slice(start).map((args) => args.slice(0, 2).join(' '));

it('the real kopia knows every splitter that we accept', async () => {
  for (const name of splitterNames) await kopia('policy', 'set', sourceOf('names'), `--splitter=${name}`);
}, 60_000);

describe.skipIf(!isRoot)('block volumes', () => {
  it('of a new source are always split every 4 MiB, and restored byte for byte', async () => {
    const { block, back } = mover();
    const [device, to] = [aDevice('new', '01'), aDevice('new-to')];
    const start = session.runs.length;
    const first = await block(device, 'new');
    expect(runsFrom(start)).toEqual(['policy show', 'policy set', 'snapshot create']);
    const cut = await chunksOf(first.snapshotID);
    expect(cut.lengths).toEqual(fixed(4 * MiB));
    const again = session.runs.length;
    const second = await block(device, 'new');
    // The policy stays: later uploads only read it.
    expect(session.runs.slice(again, again + 2)).toEqual([
      shown('new'),
      expect.arrayContaining(['snapshot', 'create']),
    ]);
    expect((await chunksOf(second.snapshotID)).object).toBe(cut.object);
    await back('Block', to, second.snapshotID);
    sh('cmp "$1" "$2"', device, to);
  });

  it('with a snapshot by Velero keep its splitter, so that nothing is stored twice, until a config sets another', async () => {
    const { block, back } = mover();
    const [device, to] = [aDevice('theirs', '02'), aDevice('theirs-to')];
    const theirs = await chunksOf(await snapshotOfReference(device, 'theirs'));
    expect(theirs.lengths).not.toEqual(fixed(4 * MiB));
    const ours = await block(device, 'theirs');
    expect((await chunksOf(ours.snapshotID)).object).toBe(theirs.object);
    expect(await policyOf('theirs')).toEqual({});
    const told = await block(device, 'theirs', { splitter: 'FIXED-1M' });
    expect((await chunksOf(told.snapshotID)).lengths).toEqual(fixed(MiB));
    // The next upload without a config keeps it.
    expect((await chunksOf((await block(device, 'theirs')).snapshotID)).lengths).toEqual(fixed(MiB));
    await back('Block', to, told.snapshotID);
    sh('cmp "$1" "$2"', device, to);
    // Velero overwrites the whole policy, so its snapshots are split as before.
    await kopia('policy', 'delete', sourceOf('theirs'));
    expect((await chunksOf(await snapshotOfReference(device, 'theirs'))).object).toBe(theirs.object);
    expect((await chunksOf((await block(device, 'theirs')).snapshotID)).object).toBe(theirs.object);
  });
});

it('files are split as the DataUpload says, unchanged files keep their chunks, and everything is restored', async () => {
  const { files, back } = mover();
  const [from, to] = [join(base, 'from'), join(base, 'to')];
  await Promise.all([mkdir(from), mkdir(to)]);
  noise(join(from, 'data'), '03');
  const before = await chunksOf((await files(from, 'files')).snapshotID);
  expect(before.lengths).not.toEqual(fixed(4 * MiB));
  const told = await files(from, 'files', { splitter: 'FIXED-4M' });
  expect((await chunksOf(told.snapshotID)).object).toBe(before.object);
  noise(join(from, 'data'), '04');
  // The splitter stays set.
  const changed = await files(from, 'files');
  expect((await chunksOf(changed.snapshotID)).lengths).toEqual(fixed(4 * MiB));
  await back('Filesystem', to, changed.snapshotID);
  sh('cmp "$1" "$2"', join(from, 'data'), join(to, 'data'));
  const verified = await session.run(['snapshot', 'verify', '--verify-files-percent=100']);
  expect(verified.exitCode).toBe(0);
});
