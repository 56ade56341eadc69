import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type KubeObject, podType, type ServerStatusRequest, serverStatusRequestType } from '@lateen/api-types';
import { readArchive } from '@lateen/archive';
import { aBackupStorageLocation, aNode, aPod, aSecret, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerDownloads, linkSecret, type ServedFiles, servedFiles } from '../download/served-files.ts';
import { runForTests } from '../run-for-tests.ts';

/** Secret values: in Secrets, in an environment variable that a log repeats, and in an object. */
const secrets = ['value-of-the-secret', 'password-of-the-variable', 'key-in-the-location'];
const namespace = 'velero';

let directory = '';
let server: ServedFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-debug-'));
  server = await servedFiles({
    'BackupLog nightly': gzipSync('level=info msg="used password-of-the-variable"\n'),
    'BackupResults nightly': gzipSync('{}'),
    'BackupVolumeInfos nightly': gzipSync('[]'),
    'RestoreLog back': gzipSync('level=info msg=restored\n'),
  });
});
afterEach(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'lateen-controller', namespace },
  spec: {
    selector: {},
    template: {
      spec: { containers: [{ name: 'velero', env: [{ name: 'KOPIA_PASSWORD', value: 'password-of-the-variable' }] }] },
    },
  },
} as unknown as KubeObject;

const run = (kind: 'Backup' | 'Restore', name: string, spec: object): KubeObject =>
  ({
    apiVersion: 'velero.io/v1',
    kind,
    metadata: { name, namespace, uid: name },
    spec,
    status: { phase: 'Completed' },
  }) as unknown as KubeObject;

const volume = {
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Volume',
  metadata: { name: 'vol', namespace: 'longhorn-system' },
  spec: { size: '1' },
} as unknown as KubeObject;

function controllerPod(): KubeObject {
  const pod = aPod({ name: 'lateen-controller-1', namespace, labels: { 'app.kubernetes.io/part-of': 'lateen' } });
  const containerStatuses = [{ name: 'velero', restartCount: 2 }];
  return {
    ...pod,
    spec: { containers: [{ name: 'velero', image: 'i' }] },
    status: { phase: 'Running', containerStatuses },
  } as unknown as KubeObject;
}

const locationWithKey = aBackupStorageLocation({
  spec: { objectStorage: { bucket: 'b' }, config: { secretAccessKey: 'key-in-the-location' } },
});

function setUp({ objects = [] as KubeObject[], location = locationWithKey } = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [
      deployment,
      controllerPod(),
      aPod({ name: 'database', namespace }),
      aNode({ name: 'node-1' }),
      aSecret({ name: 'cloud-credentials', namespace, values: { cloud: 'value-of-the-secret' } }),
      location,
      run('Backup', 'nightly', { storageLocation: 'default' }),
      run('Restore', 'back', { backupName: 'nightly' }),
      volume,
      ...objects,
    ],
  });
  const pod = { namespace, name: 'lateen-controller-1' };
  cluster.podLogs.set(pod, 'opened with password-of-the-variable\nready\n', 'velero');
  cluster.podLogs.setPrevious(pod, 'panic: out of memory\n', 'velero');
  cluster.setPodLog({ namespace, name: 'database' }, 'SELECT private\n');
  answerDownloads(cluster, server.linked);
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'ServerStatusRequest') return;
    const { name = '' } = object.metadata;
    queueMicrotask(() =>
      cluster.change<ServerStatusRequest>(serverStatusRequestType, { namespace, name }, (it) => {
        it.status = { phase: 'Processed', serverVersion: 'v1.18.4', plugins: [] };
      }),
    );
    // The request is read again after a while.
    setImmediate(() => void clock.advance(250));
  });
  const kube = Object.assign(cluster, { stream: cluster.podLogs.stream.bind(cluster.podLogs) });
  const path = join(directory, 'bundle.tar.gz');
  const debug = (...words: string[]) =>
    runForTests({ clock, random: seededRandom(), kube }, ['debug', '--output', path, ...words]);
  return { cluster, clock, path, debug };
}

async function unpacked(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const pieces = async function* () {
    yield await readFile(path);
  };
  for await (const { path: name, body } of readArchive(pieces())) files[name] = Buffer.from(body).toString();
  return files;
}

describe('lateen debug', () => {
  it('collects objects, logs and versions of both namespaces, and nothing of other pods', async () => {
    const { debug, path } = setUp();
    const { code, stdout, stderr } = await debug();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const files = await unpacked(path);
    expect(stdout).toBe(
      `Bundle written to ${path}: ${Object.keys(files).length} files; contents.txt in it lists them.\n`,
    );
    expect(Object.keys(files).sort()).toEqual([
      'bundle/contents.txt',
      'bundle/logs/velero/lateen-controller-1/velero.log',
      'bundle/logs/velero/lateen-controller-1/velero.previous.log',
      'bundle/objects/longhorn-system/volumes.longhorn.io.json',
      'bundle/objects/nodes.json',
      'bundle/objects/velero/backups.velero.io.json',
      'bundle/objects/velero/backupstoragelocations.velero.io.json',
      'bundle/objects/velero/deployments.apps.json',
      'bundle/objects/velero/pods.json',
      'bundle/objects/velero/restores.velero.io.json',
      'bundle/versions.json',
    ]);
    expect(files['bundle/logs/velero/lateen-controller-1/velero.previous.log']).toContain('panic: out of memory');
    expect(JSON.parse(files['bundle/versions.json'] ?? '')).toMatchObject({ server: { version: 'v1.18.4' } });
    expect(files['bundle/contents.txt']).toContain('objects/velero/pods.json: 2 objects, ');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('never reads a Secret, and no file has a secret value or a signed link', async () => {
    const { debug, path, cluster } = setUp();
    const { stdout, stderr } = await debug('--backup', 'nightly', '--restore', 'back', '--verbose');
    const all = JSON.stringify(await unpacked(path)) + stdout + stderr;
    for (const secret of [...secrets, linkSecret]) expect(all).not.toContain(secret);
    expect(all).toContain('opened with [redacted]');
    expect(all).toContain('used [redacted]');
    expect(cluster.calls.filter(({ type }) => type.kind === 'Secret')).toEqual([]);
  });

  it('adds log and description of the named backup and restore', async () => {
    const { debug, path } = setUp();
    expect((await debug('--backup', 'nightly', '--restore', 'back')).code).toBe(0);
    const files = await unpacked(path);
    expect(files['bundle/backups/nightly/log.txt']).toContain('level=info');
    expect(files['bundle/backups/nightly/describe.txt']).toMatch(/^Name: +nightly$/m);
    expect(files['bundle/restores/back/log.txt']).toBe('level=info msg=restored\n');
    expect(files['bundle/restores/back/describe.txt']).toMatch(/^Name: +back$/m);
  });

  it('omits what cannot be read, and says why in the list of contents', async () => {
    const running = run('Backup', 'running', { storageLocation: 'default' });
    const { debug, path, cluster } = setUp({
      objects: [{ ...running, status: { phase: 'InProgress' } } as KubeObject],
    });
    cluster.failTimes(4, 'list', podType, 'KUBE_FORBIDDEN');
    const { code, stdout } = await debug('--backup', 'running');
    expect([code, stdout]).toEqual([0, expect.stringContaining(', 5 could not be collected; contents.txt')]);
    const contents = (await unpacked(path))['bundle/contents.txt'] ?? '';
    expect(contents).toMatch(/^objects\/velero\/pods.json: not collected: \S/m);
    expect(contents).toMatch(/^logs\/velero: not collected: \S/m);
    expect(contents).toMatch(/^backups\/running\/log.txt: not collected: logs for backup "running" are not available/m);
  });

  it('does not read a Secret for the certificate of a location, and says which flag to use', async () => {
    const objectStorage = { bucket: 'b', caCertRef: { name: 'ca', key: 'pem' } };
    const { debug, path, cluster } = setUp({ location: aBackupStorageLocation({ spec: { objectStorage } }) });
    expect((await debug('--backup', 'nightly')).stdout).toContain('2 could not be collected');
    const contents = (await unpacked(path))['bundle/contents.txt'];
    expect(contents).toMatch(/^backups\/nightly\/log.txt: not collected: .*Secrets are not read.*--cacert/m);
    expect(cluster.calls.filter(({ type }) => type.kind === 'Secret')).toEqual([]);
  });

  it.each([
    [['--backup', 'gone'], 'backups.velero.io "gone" not found'],
    [['--restore', 'gone'], 'restores.velero.io "gone" not found'],
    [['-n', 'other'], 'velero deployment does not exist in namespace: other'],
  ])('fails with %j before it collects anything', async (words, message) => {
    const { debug, path } = setUp();
    const { code, stderr } = await debug(...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`An error occurred: ${message}`)]);
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('fails when the file cannot be written, and leaves nothing', async () => {
    const { debug } = setUp();
    const { code, stderr } = await debug('--output', join(directory, 'gone', 'bundle.tar.gz'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be written')]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('replaces a file only with --force', async () => {
    const { debug, path } = setUp();
    await writeFile(path, 'mine');
    expect((await debug()).stderr).toContain('Give --force to replace it.');
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await debug('--force')).code).toBe(0);
  });
});
