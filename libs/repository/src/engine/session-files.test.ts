import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AzureLocation, GcpLocation, ResolvedLocation } from '@lateen/storage-location';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openResticSession } from '../restic/restic-session.ts';
import type { EngineRun } from './engine-process.ts';
import { openKopiaSession } from './kopia-session.ts';

const common = { name: 'default', bucket: 'b', prefix: 'p', readOnly: false };
const gcp: GcpLocation = {
  ...common,
  provider: 'gcp',
  credentials: { kind: 'serviceAccount', json: '{"key":"google-secret-1"}', email: 'e', privateKey: 'google-secret-1' },
};
const azure: AzureLocation = {
  ...common,
  provider: 'azure',
  storageAccount: 'acct',
  storageDomain: 'blob.core.windows.net',
  tls: true,
  credentials: { kind: 'accountKey', accountKey: 'azure-secret-1' },
};
const secrets = /google-secret-1|azure-secret-1|client-secret-1|pass-word-1/;

let root: string;
const below = async (name: string) => (await readdir(join(root, name), { recursive: true })).sort();

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lateen-session-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function opening(location: ResolvedLocation, environment: Record<string, string> = {}) {
  const runs: EngineRun[] = [];
  const options = {
    workDirectory: join(root, 'work'),
    secretsDirectory: join(root, 'memory'),
    environment,
    process: {
      run: async (run: EngineRun) => {
        runs.push(run);
        return { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
      },
    },
  };
  const target = { location, volumeNamespace: 'shop', password: 'pass-word-1', uid: 'U', cacheLimitMB: 10 };
  return { runs, kopia: () => openKopiaSession(target, options), restic: () => openResticSession(target, options) };
}

describe('the files of a session', () => {
  it('contain a Google key only in memory-backed storage, for kopia', async () => {
    const { kopia, runs } = opening(gcp);
    const session = await kopia();
    await session.run(['snapshot', 'list']);
    const file = String(session.storage.config.credentialsFile);
    expect(file.startsWith(join(root, 'memory'))).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('{"key":"google-secret-1"}');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect(runs[0]?.args.join(' ')).not.toMatch(secrets);
    expect(JSON.stringify(session.storage)).not.toMatch(secrets);
    expect(session.redact('x google-secret-1')).toBe('x ***');
    const work = await below('work');
    expect(work.filter((name) => name.endsWith('.conf') || name.endsWith('.json'))).toEqual([]);
    await session.close();
    expect([await below('memory'), await below('work')]).toEqual([['udmrepo'], ['udmrepo']]);
  });

  it('pass a Google key to restic through an environment variable', async () => {
    const { restic, runs } = opening(gcp);
    const session = await restic();
    await session.run(['snapshots']);
    const file = runs[0]?.env.GOOGLE_APPLICATION_CREDENTIALS ?? '';
    expect(await readFile(file, 'utf8')).toContain('google-secret-1');
    expect(runs[0]?.env.RESTIC_REPOSITORY).toBe('gs:b:/p/restic/shop');
    await session.close();
    expect([await below('memory'), await below('work')]).toEqual([['restic'], ['restic']]);
  });

  it('contain an Azure key in the config file of kopia, and in no file for restic', async () => {
    const { kopia, restic, runs } = opening(azure);
    const session = await kopia();
    await session.run(['snapshot', 'list']);
    const config = (await below('memory')).filter((name) => name.endsWith('.conf'));
    expect(config).toHaveLength(1);
    const text = await readFile(join(root, 'memory', config[0] ?? ''), 'utf8');
    expect(JSON.parse(text).storage).toEqual({
      type: 'azureBlob',
      config: {
        container: 'b',
        prefix: 'p/kopia/shop/',
        storageAccount: 'acct',
        storageDomain: 'blob.core.windows.net',
        storageKey: 'azure-secret-1',
      },
    });
    expect(runs[0]?.args.join(' ')).not.toMatch(secrets);
    await session.close();
    const other = await restic();
    await other.run(['snapshots']);
    expect(runs[1]?.env).toMatchObject({
      RESTIC_REPOSITORY: 'azure:b:/p/restic/shop',
      AZURE_ACCOUNT_NAME: 'acct',
      AZURE_ACCOUNT_KEY: 'azure-secret-1',
    });
    expect(runs[1]?.args.join(' ')).not.toMatch(secrets);
    await other.close();
    expect(await below('memory')).toEqual(['restic', 'udmrepo']);
  });

  it('add the CA of the location to the CAs that are already trusted', async () => {
    const own = join(root, 'own.pem');
    await writeFile(own, 'OWN\n');
    const { kopia, runs } = opening({ ...gcp, caPem: 'THEIRS' }, { SSL_CERT_FILE: own });
    const session = await kopia();
    await session.run(['snapshot', 'list']);
    expect(await readFile(runs[0]?.env.SSL_CERT_FILE ?? '', 'utf8')).toBe('THEIRS\nOWN\n');
    await session.close();
  });

  it('are removed when one of them cannot be written', async () => {
    const { kopia } = opening({ ...gcp, caPem: 'THEIRS' }, { SSL_CERT_FILE: join(root, 'missing.pem') });
    await expect(kopia()).rejects.toThrow(/missing\.pem/);
    expect([await below('memory'), await below('work')]).toEqual([['udmrepo'], ['udmrepo']]);
  });

  it.each<[string, AzureLocation]>([
    ['another cloud', { ...azure, storageDomain: 'blob.core.chinacloudapi.cn' }],
    [
      'a service principal',
      {
        ...azure,
        credentials: {
          kind: 'clientSecret',
          tenantId: 't',
          clientId: 'c',
          clientSecret: 'client-secret-1',
          authority: 'a',
        },
      },
    ],
  ])('are not created for restic on Azure with %s, which restic does not support', async (_, location) => {
    await expect(opening(location).restic()).rejects.toMatchObject({ code: 'LOCATION_UNSUPPORTED' });
    expect(await readdir(root)).toEqual([]);
  });
});

describe('the directory for secrets', () => {
  it('is a subdirectory of the memory-backed directory that the environment names', async () => {
    const target = { location: gcp, volumeNamespace: 'shop', password: 'pass-word-1', uid: 'U', cacheLimitMB: 10 };
    const session = await openKopiaSession(target, {
      workDirectory: join(root, 'work'),
      environment: { LATEEN_SECRETS_DIR: join(root, 'mounted') },
      process: { run: () => Promise.reject(new Error('not part of this test')) },
    });
    expect(String(session.storage.config.credentialsFile).startsWith(join(root, 'mounted', 'lateen', 'udmrepo'))).toBe(
      true,
    );
    await session.close();
    expect(await below('mounted')).toEqual(['lateen', 'lateen/udmrepo']);
  });
});
