import { childOutputLimits } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import type { EngineExit } from '../engine/engine-process.ts';
import type { KopiaSession } from '../engine/kopia-session.ts';
import type { ResticSession } from '../restic/restic-session.ts';
import { changePassword } from './change-password.ts';
import { checkRepository } from './check-repository.ts';
import { maintainRepository } from './maintain-repository.ts';
import type { VerifyStoredSnapshot } from './repository-operation.ts';
import { kopiaRepository, resticRepository } from './repository-session.ts';
import { repositoryUsage } from './repository-usage.ts';
import { unlockRepository } from './unlock-repository.ts';
import { verifySnapshot } from './verify-snapshot.ts';

interface Run {
  args: string;
  stdin?: unknown;
  variables?: Record<string, string>;
}

/** An engine whose answers depend on the first words of a command; the first matching answer counts. */
function engineSaying(answers: Record<string, Partial<EngineExit> | (() => Partial<EngineExit>)>) {
  const runs: Run[] = [];
  const session = {
    run: async (
      words: readonly string[],
      options: Run & { onStdout?: (chunk: Buffer) => void; onStderr?: (text: string) => void },
    ): Promise<EngineExit> => {
      const args = words.join(' ');
      runs.push({
        args,
        stdin: options.stdin,
        ...(options.variables === undefined ? {} : { variables: options.variables }),
      });
      const answer = Object.entries(answers).find(([start]) => args.startsWith(start))?.[1] ?? {};
      const exit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
      const said = { ...exit, ...(typeof answer === 'function' ? answer() : answer) };
      options.onStderr?.(said.stderr);
      if (options.onStdout === undefined)
        return { ...said, stdout: said.stdout.slice(0, childOutputLimits.stdoutBytesMax) };
      options.onStdout(Buffer.from(said.stdout));
      return { ...said, stdout: '' };
    },
    failure: (exit: EngineExit, doing: string) => new AppError('ENGINE_FAILED', `${doing}: ${exit.stderr}`),
    redact: (text: string) => text.replaceAll('s3cr3t', '***'),
  };
  return {
    runs,
    kopia: kopiaRepository(session as unknown as KopiaSession),
    restic: resticRepository(session as unknown as ResticSession),
  };
}

const { signal } = new AbortController();
const soundVerify = { stdout: '{"stats":{},"errorCount":0}' };
const counters = 'Finished\nverifyCounters:\t{"verifiedContents": 12, "totalErrorCount": 0}\n';

describe('checking', () => {
  it('finds no problem in an intact kopia repository, and reports progress', async () => {
    const told: unknown[] = [];
    const { kopia, runs } = engineSaying({
      'content verify': { stderr: `  Verified 5 of 12 contents (41.7%), 0 errors, remaining 1s, ETA now\n${counters}` },
      'manifest list': { stdout: '[\n {"id":"a"},\n {"id":"b"}\n]' },
      'snapshot verify': soundVerify,
    });
    const options = { readDataPercent: 25, signal, onProgress: (each: unknown) => told.push(each) };
    expect(await checkRepository(kopia, options)).toEqual({
      engine: 'kopia',
      readDataPercent: 25,
      problems: [],
      problemCount: 0,
      contents: 12,
      snapshots: 2,
    });
    expect(runs[0]?.args).toContain('--download-percent=25');
    expect(told).toEqual([{ doing: 'reading stored data', done: 5, total: 12, unit: 'items' }]);
  });

  it('reads the stored data of a kopia repository without the engine, and uses the engine only for unsupported formats', async () => {
    const answers = { 'content verify': { stderr: counters }, 'snapshot verify': soundVerify };
    const options = { readDataPercent: 10, signal };
    const ours = engineSaying(answers);
    const read = await checkRepository(ours.kopia, {
      ...options,
      readStoredData: async ({ percent, onProblem }) => {
        onProblem('content k1 is damaged, s3cr3t');
        return percent;
      },
    });
    expect(read).toMatchObject({ contents: 10, problems: ['content k1 is damaged, ***'], problemCount: 1 });
    expect(ours.runs.map(({ args }) => args).join()).not.toContain('content verify');
    const fails = (code: string) => () => Promise.reject(new AppError(code, 'no'));
    const theirs = { ...options, readStoredData: fails('REPOSITORY_FORMAT_UNSUPPORTED') };
    expect((await checkRepository(engineSaying(answers).kopia, theirs)).contents).toBe(12);
    const away = { ...options, readStoredData: fails('OBJECT_STORE_UNAVAILABLE') };
    await expect(checkRepository(engineSaying(answers).kopia, away)).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
    });
  });

  it('counts the snapshots of a kopia repository whose listing exceeds the output limit', async () => {
    const snapshot = { labels: { hostname: 'default', path: `/${'p'.repeat(4_000)}` }, length: 900, id: 'x' };
    const listing = Buffer.from(
      JSON.stringify(
        Array.from({ length: 5_000 }, () => snapshot),
        undefined,
        1,
      ),
    );
    expect(listing.length).toBeGreaterThan(childOutputLimits.stdoutBytesMax);
    const { kopia } = engineSaying({
      'content verify': { stderr: counters },
      'manifest list': { stdout: listing.toString() },
      'snapshot verify': soundVerify,
    });
    expect((await checkRepository(kopia, { readDataPercent: 0, signal })).snapshots).toBe(5_000);
  });

  it('lists the problems of a kopia repository, without secrets and with a limit', async () => {
    const missing = Array.from({ length: 80 }, (_, at) => `content k${at} depends on missing blob p-s3cr3t${at}`);
    const { kopia } = engineSaying({
      'content verify': { exitCode: 1, stderr: `${missing.join('\n')}\nERROR encountered 80 errors` },
      'snapshot verify': { exitCode: 1, stdout: '{"errorCount":3,"errorStrings":["cannot open x"]}' },
    });
    const { problems, problemCount } = await checkRepository(kopia, { readDataPercent: 0, signal });
    expect(problemCount).toBe(83);
    expect(problems).toHaveLength(50);
    expect(problems[0]).toBe('content k0 depends on missing blob p-***0');
  });

  it('fails when a check could not run, instead of reporting a problem', async () => {
    const denied = { exitCode: 1, stderr: 'access denied' };
    await expect(
      checkRepository(engineSaying({ 'content verify': denied }).kopia, { readDataPercent: 0, signal }),
    ).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    await expect(
      checkRepository(engineSaying({ 'snapshot verify': denied }).kopia, { readDataPercent: 0, signal }),
    ).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    await expect(
      checkRepository(engineSaying({ check: denied }).restic, { readDataPercent: 0, signal }),
    ).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
  });

  it.each([
    [0, 'check'],
    [10, 'check --read-data-subset=10%'],
    [100, 'check --read-data'],
  ])('reads %d percent of the data of a restic repository', async (readDataPercent, args) => {
    const { restic, runs } = engineSaying({
      check: { stdout: 'load indexes\n[0:01] 50.00%  1 / 2 snapshots\nno errors were found\n' },
    });
    expect(await checkRepository(restic, { readDataPercent, signal })).toMatchObject({ problems: [], problemCount: 0 });
    expect(runs[0]?.args).toBe(args);
  });

  it('lists the problems of a restic repository', async () => {
    const stderr = 'Load(<data/1>) failed\npack 1: not found\nFatal: repository contains errors\n';
    const { restic } = engineSaying({ check: { exitCode: 1, stderr } });
    expect(await checkRepository(restic, { readDataPercent: 0, signal })).toMatchObject({
      problems: ['Load(<data/1>) failed', 'pack 1: not found'],
      problemCount: 2,
    });
  });

  it.each([-1, 101, Number.NaN])('rejects %d percent', async (readDataPercent) => {
    await expect(checkRepository(engineSaying({}).kopia, { readDataPercent, signal })).rejects.toMatchObject({
      code: 'CHECK_PERCENT_INVALID',
    });
  });
});

describe('verifying one snapshot', () => {
  const request = { snapshotID: 'k1', readDataPercent: 5, signal };
  const commands = (runs: readonly Run[]) => runs.map(({ args }) => args);
  const looked = 'snapshot verify --json --max-errors=50 --verify-files-percent=0 k1';

  it('walks the snapshot, and reads a share of its data without the engine', async () => {
    const { kopia, runs } = engineSaying({ 'snapshot verify': soundVerify });
    const asked: unknown[] = [];
    const readSnapshot = async ({
      snapshotID,
      percent,
      volumePath,
      onProblem,
    }: Parameters<VerifyStoredSnapshot>[0]) => {
      asked.push({ snapshotID, percent, volumePath });
      onProblem('a piece with s3cr3t is damaged');
      return { readBytes: 7, comparedBytes: 3 };
    };
    expect(await verifySnapshot(kopia, { ...request, readSnapshot, volumePath: '/dev/x' })).toEqual({
      engine: 'kopia',
      snapshotID: 'k1',
      readDataPercent: 5,
      readBytes: 7,
      comparedBytes: 3,
      problems: ['a piece with *** is damaged'],
      problemCount: 1,
    });
    expect(commands(runs)).toEqual([looked]);
    expect(asked).toEqual([{ snapshotID: 'k1', percent: 5, volumePath: '/dev/x' }]);
  });

  it('reads no data when only the structure is checked', async () => {
    const { kopia, runs } = engineSaying({
      'snapshot verify': { exitCode: 1, stdout: '{"errorCount":1,"errorStrings":["content 1 is missing"]}' },
    });
    const readSnapshot = () => Promise.reject(new Error('not asked'));
    const found = await verifySnapshot(kopia, { ...request, readDataPercent: 0, readSnapshot });
    expect(found).toMatchObject({ readDataPercent: 0, problems: ['content 1 is missing'], problemCount: 1 });
    expect(commands(runs)).toEqual([looked]);
  });

  const unsupported = () => Promise.reject(new AppError('REPOSITORY_FORMAT_UNSUPPORTED', 'a format of the future'));

  it.each([
    ['no other reader is given', undefined],
    ['the format is not supported', unsupported],
  ])('reads all data with the engine when %s', async (_, readSnapshot) => {
    const { kopia, runs } = engineSaying({ 'snapshot verify': soundVerify });
    expect(await verifySnapshot(kopia, { ...request, readSnapshot })).toMatchObject({ readDataPercent: 100 });
    expect(commands(runs)).toEqual([looked, looked.replace('percent=0', 'percent=100')]);
  });

  it('reports that a volume cannot be compared, and that restic cannot check a single snapshot', async () => {
    const { kopia, restic } = engineSaying({ 'snapshot verify': soundVerify });
    const compared = { ...request, readSnapshot: unsupported, volumePath: '/dev/x' };
    await expect(verifySnapshot(kopia, compared)).rejects.toMatchObject({ code: 'REPOSITORY_FORMAT_UNSUPPORTED' });
    await expect(verifySnapshot(restic, request)).rejects.toMatchObject({ code: 'SNAPSHOT_VERIFY_UNSUPPORTED' });
  });
});

describe('maintaining', () => {
  const info = (owner: string, hours: number) => ({
    stdout: JSON.stringify({ owner, full: { interval: hours * 3_600_000_000_000 }, schedule: {} }),
  });

  it('runs the requested kopia maintenance cycle with full safety', async () => {
    const total = [700, 300];
    const { kopia, runs } = engineSaying({
      'maintenance info': info('default@default', 24),
      'blob stats': () => ({ stdout: `Count: 3\nTotal: ${total.shift()}\n` }),
    });
    expect(await maintainRepository(kopia, { mode: 'full', signal })).toEqual({
      engine: 'kopia',
      mode: 'full',
      bytesBefore: 700,
      bytesAfter: 300,
    });
    expect(runs.map(({ args }) => args)).toEqual([
      'maintenance info --json',
      'blob stats --raw',
      'maintenance run --full --safety=full',
      'blob stats --raw',
    ]);
  });

  it('first sets the owner and the configured interval', async () => {
    const { kopia, runs } = engineSaying({ 'maintenance info': info('me@laptop', 24) });
    await maintainRepository(kopia, { mode: 'quick', fullIntervalMs: 6 * 3_600_000, signal });
    expect(runs[1]?.args).toBe(
      'maintenance set --owner=default@default --enable-quick=true --enable-full=true --full-interval=21600s',
    );
    expect(runs[3]?.args).toBe('maintenance run --safety=full');
  });

  it('removes stale locks of a restic repository and prunes it', async () => {
    const { restic, runs } = engineSaying({});
    await maintainRepository(restic, { mode: 'full', signal });
    await maintainRepository(restic, { mode: 'quick', signal });
    expect(runs.map(({ args }) => args)).toEqual(['unlock', 'prune', 'unlock', 'prune --max-repack-size=0']);
  });

  it.each(['maintenance info', 'blob stats', 'maintenance run'])('fails when %s fails', async (command) => {
    const { kopia } = engineSaying({
      'maintenance info': info('default@default', 24),
      [command]: { exitCode: 1, stderr: 'no' },
    });
    await expect(maintainRepository(kopia, { mode: 'full', signal })).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
  });
});

describe('unlocking', () => {
  const lock = 'a'.repeat(64);

  it('removes only stale locks of restic, and reports the remaining ones', async () => {
    const lists = [`${lock}\n${lock}\n`, `${lock}\n`];
    const { restic, runs } = engineSaying({ 'list locks': () => ({ stdout: lists.shift() ?? '' }) });
    expect(await unlockRepository(restic, { signal })).toEqual({
      engine: 'restic',
      removed: 1,
      remaining: 1,
      hasLocks: true,
    });
    expect(runs.map(({ args }) => args)).toContain('unlock');
    expect(runs.some(({ args }) => args.includes('remove-all'))).toBe(false);
  });

  it('does nothing for kopia, and nothing without locks', async () => {
    const { kopia, restic, runs } = engineSaying({});
    expect(await unlockRepository(kopia, { signal })).toMatchObject({ hasLocks: false, removed: 0 });
    expect(await unlockRepository(restic, { signal })).toMatchObject({ removed: 0, remaining: 0 });
    expect(runs.map(({ args }) => args)).toEqual(['list locks --no-lock']);
  });
});

describe('changing the password', () => {
  it('passes the password to kopia through the environment and to restic through standard input, never as an argument', async () => {
    const { kopia, restic, runs } = engineSaying({});
    await changePassword(kopia, 'n3w-pass', { signal });
    await changePassword(restic, 'n3w-pass', { signal });
    expect(runs).toEqual([
      { args: 'repository change-password', stdin: undefined, variables: { KOPIA_NEW_PASSWORD: 'n3w-pass' } },
      { args: 'key passwd', stdin: 'n3w-pass\n' },
    ]);
  });

  it.each(['', ' x', 'x\n', 'a\nb'])('rejects %j, which cannot be a password', async (password) => {
    const { kopia, runs } = engineSaying({});
    await expect(changePassword(kopia, password, { signal })).rejects.toMatchObject({ code: 'PASSWORD_INVALID' });
    expect(runs).toEqual([]);
  });

  it('keeps the new password out of the error', async () => {
    const { kopia } = engineSaying({ repository: { exitCode: 1, stderr: 'cannot set n3w-pass' } });
    const error = await changePassword(kopia, 'n3w-pass', { signal }).catch((reason: unknown) => String(reason));
    expect(error).toContain('changing the repository password');
    expect(error).not.toContain('n3w-pass');
  });
});

describe('usage of a restic repository', () => {
  const snapshotsOf = (...claims: string[]) =>
    JSON.stringify(
      claims.map((claim) => ({ id: `id-${claim}`, tags: ['ns=shop', `volume=${claim}`], paths: ['/data'] })),
    );
  const statsOf = (bytes: number) => ({ stdout: `{"total_size":${bytes}}` });

  it('counts the unique and the shared bytes of each volume, and the reclaimable bytes', async () => {
    const { restic, runs } = engineSaying({
      snapshots: { stdout: snapshotsOf('a', 'b') },
      'stats --json --no-lock --mode=raw-data id-a id-b': statsOf(100),
      'stats --json --no-lock --mode=raw-data id-a': statsOf(70),
      'stats --json --no-lock --mode=raw-data id-b': statsOf(50),
      prune: { stdout: 'unused: 3 blobs / 1.500 KiB\n' },
    });
    const volume = (persistentVolumeClaim: string, uniqueBytes: number) => ({
      ...{ namespace: 'shop', persistentVolumeClaim, snapshots: 1 },
      ...{ uniqueBytes, sharedBytes: 20 },
    });
    expect(await repositoryUsage(restic, { signal })).toEqual({
      engine: 'restic',
      volumes: [volume('a', 50), volume('b', 30)],
      ...{ referencedBytes: 100, sharedBytes: 20, reclaimableBytes: 1536 },
    });
    expect(runs.filter(({ args }) => args.startsWith('stats'))).toHaveLength(5);
  });

  it('counts a single volume once', async () => {
    const { restic, runs } = engineSaying({ snapshots: { stdout: snapshotsOf('a', 'a') }, stats: statsOf(100) });
    expect((await repositoryUsage(restic, { signal })).volumes).toMatchObject([{ uniqueBytes: 100, sharedBytes: 0 }]);
    expect(runs.filter(({ args }) => args.startsWith('stats'))).toHaveLength(1);
  });
});
