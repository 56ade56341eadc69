import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStore } from '@lateen/object-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineExit } from '../engine/engine-process.ts';
import { initialiseResticRepository } from './initialise-restic.ts';

const prefix = 'p/restic/shop/';
let workDirectory: string;

beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'lateen-restic-'));
});
afterEach(() => rm(workDirectory, { recursive: true, force: true }));

/** Runs the initialisation on a bucket with these keys, and a restic that ends with `exit`. */
function initialise(keys: string[], given: { exit?: Partial<EngineExit>; readOnly?: boolean } = {}) {
  const bucket = new Set(keys);
  const runs: string[][] = [];
  const refuse = () => Promise.reject(new Error('not part of this test'));
  const store: ObjectStore = {
    listCommonPrefixes: refuse,
    get: refuse,
    put: refuse,
    read: () => {
      throw new Error('not part of this test');
    },
    write: refuse,
    endAbandonedWrites: refuse,
    signedUrl: refuse,
    close: async () => {},
    exists: async (key) => bucket.has(key),
    delete: async (key) => {
      bucket.delete(key);
    },
    list: async function* (under) {
      for (const key of bucket) if (key.startsWith(under)) yield { key, sizeBytes: 1 };
    },
  };
  const outcome = initialiseResticRepository(
    {
      location: {
        provider: 's3',
        name: 'default',
        bucket: 'b',
        prefix: 'p',
        region: '',
        endpoint: 'h',
        tls: true,
        verifyTls: true,
        pathStyle: true,
        readOnly: given.readOnly ?? false,
        credentials: { accessKeyId: 'AKIA-1', secretAccessKey: 'secret-key-1' },
      },
      volumeNamespace: 'shop',
      password: 'pass-word-1',
      uid: 'U-1',
      cacheLimitMB: 10,
    },
    {
      store,
      signal: new AbortController().signal,
      session: {
        workDirectory,
        environment: {},
        process: {
          run: async ({ args }): Promise<EngineExit> => {
            runs.push(args.filter((arg) => !arg.startsWith('--option')));
            return { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false, ...given.exit };
          },
        },
      },
    },
  );
  return { outcome, runs, bucket };
}

describe('initialiseResticRepository', () => {
  it('creates a repository in an empty location, and returns its ID', async () => {
    const { outcome, runs } = initialise(['p/restic/other/config', 'p/restic/shopping/config']);
    expect(await outcome).toEqual({ outcome: 'created', identifier: 's3:https://h/b/p/restic/shop' });
    expect(runs).toEqual([['init']]);
    expect(await readdir(join(workDirectory, 'restic'))).toEqual([]);
  });

  it('opens an existing repository without a lock', async () => {
    const { outcome, runs } = initialise([`${prefix}config`, `${prefix}keys/a`, `${prefix}data/00/b`]);
    expect(await outcome).toMatchObject({ outcome: 'opened' });
    expect(runs).toEqual([['cat', 'config', '--no-lock']]);
  });

  it('removes the key of an interrupted creation, because restic might open the repository with it', async () => {
    const { outcome, bucket } = initialise([`${prefix}keys/a`, `${prefix}keys/b`]);
    expect(await outcome).toMatchObject({ outcome: 'created' });
    expect([...bucket]).toEqual([]);
  });

  it.each([
    ['a repository without a config', [`${prefix}keys/a`, `${prefix}snapshots/b`]],
    ['another object', [`${prefix}holiday.jpg`]],
    ['more keys than interrupted creations leave', Array.from({ length: 17 }, (_, at) => `${prefix}keys/${at}`)],
  ])('changes nothing when there is %s', async (_, keys) => {
    const { outcome, bucket, runs } = initialise(keys);
    await expect(outcome).rejects.toMatchObject({ code: 'REPOSITORY_LOCATION_NOT_EMPTY' });
    expect([...bucket]).toEqual(keys);
    expect(runs).toEqual([]);
  });

  it('creates nothing in a read-only location', async () => {
    const { outcome, runs } = initialise([], { readOnly: true });
    await expect(outcome).rejects.toMatchObject({ code: 'REPOSITORY_NOT_FOUND' });
    expect(runs).toEqual([]);
    const there = initialise([`${prefix}config`], { readOnly: true });
    expect(await there.outcome).toMatchObject({ outcome: 'opened' });
    expect(there.runs).toEqual([['cat', 'config', '--no-lock']]);
  });

  it('reports a wrong password as such', async () => {
    const exit = { exitCode: 1, stderr: 'Fatal: wrong password or no key found' };
    await expect(initialise([`${prefix}config`], { exit }).outcome).rejects.toMatchObject({
      code: 'REPOSITORY_PASSWORD_WRONG',
    });
  });
});
