import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Location } from '@lateen/storage-location';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineExit, EngineRun } from '../engine/engine-process.ts';
import { openResticSession } from './restic-session.ts';

const location: S3Location = {
  provider: 's3',
  name: 'default',
  bucket: 'b',
  prefix: 'p',
  region: 'r1',
  endpoint: 'store.test:9000',
  tls: true,
  verifyTls: true,
  pathStyle: true,
  readOnly: false,
  credentials: { accessKeyId: 'AKIA-1', secretAccessKey: 'secret-key-1', sessionToken: 'token-1' },
};
const password = 'pass-word-1';
const good: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
let workDirectory: string;

beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'lateen-restic-'));
});
afterEach(() => rm(workDirectory, { recursive: true, force: true }));

async function open(more: Partial<S3Location> = {}, options: { cacheDirectory?: string } = {}) {
  const runs: EngineRun[] = [];
  const session = await openResticSession(
    { location: { ...location, ...more }, volumeNamespace: 'shop', password, uid: 'U', cacheLimitMB: 10 },
    {
      workDirectory,
      environment: {
        PATH: '/bin',
        TMPDIR: '/elsewhere',
        HOME: '/root',
        RESTIC_PASSWORD_COMMAND: 'rm',
        HTTPS_PROXY: '',
        https_proxy: 'p',
      },
      runtime: { memoryLimitBytes: 1000.5 },
      ...options,
      process: {
        run: async (run) => {
          runs.push(run);
          return good;
        },
      },
    },
  );
  return { session, runs };
}

describe('openResticSession', () => {
  it('passes secrets to restic only through the environment, and nothing else of the own environment', async () => {
    const { session, runs } = await open();
    await session.run(['snapshots', '--json'], { cwd: '/uid' });
    const [{ args, env, cwd } = { args: [], env: {}, cwd: '' }] = runs;
    expect(cwd).toBe('/uid');
    expect(args).toEqual(['snapshots', '--json', '--option=s3.bucket-lookup=path']);
    const [directory] = await readdir(join(workDirectory, 'restic'));
    const home = join(workDirectory, 'restic', directory ?? '');
    expect(env).toEqual({
      PATH: '/bin',
      HTTPS_PROXY: 'p',
      HOME: home,
      TMPDIR: home,
      RESTIC_REPOSITORY: 's3:https://store.test:9000/b/p/restic/shop',
      RESTIC_PASSWORD: password,
      RESTIC_CACHE_DIR: join(home, 'cache'),
      RESTIC_PROGRESS_FPS: '2',
      AWS_ACCESS_KEY_ID: 'AKIA-1',
      AWS_SECRET_ACCESS_KEY: 'secret-key-1',
      AWS_SESSION_TOKEN: 'token-1',
      AWS_DEFAULT_REGION: 'r1',
      GOMEMLIMIT: '1000B',
    });
    await session.close();
    expect(await readdir(join(workDirectory, 'restic'))).toEqual([]);
  });

  it('configures access to the location with flags, and writes no lock to a read-only location', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    const more = { pathStyle: false, verifyTls: false, readOnly: true, caPem: pem };
    const { session, runs } = await open(more, { cacheDirectory: '/cache' });
    await session.run(['cat', 'config']);
    const args = runs[0]?.args ?? [];
    const ca = args.find((arg) => arg.startsWith('--cacert='))?.slice('--cacert='.length) ?? '';
    expect(args).toEqual([
      'cat',
      'config',
      '--option=s3.bucket-lookup=dns',
      '--insecure-tls',
      '--no-lock',
      `--cacert=${ca}`,
    ]);
    expect(await readFile(ca, 'utf8')).toBe(pem);
    expect(runs[0]?.env.RESTIC_CACHE_DIR).toBe('/cache');
    await session.close();
  });

  it('limits its rates on every command in whole KiB per second, and never passes 0, which means unlimited', async () => {
    const { session, runs } = await open({ uploadBytesPerSecond: 10_000, downloadBytesPerSecond: 1_024 });
    await session.run(['backup', '.']);
    await session.run(['cat', 'config']);
    for (const { args } of runs) {
      expect(args.slice(-2)).toEqual(['--limit-upload=9', '--limit-download=1']);
    }
    await session.close();
  });

  it.each([
    ['Fatal: wrong password or no key found', 'REPOSITORY_PASSWORD_WRONG'],
    [
      'Fatal: unable to open config file: Stat: The specified key does not exist.\nIs there a repository at the following location?\ns3:x',
      'REPOSITORY_NOT_FOUND',
    ],
    [
      'Fatal: unable to open config file: Stat: The specified bucket does not exist.\nIs there a repository at the following location?\ns3:x',
      'BUCKET_NOT_FOUND',
    ],
    [
      'Fatal: unable to open config file: Stat: Access Denied.\nIs there a repository at the following location?\ns3:x',
      'OBJECT_STORE_FORBIDDEN',
    ],
    [
      'unable to open config file: dial tcp 127.0.0.1:1: connect: connection refused\nIs there a repository at the following location?',
      'OBJECT_STORE_UNAVAILABLE',
    ],
    ['unable to create lock in backend: repository is already locked by PID 7 on h by root', 'REPOSITORY_LOCKED'],
    ['Fatal: config or key 1 is damaged: ciphertext verification failed', 'REPOSITORY_CORRUPTED'],
    ['panic: something new', 'ENGINE_FAILED'],
  ])('maps %j to %s, without secrets', async (stderr, code) => {
    const { session } = await open();
    const error = session.failure(
      { ...good, exitCode: 1, stderr: `${stderr} pass-word-1 secret-key-1 token-1` },
      'trying',
    );
    expect(error).toMatchObject({ code, message: expect.stringMatching(/^trying: /) });
    expect(error.message).not.toMatch(/pass-word-1|secret-key-1|token-1/);
    await session.close();
  });
});
