import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineExit, EngineRun } from '../engine/engine-process.ts';
import { initialiseRepository } from './initialise-repository.ts';

const prefix = 'p/kopia/shop/';
const password = 'pass-word-1';
let workDirectory: string;

beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'lateen-initialise-'));
});
afterEach(() => rm(workDirectory, { recursive: true, force: true }));

/** A bucket in memory. */
function bucketOf(blobs: Record<string, string>): ObjectStore {
  const refuse = () => Promise.reject(new Error('not part of this test'));
  return {
    listCommonPrefixes: refuse,
    exists: refuse,
    read: () => {
      throw new Error('not part of this test');
    },
    write: refuse,
    endAbandonedWrites: refuse,
    signedUrl: refuse,
    close: async () => {},
    delete: async (key) => {
      delete blobs[key];
    },
    list: async function* (under) {
      for (const key of Object.keys(blobs)) if (key.startsWith(under)) yield { key, sizeBytes: 1 };
    },
    get: async (key) => {
      const text = blobs[key];
      if (text === undefined) throw new AppError('OBJECT_NOT_FOUND', key);
      return new TextEncoder().encode(text);
    },
    put: async (key, body) => {
      blobs[key] = new TextDecoder().decode(body);
    },
  };
}

/** Runs the initialisation on a bucket with a fake kopia whose answers depend on the first words of a command. */
function initialise(
  blobs: Record<string, string>,
  given: { kopia?: Record<string, Partial<EngineExit>>; readOnly?: boolean; owner?: string } = {},
) {
  const runs: EngineRun[] = [];
  const session = {
    workDirectory,
    environment: { PATH: '/bin' },
    process: {
      run: async (run: EngineRun): Promise<EngineExit> => {
        runs.push(run);
        const command = run.args.slice(0, 2).join(' ');
        const exit = {
          exitCode: 0,
          endedBy: undefined,
          stderr: '',
          aborted: false,
          stdout: `{"owner":"${given.owner ?? 'default@default'}"}`,
        };
        const scripted = { ...exit, ...given.kopia?.[command] };
        if (command === 'repository create' && scripted.exitCode === 0)
          blobs[`${prefix}kopia.repository`] = '{"uniqueID":"abc="}';
        return scripted;
      },
    },
  };
  const target = {
    location: {
      provider: 's3' as const,
      name: 'default',
      bucket: 'b',
      prefix: 'p',
      region: 'r',
      endpoint: 'h',
      tls: true,
      verifyTls: true,
      pathStyle: true,
      readOnly: given.readOnly ?? false,
      credentials: { accessKeyId: 'AKIA-1', secretAccessKey: 'secret-key-1' },
    },
    volumeNamespace: 'shop',
    password,
    uid: 'U-1',
    cacheLimitMB: 10,
  };
  const outcome = initialiseRepository(target, {
    store: bucketOf(blobs),
    session,
    signal: new AbortController().signal,
  });
  return { outcome, runs, commands: () => runs.map(({ args }) => args.slice(0, 2).join(' ')) };
}

describe('initialiseRepository', () => {
  it('creates the repository, sets the policy, and writes the marker last', async () => {
    const blobs: Record<string, string> = {};
    const { outcome, runs, commands } = initialise(blobs);
    expect(await outcome).toBe('created');
    expect(commands()).toEqual(['repository create', 'policy set']);
    expect(blobs[`${prefix}udmrepo.Repository`]).toBe('{"uniqueID":"abc="}');
    const token = JSON.parse(Buffer.from(String(runs[0]?.stdin), 'base64url').toString());
    expect(token).toMatchObject({ version: '1', storage: { type: 's3', config: { bucket: 'b', prefix } } });
  });

  it('passes secrets to kopia only through the environment, and leaves no file', async () => {
    const { outcome, runs } = initialise({});
    await outcome;
    for (const { args, stdin, env } of runs) {
      expect([...args, stdin].join(' ')).not.toMatch(/pass-word-1|AKIA-1|secret-key-1/);
      expect(Buffer.from(String(stdin ?? ''), 'base64url').toString()).not.toMatch(/pass-word-1|AKIA-1|secret-key-1/);
      expect(env).toMatchObject({ KOPIA_PASSWORD: password, AWS_SECRET_ACCESS_KEY: 'secret-key-1', PATH: '/bin' });
    }
    expect(await readdir(join(workDirectory, 'udmrepo'))).toEqual([]);
  });

  it('completes an interrupted initialisation: a repository without a marker is adopted', async () => {
    const blobs: Record<string, string> = {};
    const broken = initialise(blobs, { kopia: { 'policy set': { exitCode: 1, stderr: 'no luck' } } });
    await expect(broken.outcome).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    expect(blobs[`${prefix}udmrepo.Repository`]).toBeUndefined();
    const again = initialise(blobs);
    expect(await again.outcome).toBe('adopted');
    expect(again.commands()).toEqual(['maintenance info', 'policy set']);
  });

  it('starts again when a creation was interrupted before the format blob was written', async () => {
    const blobs: Record<string, string> = { [`${prefix}kopia.blobcfg`]: 'x' };
    const { outcome } = initialise(blobs);
    expect(await outcome).toBe('created');
    expect(Object.keys(blobs)).not.toContain(`${prefix}kopia.blobcfg`);
  });

  it('takes over maintenance from the previous owner', async () => {
    const blobs = { [`${prefix}kopia.repository`]: '{"uniqueID":"abc="}' };
    const { outcome, runs } = initialise(blobs, { owner: 'me@laptop' });
    expect(await outcome).toBe('adopted');
    const set = runs.find(({ args }) => args[1] === 'set' && args[0] === 'maintenance');
    expect(set?.args).toContain('--owner=default@default');
  });

  it('writes nothing to a read-only location', async () => {
    const blobs = { [`${prefix}kopia.repository`]: '{"uniqueID":"abc="}' };
    const { outcome, commands } = initialise(blobs, { readOnly: true, owner: 'me@laptop' });
    expect(await outcome).toBe('opened');
    expect(commands()).toEqual(['maintenance info']);
    expect(Object.keys(blobs)).toEqual([`${prefix}kopia.repository`]);
  });

  it.each([['{}'], ['not json'], ['{"uniqueID":7}']])(
    'reports a format blob with content %j as corrupted',
    async (text) => {
      await expect(initialise({ [`${prefix}kopia.repository`]: text }).outcome).rejects.toMatchObject({
        code: 'REPOSITORY_CORRUPTED',
      });
    },
  );

  it('reports a wrong password as such', async () => {
    const blobs = {
      [`${prefix}kopia.repository`]: '{"uniqueID":"a"}',
      [`${prefix}udmrepo.Repository`]: '{"uniqueID":"a"}',
    };
    const kopia = { 'maintenance info': { exitCode: 1, stderr: 'open repository: invalid repository password' } };
    await expect(initialise(blobs, { kopia }).outcome).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
  });
});
