import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BackupRepository,
  backupRepositoryType,
  backupStorageLocationType,
  jobType,
  podType,
  repositoryCredentials,
  secretType,
} from '@lateen/api-types';
import { createWorkload, deleteNamespace, podName, podShell, pvcName, volumePath, waitForPod } from '@lateen/demo';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { keyOf, listAll } from '@lateen/kube';
import { s3Store } from '@lateen/object-store-s3';
import { type RepositoryType, readyBackupRepository } from '@lateen/repository';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

/**
 * The commands for repositories on a real cluster: Jobs from the controller's pod template, kopia and restic on a real S3 server, progress
 * and results from the log of a pod.
 */
const root = join(import.meta.dirname, '..', '..', '..');
const volumeNamespace = `repo-${systemRandom.suffix(5)}`;
const newPassword = `new-${systemRandom.uuid()}`;
const timeoutMs = 120_000;
const fileBytes = 3_000_000;

let lateen: LateenUnderTest;
let directory: string;
const repositories = new Map<RepositoryType, BackupRepository>();

beforeAll(async () => {
  lateen = await lateenUnderTest();
  directory = await mkdtemp(join(tmpdir(), 'lateen-repo-'));
  const signal = AbortSignal.any([]);
  const wait = { clock: systemClock, random: systemRandom, log: silentLogger, timeoutMs, signal };
  const { kube, image, storageClass } = lateen;
  const workload = { namespace: volumeNamespace, image, storageClass, volumeSize: '128Mi', withPvc: true };
  await createWorkload(kube, workload, signal);
  for (const type of ['kopia', 'restic'] as const) {
    const key = { namespace: lateen.veleroNamespace, volumeNamespace, location: 'default', type };
    repositories.set(type, await readyBackupRepository(lateen.kube, key, wait));
  }
  await waitForPod(kube, volumeNamespace, systemClock, systemClock.deadline(timeoutMs));
  const shell = podShell({ ...lateen, namespace: volumeNamespace, pod: podName, signal });
  await shell.run(['sh', '-c', `head -c ${fileBytes} /dev/urandom > ${volumePath}/file; sync`]);
}, 2 * timeoutMs);

afterAll(async () => {
  await deleteNamespace(lateen.kube, volumeNamespace, systemClock, AbortSignal.any([]));
  for (const each of repositories.values()) await lateen.kube.delete(backupRepositoryType, keyOf(each));
  await rm(directory, { recursive: true });
  await lateen.kube.close();
});

const nameOf = (type: RepositoryType): string => repositories.get(type)?.metadata.name ?? '';

async function cli(...words: string[]) {
  const flags = ['--kubeconfig', lateen.kubeconfig, '-n', lateen.veleroNamespace, 'repo', ...words];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [join(root, 'apps/cli/src/main.ts'), ...flags], {
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode, stdout, stderr };
}

async function nothingLeft() {
  const { kube, veleroNamespace: namespace } = lateen;
  const labelSelector = `velero.io/repo-name in (${nameOf('kopia')},${nameOf('restic')}),lateen.dev/repository-operation notin (maintain)`;
  const jobs = await listAll(kube, jobType, { namespace, labelSelector });
  expect(jobs.items.map(({ metadata }) => metadata.name)).toEqual([]);
  const pods = await listAll(kube, podType, { namespace, labelSelector });
  expect(pods.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
}

describe('lateen repo on a real cluster', () => {
  it.each(['kopia', 'restic'] as const)(
    'a new %s repository is listed, intact, and empty',
    async (type) => {
      const name = nameOf(type);
      expect((await cli('get', name)).stdout).toMatch(new RegExp(`${name} +Ready +\\d{4}-`));
      const check = await cli('check', name, '--read-data=50');
      expect(check).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${name}: no damage found`) });
      expect(await cli('usage', name)).toMatchObject({ exitCode: 0, stdout: 'Nothing is stored there.' });
      await nothingLeft();
    },
    2 * timeoutMs,
  );

  it(
    'repositories can be maintained and unlocked',
    async () => {
      const maintained = await cli('maintain', nameOf('kopia'), '--full', '-o', 'json');
      expect(maintained).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(maintained.stdout)).toMatchObject({
        repository: nameOf('kopia'),
        engine: 'kopia',
        mode: 'full',
      });
      expect(await cli('unlock', nameOf('restic'))).toMatchObject({
        exitCode: 0,
        stdout: `${nameOf('restic')}: there were no locks`,
      });
      await nothingLeft();
    },
    timeoutMs,
  );

  it(
    'the password can be changed, and changed back; everything works with each, and no output has it',
    async () => {
      const key = { namespace: lateen.veleroNamespace, name: repositoryCredentials.name };
      const password = async () => {
        const { data = {} } = await lateen.kube.get(secretType, key);
        return Buffer.from(data[repositoryCredentials.key] ?? '', 'base64')
          .toString()
          .trim();
      };
      const before = await password();
      const skipped = await ofOthers();
      for (const next of [newPassword, before]) {
        const path = join(directory, 'password');
        await writeFile(path, `${next}\n`, { mode: 0o600 });
        const changed = await cli('change-password', '--password-file', path, '--confirm', ...skipped);
        expect(changed.exitCode, changed.stderr).toBe(0);
        expect(changed.stdout).toContain('repositories have the new password');
        expect(JSON.stringify(changed)).not.toContain(next);
        expect(await password()).toBe(next);
        for (const type of ['kopia', 'restic'] as const)
          expect(await cli('check', nameOf(type))).toMatchObject({ exitCode: 0 });
      }
      await nothingLeft();
    },
    4 * timeoutMs,
  );

  it.each(['kopia', 'restic'] as const)(
    'the usage of a volume in a %s repository is reported, and damage is found',
    async (type) => {
      const { kube, kubeconfig, veleroNamespace } = lateen;
      const config = `UploaderType=${type}`;
      const words = ['volume', 'upload', `${volumeNamespace}/${pvcName}`, '--data-mover-config', config];
      const program = [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', kubeconfig, '-n', veleroNamespace, ...words];
      const { exitCode, stderr } = await execa(process.execPath, program, { reject: false, stdin: 'ignore' });
      expect(exitCode, stderr).toBe(0);

      const usage = await cli('usage', nameOf(type), '-o', 'json');
      expect(usage).toMatchObject({ exitCode: 0 });
      const {
        repositories: [used],
        totals,
      } = JSON.parse(usage.stdout);
      expect(used.volumes).toMatchObject([
        { namespace: volumeNamespace, persistentVolumeClaim: pvcName, snapshots: 1, sharedBytes: 0 },
      ]);
      expect(used.volumes[0].uniqueBytes).toBeGreaterThan(fileBytes);
      expect(used.volumes[0].uniqueBytes).toBeLessThan(2 * fileBytes);
      expect(totals.snapshots).toBe(1);
      expect(await cli('check', nameOf(type), '--read-data')).toMatchObject({ exitCode: 0 });

      await loseLargestObject(type);
      const check = await cli('check', nameOf(type));
      expect(check).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is damaged') });
      expect(check.stdout).toContain('DAMAGED');
      await kube.delete(backupRepositoryType, keyOf(repositories.get(type) as BackupRepository));
      repositories.delete(type);
    },
    4 * timeoutMs,
  );

  it('an impossible task is reported with its cause', async () => {
    expect(await cli('check', 'nobody-default-kopia')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no backup repository "nobody-default-kopia"'),
    });
  });
});

/** Deletes the largest object of a repository, which is a pack of data. */
async function loseLargestObject(type: RepositoryType): Promise<void> {
  const { kube, cluster, veleroNamespace: namespace } = lateen;
  if (cluster === undefined) throw new Error('the tests have no cluster of their own');
  const { spec } = await kube.get(backupStorageLocationType, { namespace, name: 'default' });
  const { bucket, region, accessKey: accessKeyId, secretKey: secretAccessKey, endpointForHost } = cluster.s3;
  const { host, protocol } = new URL(endpointForHost);
  const place = { bucket, region, endpoint: host, tls: protocol === 'https:', verifyTls: true, pathStyle: true };
  const store = s3Store({ ...place, credentials: { accessKeyId, secretAccessKey } });
  const { prefix = '' } = spec.objectStorage ?? {};
  let largest = { key: '', sizeBytes: 0 };
  for await (const each of store.list(`${prefix === '' ? '' : `${prefix}/`}${type}/${volumeNamespace}/`))
    if (each.sizeBytes > largest.sizeBytes) largest = each;
  await store.delete(largest.key);
  await store.close();
}

/**
 * Repositories of other tests: the command fails at one that cannot be opened, and its status does not show that until the controller has
 * checked again.
 */
async function ofOthers(): Promise<string[]> {
  const own = [nameOf('kopia'), nameOf('restic')];
  const { items } = await listAll(lateen.kube, backupRepositoryType, { namespace: lateen.veleroNamespace });
  const names = items.map(({ metadata }) => metadata.name ?? '').filter((name) => !own.includes(name));
  return names.flatMap((name) => ['--skip', name]);
}
