import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import { fsStore } from '@lateen/object-store-fs';
import {
  type EngineProcess,
  initialiseRepository,
  initialiseResticRepository,
  openKopiaSession,
  openResticSession,
  type RepositoryTarget,
} from '@lateen/repository';
import {
  changePassword,
  checkRepository,
  dueMode,
  forgetSnapshots,
  kopiaRepository,
  maintainRepository,
  type OperationProgress,
  type RepositorySession,
  readSchedule,
  repositoryUsage,
  resticRepository,
  unlockRepository,
} from '@lateen/repository/operations';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeResticKeysCheap } from '../repository/cheap-restic-key.ts';

const password = 'operations-pass-1';
const newPassword = 'operations-pass-2';
const signal = AbortSignal.any([]);
const KiB = 1024;
let directory: string;
/** Arguments, input and output of every run of an engine. */
let seen: string[];
let sessions: RepositorySession[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-operations-'));
  await mkdir(join(directory, 'share'));
  seen = [];
  sessions = [];
});
afterEach(async () => {
  for (const session of sessions) await session.close();
  await rm(directory, { recursive: true, force: true });
});

async function engineOf(engine: 'kopia' | 'restic'): Promise<EngineProcess> {
  const { kopia = '' } = engine === 'kopia' ? await ensureParts(['kopia'], silentProgress) : {};
  const binary = engine === 'kopia' ? kopia : 'restic';
  const inner = childRunner({ program: binary, clock: systemClock, graceMs: 10_000 });
  return {
    run: async (request) => {
      const exit = await inner.run(request);
      seen.push(request.args.join(' '), exit.stdout, exit.stderr);
      return exit;
    },
  };
}

/** A repository in a directory, initialized, and the engine configured for it. */
async function repositoryOf(engine: 'kopia' | 'restic', withPassword = password): Promise<RepositorySession> {
  const path = join(directory, 'share');
  const target: RepositoryTarget = {
    location: { provider: 'fs', name: 'default', bucket: '', prefix: 'p', readOnly: false, path },
    volumeNamespace: 'shop',
    password: withPassword,
    uid: 'u-1',
    cacheLimitMB: 100,
  };
  const environment = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
  const options = { process: await engineOf(engine), workDirectory: join(directory, 'scratch'), environment };
  const store = fsStore({ fspath: path });
  try {
    const common = { store, session: options, signal };
    if (withPassword === password && engine === 'kopia') await initialiseRepository(target, common);
    if (withPassword === password && engine === 'restic') {
      const { outcome } = await initialiseResticRepository(target, common);
      if (outcome === 'created') await makeResticKeysCheap(store, 'p/restic/shop/', password);
    }
  } finally {
    await store.close();
  }
  const session =
    engine === 'kopia'
      ? kopiaRepository(await openKopiaSession(target, options))
      : resticRepository(await openResticSession(target, options));
  sessions.push(session);
  return session;
}

/** A snapshot of these files under the name of a volume. */
async function snapshot(session: RepositorySession, claim: string, files: Record<string, Buffer>): Promise<void> {
  const volume = join(directory, 'volumes', claim);
  await rm(volume, { recursive: true, force: true });
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(volume, name, '..'), { recursive: true });
    await writeFile(join(volume, name), bytes);
  }
  const source = `snapshot-data-upload-download/${session.engine}/shop/${claim}`;
  const exit =
    session.engine === 'kopia'
      ? await session.run([
          'snapshot',
          'create',
          volume,
          `--override-source=default@default:${source}`,
          '--no-progress',
        ])
      : await session.run(['backup', '.', '--host=velero', `--tag=snapshot-source=${source}`, '--json'], {
          cwd: volume,
        });
  expect(exit.exitCode, exit.stderr).toBe(0);
}

async function blobsBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The largest blob, which is a pack with files' data. */
async function largestBlob(): Promise<string> {
  const blobs = await blobsBelow(join(directory, 'share'));
  const sizes = await Promise.all(blobs.map(async (blob) => ({ blob, bytes: (await readFile(blob)).length })));
  return sizes.sort((a, b) => b.bytes - a.bytes)[0]?.blob ?? '';
}

const ofVolume = (usage: Awaited<ReturnType<typeof repositoryUsage>>, claim: string) =>
  usage.volumes.find(({ persistentVolumeClaim }) => persistentVolumeClaim === claim);

describe.each(['kopia', 'restic'] as const)('operations on a real %s repository', (engine) => {
  it('check reports an intact repository, and then finds damage', async () => {
    const session = await repositoryOf(engine);
    await snapshot(session, 'data', { 'a/one': randomBytes(300 * KiB), two: randomBytes(200 * KiB) });
    const sound = await checkRepository(session, { readDataPercent: 100, signal });
    expect(sound).toMatchObject({ engine, problems: [], problemCount: 0, readDataPercent: 100 });
    if (engine === 'kopia') expect(sound).toMatchObject({ snapshots: 1, contents: expect.any(Number) });
    const pack = await largestBlob();
    const bytes = await readFile(pack);
    bytes[1_000] = (bytes[1_000] ?? 0) ^ 0xff;
    await rm(pack);
    await writeFile(pack, bytes);
    // The structure is still intact: only reading the data finds the damage.
    const later = await repositoryOf(engine);
    expect((await checkRepository(later, { readDataPercent: 0, signal })).problemCount).toBe(0);
    const flipped = await checkRepository(later, { readDataPercent: 100, signal });
    expect(flipped.problemCount).toBeGreaterThan(0);
    expect(flipped.problems.length).toBeGreaterThan(0);
    await rm(pack);
    const missing = await checkRepository(later, { readDataPercent: 0, signal });
    expect(missing.problemCount).toBeGreaterThan(0);
  });

  it('usage reports the size of each volume, shared and unshared, and of unused data', async () => {
    const session = await repositoryOf(engine);
    const [common, own, old] = [randomBytes(400 * KiB), randomBytes(100 * KiB), randomBytes(200 * KiB)];
    await snapshot(session, 'data', { common, 'deep/own': own });
    await snapshot(session, 'logs', { 'copy/common': common });
    const told: OperationProgress[] = [];
    const before = await repositoryUsage(session, { signal, onProgress: (each) => told.push(each) });
    expect(told.length).toBeGreaterThan(0);
    expect(ofVolume(before, 'data')).toMatchObject({ namespace: 'shop', snapshots: 1 });
    expectAbout(ofVolume(before, 'data')?.uniqueBytes, 100 * KiB);
    expectAbout(ofVolume(before, 'data')?.sharedBytes, 400 * KiB);
    expectAbout(ofVolume(before, 'logs')?.sharedBytes, 400 * KiB);
    expect(ofVolume(before, 'logs')?.uniqueBytes).toBeLessThan(20 * KiB);
    expectAbout(before.referencedBytes, 500 * KiB);
    expectAbout(before.sharedBytes, 400 * KiB);
    expect(before.reclaimableBytes).toBeLessThan(20 * KiB);
    await snapshot(session, 'old', { old });
    await forget(session, 'old');
    const after = await repositoryUsage(session, { signal });
    expect(ofVolume(after, 'old')).toBeUndefined();
    expectAbout(after.reclaimableBytes, 200 * KiB);
    expect(after.referencedBytes).toBe(before.referencedBytes);
  });

  it('maintenance runs quick and full, and leaves the repository intact', async () => {
    const session = await repositoryOf(engine);
    await snapshot(session, 'data', { one: randomBytes(300 * KiB) });
    const told: OperationProgress[] = [];
    const options = { signal, onProgress: (each: OperationProgress) => told.push(each) };
    expect(await maintainRepository(session, { ...options, mode: 'quick' })).toMatchObject({ engine, mode: 'quick' });
    await snapshot(session, 'old', { old: randomBytes(2_000 * KiB) });
    await forget(session, 'old');
    const full = await maintainRepository(session, { ...options, mode: 'full', fullIntervalMs: 12 * 3_600_000 });
    expect(full).toMatchObject({ engine, mode: 'full' });
    if (session.engine === 'kopia') {
      expect(full.bytesBefore).toBeGreaterThan(300 * KiB);
      expect(told.length).toBeGreaterThan(0);
      const schedule = await readSchedule(session, signal);
      expect(schedule).toMatchObject({ owner: 'default@default', fullIntervalMs: 12 * 3_600_000 });
      expect(dueMode(schedule, systemClock.now())).toBeUndefined();
      expect(dueMode(schedule, systemClock.now() + 90 * 60_000)).toBe('quick');
      expect(dueMode(schedule, systemClock.now() + 13 * 3_600_000)).toBe('full');
    } else {
      expectAbout((await repositoryUsage(session, { signal })).reclaimableBytes + 1, 1);
    }
    expect((await checkRepository(session, { readDataPercent: 100, signal })).problemCount).toBe(0);
  });

  it('the password can be changed: only the new one opens it, and neither is printed', async () => {
    const session = await repositoryOf(engine);
    await snapshot(session, 'data', { one: randomBytes(10 * KiB) });
    expect(await changePassword(session, newPassword, { signal })).toEqual({ engine });
    const changed = await repositoryOf(engine, newPassword);
    expect((await repositoryUsage(changed, { signal })).volumes).toHaveLength(1);
    await expect(repositoryUsage(session, { signal })).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
    expect(seen.join('\n')).not.toMatch(/operations-pass/);
  });
});

describe.each(['kopia', 'restic'] as const)('forgetting in a real %s repository', (engine) => {
  it('deletes the named snapshots that exist, pinned or not, can be repeated, and keeps the rest intact', async () => {
    const session = await repositoryOf(engine);
    const [kept, gone] = [randomBytes(100 * KiB), randomBytes(200 * KiB)];
    await snapshot(session, 'kept', { kept });
    await snapshot(session, 'gone', { gone });
    await snapshot(session, 'pinned', { gone, more: kept });
    const [keptId, goneId, pinnedId] = await Promise.all(
      ['kept', 'gone', 'pinned'].map((claim) => idOf(session, claim)),
    );
    if (engine === 'kopia') await session.run(['snapshot', 'pin', '--add=velero-pin', pinnedId ?? ''], { signal });
    const pinned = await idOf(session, 'pinned');
    const snapshotIDs = [goneId ?? '', pinned, 'f'.repeat(32)];
    expect(await forgetSnapshots(session, { snapshotIDs, signal })).toEqual({ engine, forgotten: 2, missing: 1 });
    expect(await forgetSnapshots(session, { snapshotIDs, signal })).toMatchObject({ forgotten: 0, missing: 3 });
    const usage = await repositoryUsage(session, { signal });
    expect(usage.volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim)).toEqual(['kept']);
    expect(await idOf(session, 'kept')).toBe(keptId);
    expectAbout(usage.reclaimableBytes, 200 * KiB);
    expect((await checkRepository(session, { readDataPercent: 100, signal })).problemCount).toBe(0);
  });
});

async function idOf(session: RepositorySession, claim: string): Promise<string> {
  const source = `snapshot-data-upload-download/${session.engine}/shop/${claim}`;
  const args =
    session.engine === 'kopia'
      ? ['snapshot', 'list', '--json', `default@default:${source}`]
      : ['snapshots', '--json', `--tag=snapshot-source=${source}`];
  const { stdout } = await session.run(args, { signal });
  return (JSON.parse(stdout) as { id: string }[])[0]?.id ?? '';
}

describe('locks of a real restic repository', () => {
  it('are removed when they are stale, and kept while they may be in use', async () => {
    const session = await repositoryOf('restic');
    const lock = async () => {
      const stop = new AbortController();
      const env = { ...process.env, RESTIC_PASSWORD: password, HOME: directory };
      // It holds its lock while it waits for the rest of its input, and leaves the lock behind when it is killed.
      const args = ['-r', join(directory, 'share', 'p', 'restic', 'shop'), 'backup', '--stdin'];
      const child = execa('restic', args, {
        env,
        stdin: 'pipe',
        cancelSignal: stop.signal,
        killSignal: 'SIGKILL',
        reject: false,
      });
      const locks = join(directory, 'share', 'p', 'restic', 'shop', 'locks');
      for (let tries = 0; tries < 300 && (await readdir(locks)).length === 0; tries++) await systemClock.sleep(100);
      return {
        kill: async () => {
          stop.abort();
          await child;
        },
      };
    };
    const running = await lock();
    expect(await unlockRepository(session, { signal })).toEqual({
      engine: 'restic',
      removed: 0,
      remaining: 1,
      hasLocks: true,
    });
    await expect(maintainRepository(session, { mode: 'full', signal })).rejects.toMatchObject({
      code: 'REPOSITORY_LOCKED',
    });
    await running.kill();
    expect(await unlockRepository(session, { signal })).toMatchObject({ removed: 1, remaining: 0 });
    expect(await maintainRepository(session, { mode: 'full', signal })).toMatchObject({ mode: 'full' });
  });
});

/** Packs, folders and encryption add a few bytes. */
function expectAbout(bytes: number | undefined, wanted: number): void {
  expect(bytes).toBeGreaterThanOrEqual(wanted);
  expect(bytes).toBeLessThan(wanted + 20 * KiB);
}

async function forget(session: RepositorySession, claim: string): Promise<void> {
  const source = `snapshot-data-upload-download/${session.engine}/shop/${claim}`;
  const exit =
    session.engine === 'kopia'
      ? await session.run(['snapshot', 'delete', '--all-snapshots-for-source', `default@default:${source}`, '--delete'])
      : await session.run([
          'forget',
          `--tag=snapshot-source=${source}`,
          '--keep-tag=none',
          '--unsafe-allow-remove-all',
        ]);
  if (exit.exitCode === 0) return;
  // restic 0.14 forgets by ID only when no keep option is given.
  const { stdout } = await session.run(['snapshots', '--json', `--tag=snapshot-source=${source}`]);
  const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
  const byId = await session.run(['forget', ...ids]);
  expect(byId.exitCode, exit.stderr + byId.stderr).toBe(0);
}
