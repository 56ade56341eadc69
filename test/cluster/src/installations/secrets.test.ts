import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backupRepositoryType,
  backupStorageLocationType,
  namespaceType,
  podType,
  repositoryCredentials,
} from '@lateen/api-types';
import type { ClusterInfo } from '@lateen/cluster';
import { createWorkload, deleteNamespace, podName, podShell, pvcName, volumePath, waitForPod } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { listAll } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from '../environment/provided-lateen.ts';
import { killProcess, podProcesses } from '../kills/pod-processes.ts';
import { decoys, plantDecoys } from '../secrets/decoys.ts';
import { endOfUpload, killMoverOf } from '../secrets/kill-a-mover.ts';
import { knownValues } from '../secrets/known-values.ts';
import { leakText } from '../secrets/leak-search.ts';
import { awsFile, OwnInstallation } from '../secrets/own-installation.ts';
import { type S3WithAccounts, startS3WithAccounts } from '../secrets/s3-accounts.ts';
import { type WatchedCluster, watchCluster } from '../secrets/watched-cluster.ts';

/**
 * A separate installation, used as users do, with secrets that occur nowhere else. At the end the test searches for each of them in
 * everything that was printed, stored or left. `src/secrets` says where, in which forms, and what is exempt.
 */
const namespace = `secrets-${systemRandom.suffix(5)}`;
const [volumes, restored] = [`${namespace}-volumes`, `${namespace}-restored`];
const bytes = 48_000_000;
const volumeSize = '128Mi';
const waitMs = 120_000;
const signal = AbortSignal.any([]);
const values = knownValues();
const allDecoys = Object.values(decoys);

let lateen: LateenUnderTest;
let cluster: ClusterInfo;
let directory: string;
let s3: S3WithAccounts;
let watched: WatchedCluster;
let own: OwnInstallation;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  if (lateen.cluster === undefined) throw new Error('the tests have no cluster of their own');
  cluster = lateen.cluster;
  directory = await mkdtemp(join(tmpdir(), 'lateen-secrets-'));
  s3 = await startS3WithAccounts({
    cluster,
    accounts: Object.values(values.accounts),
    buckets: ['installed', 'own'],
    dataDirectory: join(directory, 'buckets'),
    accountsDirectory: join(directory, 'given', 'accounts'),
  });
  const secrets = [...values.all, ...allDecoys];
  watched = await watchCluster({ lateen, cluster, secrets, namespaces: [namespace, volumes, restored], directory });
  own = new OwnInstallation({ lateen, namespace, search: watched.search, directory });
});

afterAll(async () => {
  await own?.unsearched('uninstall', '--force');
  await Promise.all([volumes, restored].map((name) => deleteNamespace(lateen.kube, name, systemClock, signal)));
  await watched?.[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
  await lateen.kube.close();
});

const config = () => `region=${cluster.s3.region},s3Url=${s3.url},s3ForcePathStyle=true`;
const done = expect.objectContaining({ exitCode: 0 });
const failed = expect.objectContaining({ exitCode: 1 });

async function installFlags(): Promise<string[]> {
  const secretFile = await own.file('installed', awsFile(values.accounts.install));
  const location = ['--provider=aws', '--bucket=installed', `--backup-location-config=${config()}`];
  return [...location, `--secret-file=${secretFile}`, `--image=${lateen.image}`];
}

/** Names of the repositories of the volume, by engine. */
async function repositoryNames(): Promise<string[]> {
  const { items } = await listAll(lateen.kube, backupRepositoryType, { namespace });
  return items.map(({ metadata }) => metadata.name ?? '').sort();
}

const everyRepository = async (...words: string[]) =>
  await Promise.all((await repositoryNames()).map((name) => own.cli('repo', ...words, name)));

async function untilPhase(location: string, phase: string): Promise<void> {
  await waitForObject({
    api: lateen.kube,
    type: backupStorageLocationType,
    key: { namespace, name: location },
    clock: systemClock,
    signal: systemClock.deadline(waitMs),
    until: (seen) => (seen?.status?.phase === phase ? true : undefined),
  });
}

const setPassword = (password: { value: string }) =>
  own.secret(repositoryCredentials.name, { [repositoryCredentials.key]: password.value });

describe('what users do with secrets', () => {
  it('install prints a Secret only when asked to, and then nowhere else', async () => {
    const flags = await installFlags();
    const [shown, ...others] = await Promise.all([
      own.unsearched('install', ...flags, '-o', 'yaml', '--show-secrets'),
      own.cli('install', ...flags, '--dry-run', '-o', 'yaml'),
      own.cli('install', ...flags, '--dry-run'),
    ]);
    const { exitCode, stdout, stderr } = shown;
    expect(others).toEqual([done, done]);
    const objects = loadAll(stdout) as { kind: string; data?: Record<string, string> }[];
    const printed = objects.filter(({ kind }) => kind === 'Secret').flatMap(({ data = {} }) => Object.values(data));
    const credentials = Buffer.from(awsFile(values.accounts.install)).toString('base64');
    expect([exitCode, printed]).toEqual([0, expect.arrayContaining([credentials])]);
    const rest = printed.reduce((text, value) => text.replaceAll(value, ''), stdout);
    watched.search.text('output', 'of lateen install --show-secrets, without what it has in base64', rest + stderr);
  });

  it('Lateen is installed with an existing password, and with keys', async () => {
    await lateen.kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await setPassword(values.password);
    expect(await own.cli('install', ...(await installFlags()), '--wait')).toEqual(done);
  });

  it('a location with its own keys is created; others report that their keys are wrong', async () => {
    const azure = `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${values.azureKey.value}\nAZURE_CLOUD_NAME=AzurePublicCloud\n`;
    await own.secret('own', { cloud: awsFile(values.accounts.own) });
    await own.secret('wrong', { cloud: awsFile(values.wrongAccount) });
    await own.secret('token', { cloud: awsFile(values.accounts.own, values.token.value) });
    await own.secret('azure', { cloud: azure });
    await own.secret('google', { cloud: values.google.json(`${s3.url}/token`) });
    // Not in the format of the provider: the parser must not repeat what it has read.
    await own.secret('garbled', { cloud: `${values.google.json(s3.url)}}${awsFile(values.accounts.own)}` });
    const s3Flags = ['--provider=aws', '--bucket=own', '--config', config()];
    const keyName = 'storageAccountKeyEnvVar=AZURE_STORAGE_ACCOUNT_ACCESS_KEY';
    const account = ['--credential=azure=cloud', '--config', `storageAccount=lateen,${keyName}`];
    const create = (name: string, secret: string, ...flags: string[]) =>
      own.cli('backup-location', 'create', name, ...flags, '--credential', `${secret}=cloud`, '--wait');
    expect(
      await Promise.all([
        create('own', 'own', ...s3Flags),
        create('wrong', 'wrong', ...s3Flags, '--prefix=wrong'),
        create('token', 'token', ...s3Flags, '--prefix=token'),
        create('garbled', 'garbled', ...s3Flags, '--prefix=garbled'),
        create('google', 'google', '--provider=gcp', '--bucket=backups'),
        // It retries for half a minute; its state is checked later.
        own.cli('backup-location', 'create', 'azure', '--provider=azure', '--bucket=backups', ...account),
        create('garbled-google', 'garbled', '--provider=gcp', '--bucket=backups'),
      ]),
    ).toEqual([done, failed, failed, failed, failed, done, failed]);
    expect(await own.cli('backup-location', 'get', '-o', 'wide')).toEqual(done);
  });

  it('a volume is uploaded with both engines although a mover is killed, and is restored', async () => {
    const { kube, image, storageClass } = lateen;
    await createWorkload(kube, { namespace: volumes, image, storageClass, volumeSize, withPvc: true }, signal);
    await waitForPod(kube, volumes, systemClock, signal);
    const shell = podShell({ ...lateen, namespace: volumes, pod: podName, signal });
    await shell.run(['sh', '-c', `head -c ${bytes} /dev/urandom > ${volumePath}/file; sync`]);
    const upload = (name: string, ...flags: string[]) =>
      own.cli('volume', 'upload', `${volumes}/${pvcName}`, '--name', name, '--storage-location=own', ...flags);
    expect(await upload('killed', '--no-wait')).toEqual(done);
    const restic = upload('restic', '--data-mover-config=UploaderType=restic');
    await killMoverOf(kube, namespace, 'killed');
    const killed = await endOfUpload(kube, namespace, 'killed');
    expect([await restic, killed.status?.phase, killed.status?.message ?? '']).toEqual([done, 'Completed', '']);

    await createWorkload(kube, { namespace: restored, image, storageClass, volumeSize, withPvc: false }, signal);
    const from = ['--from=killed', `--size=${volumeSize}`, `--storage-class=${storageClass}`];
    expect(await own.cli('volume', 'download', `${restored}/${pvcName}`, ...from)).toEqual(done);
    expect(await own.cli('volume', 'upload', `${volumes}/${pvcName}`, '--storage-location=wrong')).toEqual(failed);
  });

  it('repositories are maintained', async () => {
    expect(await repositoryNames()).toHaveLength(2);
    expect(await everyRepository('maintain')).toEqual([done, done]);
    expect(await own.cli('repo', 'usage', '-o', 'json')).toEqual(done);
    expect(await everyRepository('unlock')).toContainEqual(done);
    expect(await everyRepository('describe')).toEqual([done, done]);
    await untilPhase('azure', 'Unavailable');
  });

  it('the password is changed; a wrong one is rejected', async () => {
    const file = await own.file('password', `${values.newPassword.value}\n`);
    expect(await own.cli('repo', 'change-password', '--password-file', file, '--confirm')).toEqual(done);
    expect(await everyRepository('check', '--read-data=10')).toEqual([done, done]);
    await setPassword(values.wrongPassword);
    expect(await everyRepository('check')).toEqual([failed, failed]);
    await setPassword(values.newPassword);
  });

  it('the keys are rotated; wrong ones are rejected', async () => {
    await own.secret('rotated', { cloud: awsFile(values.accounts.rotated) });
    expect(await own.cli('backup-location', 'set', 'own', '--credential=rotated=cloud')).toEqual(done);
    await untilPhase('own', 'Available');
    expect(await everyRepository('check')).toEqual([done, done]);
    await own.secret('rotated', {
      cloud: awsFile({ ...values.wrongAccount, accessKeyId: values.accounts.rotated.accessKeyId }),
    });
    expect(await everyRepository('check')).toEqual([failed, failed]);
    await untilPhase('own', 'Unavailable');
    await own.secret('rotated', { cloud: awsFile(values.accounts.rotated) });
    await untilPhase('own', 'Available');
  });

  it('the controller is killed and restarts', async () => {
    const find = async () => {
      const { items } = await lateen.kube.list(podType, { namespace, labelSelector: 'name=lateen-controller' });
      return items[0];
    };
    const processes = await podProcesses((await find())?.metadata.uid ?? '');
    expect(processes.filter(({ command, pid }) => command.includes('controller') && killProcess(pid))).not.toEqual([]);
    await expect
      .poll(async () => (await find())?.status?.containerStatuses?.map((each) => [each.restartCount, each.ready]), {
        timeout: waitMs,
      })
      .toEqual([[1, true]]);
  });
});

describe('the search', () => {
  it('searched everywhere, and found each value that was leaked on purpose at the place of the leak', async () => {
    // The controller that has just started opens its repositories again.
    await expect.poll(() => watched.filesWithSecrets(), { timeout: waitMs }).toEqual([]);
    const place = { lateen, namespace, volumes, location: 'own', directory: join(directory, 'left') };
    const uid = await plantDecoys(place);
    expect(await watched.filesWithSecrets([uid])).toHaveLength(1);
    await own.cli('backup-location', 'get', 'own', '-o', 'yaml');

    const sampled = await watched.end();
    expect([sampled.dropped, sampled.commands.length > 0]).toEqual([0, true]);
    const kindsOf = new Map(allDecoys.map((each) => [each.name, watched.search.leaks([each]).map(({ kind }) => kind)]));
    for (const { name, kinds } of allDecoys)
      expect([name, kindsOf.get(name)]).toEqual([name, expect.arrayContaining([...kinds])]);
  });

  it('found no secret', () => {
    expect(watched.search.leaks(values.all).map(leakText)).toEqual([]);
  });
});
