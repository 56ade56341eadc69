import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  annotations,
  type Backup,
  type BackupStorageLocation,
  backupRepositoryType,
  backupStorageLocationType,
  backupType,
} from '@lateen/api-types';
import { aBackupRepository, aBackupStorageLocation, testCertificates } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDefinitions, untilServed } from './apply-definitions.ts';
import { describeWithApiServer } from './with-api-server.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');

/** The command line as in a shell, against the real server and the real definitions. */
await describeWithApiServer('lateen backup-location on a real kube-apiserver', (under) => {
  let namespace = '';
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lateen-api-'));
    await writeFile(join(folder, 'ca.pem'), testCertificates().ca);
    namespace = await under.namespace();
    await applyDefinitions(under.kube);
    for (const type of [backupStorageLocationType, backupType, backupRepositoryType])
      await untilServed(under.kube, type);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const lateen = async (...words: string[]) => {
    const args = [main, '--kubeconfig', under.server.kubeconfig, '-n', namespace, ...words];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { stdin: 'ignore', reject: false });
    return { code: exitCode, stdout, stderr };
  };
  const locations = async () => (await under.kube.list(backupStorageLocationType, { namespace })).items;
  const locationNamed = (name: string) => under.kube.get(backupStorageLocationType, { namespace, name });
  const defaults = async () =>
    (await locations()).filter(({ spec }) => spec.default === true).map(({ metadata }) => metadata.name);
  const create = (name: string, ...more: string[]) =>
    lateen('backup-location', 'create', name, '--provider', 'aws', '--bucket', 'backups', ...more);

  it('creates, lists, changes and deletes locations', async () => {
    const flags = ['--prefix', 'p', '--config', 'region=eu', '--labels', 'tier=one', '--validation-frequency', '90m'];
    const created = await create('first', ...flags, '--cacert', join(folder, 'ca.pem'), '--default');
    expect(created).toEqual({
      code: 0,
      stdout: 'Backup storage location "first" configured successfully.',
      stderr: '',
    });
    expect((await locationNamed('first')).spec).toEqual({
      provider: 'aws',
      objectStorage: {
        bucket: 'backups',
        prefix: 'p',
        caCert: Buffer.from(testCertificates().ca).toString('base64'),
      },
      config: { region: 'eu' },
      accessMode: 'ReadWrite',
      validationFrequency: '90m',
      default: true,
    });

    expect((await create('second', '--default')).code).toBe(0);
    expect(await defaults()).toEqual(['second']);
    const set = await lateen('backup-location', 'set', '--default', 'first', '--cacert=', '--config', 'region=');
    expect(set).toMatchObject({ code: 0, stderr: '' });
    expect(await defaults()).toEqual(['first']);
    expect((await locationNamed('first')).spec).toMatchObject({ objectStorage: { bucket: 'backups', prefix: 'p' } });
    expect((await locationNamed('first')).spec.objectStorage.caCert).toBeUndefined();

    const { stdout: table } = await lateen('get', 'backup-locations');
    expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'PROVIDER', 'BUCKET/PREFIX', 'PHASE', 'LAST VALIDATED', 'ACCESS MODE', 'DEFAULT'],
      ['first', 'aws', 'backups/p', 'Unknown', 'Unknown', 'ReadWrite', 'true'],
      ['second', 'aws', 'backups', 'Unknown', 'Unknown', 'ReadWrite'],
    ]);

    const labels = { 'velero.io/storage-location': 'first' };
    const backup: Backup = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'monday', namespace, labels },
      spec: {},
    };
    await under.kube.create(backupType, backup);
    await under.kube.create(backupRepositoryType, aBackupRepository({ metadata: { name: 'app', namespace, labels } }));
    expect(await lateen('backup-location', 'delete', 'first', '--confirm')).toMatchObject({
      code: 0,
      stdout:
        'Backup storage location "first" deleted successfully.\nDeleted with it: 1 Backup and 1 BackupRepository.',
    });
    expect((await under.kube.list(backupType, { namespace })).items).toEqual([]);
    expect((await under.kube.list(backupRepositoryType, { namespace })).items).toEqual([]);
    expect((await locations()).map(({ metadata }) => metadata.name)).toEqual(['second']);
  });

  it('leaves exactly one default when several users move it at the same time', async () => {
    const names = ['r1', 'r2', 'r3', 'r4'];
    for (const name of names) {
      const location = aBackupStorageLocation({ metadata: { name, namespace } });
      await under.kube.create(backupStorageLocationType, location);
    }
    const ran = await Promise.all(names.map((name) => lateen('backup-location', 'set', name, '--default')));
    const [left = '', ...more] = await defaults();
    expect(more).toEqual([]);
    expect(ran[names.indexOf(left)]).toMatchObject({ code: 0, stderr: '' });
  });

  it('reports errors in the server\u2019s words, with exit code 1', async () => {
    await create('taken');
    expect(await create('taken')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'An error occurred: backupstoragelocations.velero.io "taken" already exists',
    });
    expect(await lateen('backup-location', 'get', 'nothing')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'An error occurred: backupstoragelocations.velero.io "nothing" not found',
    });
  });

  it('completes the names of locations, and prints nothing when no server answers', async () => {
    await create('completed-one');
    await create('completed-two', '--access-mode', 'ReadOnly');
    const complete = async (kubeconfig: string) => {
      const args = [
        main,
        '__complete',
        '--kubeconfig',
        kubeconfig,
        '-n',
        namespace,
        'backup-location',
        'get',
        'completed-',
      ];
      const { exitCode, stdout, stderr } = await execa(process.execPath, args, { stdin: 'ignore', reject: false });
      return { code: exitCode, stdout: stdout.split('\n'), stderr };
    };
    expect(await complete(under.server.kubeconfig)).toEqual({
      code: 0,
      stdout: ['completed-one\tUnknown', 'completed-two\tUnknown', ':4'],
      stderr: '',
    });
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const elsewhere = join(folder, 'elsewhere');
    const named = (kind: string, value: object) => ({ [`${kind}s`]: [{ name: 'x', [kind]: value }] });
    const config = {
      'current-context': 'x',
      ...named('context', { cluster: 'x' }),
      ...named('cluster', { server: `http://127.0.0.1:${port}` }),
    };
    await writeFile(elsewhere, JSON.stringify(config));
    expect(await complete(elsewhere)).toEqual({ code: 0, stdout: [':4'], stderr: '' });
    silent.close();
  });

  it('waits for the first validation, which the server can write with the real definitions', async () => {
    const waiting = create('waited', '--wait');
    const status = { phase: 'Unavailable', message: 'BackupStorageLocation "waited" is unavailable: no such bucket' };
    await expect
      .poll(() => locationNamed('waited').catch(() => undefined), { timeout: 100_000 })
      .toMatchObject({ metadata: { name: 'waited' } } satisfies Partial<BackupStorageLocation>);
    const { metadata } = await locationNamed('waited');
    const marks = {
      [annotations.validatedSpec]: 'a hash',
      [annotations.validationAnswered]: metadata.annotations?.[annotations.validationRequested],
    };
    const patch = { type: 'merge', body: { metadata: { annotations: marks }, status } } as const;
    await under.kube.patch(backupStorageLocationType, { namespace, name: 'waited' }, patch);
    const { code, stderr } = await waiting;
    expect(code).toBe(1);
    expect(stderr).toMatch(/An error occurred: BackupStorageLocation "waited" is unavailable: no such bucket$/);
  });
});
