import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backupStorageLocationType,
  backupType,
  configMapType,
  labels,
  namespaceType,
  persistentVolumeClaimType,
  persistentVolumeType,
  restoreType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { loadImage } from '@lateen/cluster';
import { deleteNamespace } from '@lateen/demo';
import { pluginImage } from '@lateen/image';
import { systemClock, systemRandom } from '@lateen/kernel';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from '../environment/provided-lateen.ts';

/**
 * Plugins in an image, added to the tier's controller by the command line. The program is that of test/plugins: it does what the annotation
 * of an item says (see its README), for ConfigMaps of namespace shop.
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
const tag = 'localhost/team/lateen-test-plugin:dev';
const container = 'team-lateen-test-plugin';
const namespace = 'shop';
const run = systemRandom.suffix(5);
const signal = AbortSignal.any([]);
const seen = 'fixture.lateen.dev/seen';

let lateen: LateenUnderTest;
let dir: string;

async function cli(...words: string[]) {
  const { stdout, stderr, exitCode } = await execa(
    process.execPath,
    [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', lateen.kubeconfig, '-n', lateen.veleroNamespace, ...words],
    { reject: false, stdin: 'ignore', env: { NO_PROXY: '127.0.0.1' } },
  );
  return { stdout, stderr, exitCode };
}

/** Printed when a test fails, because the cluster is removed before the failure is read. */
async function serverLog(): Promise<string> {
  const words = [
    'logs',
    '-n',
    lateen.veleroNamespace,
    'deployment/lateen-controller',
    '--all-containers',
    '--tail=200',
  ];
  return (await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, ...words], { reject: false })).stdout;
}

const configMap = (name: string, script: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    namespace,
    name,
    labels: { fixture: 'yes' },
    annotations: { 'fixture.lateen.dev/script': JSON.stringify(script) },
  },
  data: { key: 'value' },
});

/** A claim and its volume, as an administrator with disks but without a CSI driver creates them. */
async function makeDisk(): Promise<void> {
  const common = { accessModes: ['ReadWriteOnce' as const], storageClassName: '' };
  const capacity = { storage: '1Gi' };
  await lateen.kube.create(persistentVolumeType, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `disk-${run}` },
    spec: {
      ...{ ...common, capacity, persistentVolumeReclaimPolicy: 'Retain', claimRef: { namespace, name: 'disk' } },
      flexVolume: { driver: 'fixture.lateen.dev/disk', options: { volumeID: 'disk-1' } },
    },
  });
  await lateen.kube.create(persistentVolumeClaimType, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name: 'disk' },
    spec: { ...common, volumeName: `disk-${run}`, resources: { requests: capacity } },
  });
  await execa(lateen.kubectl, [
    ...['--kubeconfig', lateen.kubeconfig, '-n', namespace],
    ...['wait', 'pvc/disk', '--for=jsonpath={.status.phase}=Bound', '--timeout=60s'],
  ]);
}

/** Files of the folder in which the program stores snapshots. */
async function scratchFiles(): Promise<string> {
  const words = ['exec', '-n', lateen.veleroNamespace, 'deployment/lateen-controller', '--', 'ls', '/scratch'];
  return (await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, ...words])).stdout;
}

/** The server behind the links of the program's store: it reads files of the program's folder from the controller's pod. */
async function servedStore() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://links');
    asked.push(pathname);
    const words = [
      'exec',
      '-n',
      lateen.veleroNamespace,
      'deployment/lateen-controller',
      '--',
      'cat',
      `/scratch/store${pathname}`,
    ];
    execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, ...words], { encoding: 'buffer' }).then(
      ({ stdout }) => response.end(stdout),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.dispose]: () => void server.close() };
}

/** Files of a backup in the folder of the program's store. */
async function storedFiles(): Promise<string[]> {
  const words = [
    'exec',
    '-n',
    lateen.veleroNamespace,
    'deployment/lateen-controller',
    '--',
    'find',
    '/scratch/store',
    '-type',
    'f',
  ];
  return (await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, ...words])).stdout.split('\n');
}

beforeAll(async () => {
  lateen = await lateenUnderTest();
  dir = await mkdtemp(join(tmpdir(), 'lateen-plugins-'));
  if (lateen.cluster === undefined) return;
  const banner =
    "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test', 'plugins', 'src', 'main.ts')],
    ...{ bundle: true, write: false, platform: 'node', format: 'esm', target: 'node24', outdir: dir },
    banner: { js: banner },
  });
  const program = outputFiles[0]?.contents ?? new Uint8Array();
  const output = join(dir, 'image.tar');
  await pluginImage({ tag, programs: { 'lateen-test-plugin': program }, output, signal });
  await loadImage(lateen.cluster, output);
  await deleteNamespace(lateen.kube, namespace, systemClock, signal);
  await lateen.kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

afterAll(async () => {
  await cli('plugin', 'remove', container, '--confirm', '--wait');
  await cli('backup', 'delete', '--all', '--selector', `test=${run}`, '--confirm');
  await deleteNamespace(lateen.kube, namespace, systemClock, signal);
  await rm(dir, { recursive: true });
  await lateen.kube.close();
});

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('plugins of an image', () => {
  it('are added by the command line, and listed by the server with their kinds', async () => {
    const added = await cli('plugin', 'add', tag, '--image-pull-policy', 'Never', '--wait');
    expect([added.exitCode, added.stdout, added.stderr]).toEqual([
      0,
      expect.stringContaining(`(plugins: ${container})`),
      expect.anything(),
    ]);
    const { stdout } = await cli('plugin', 'get', '--timeout', '60s');
    if (!stdout.includes('fixture.lateen.dev')) console.error(await serverLog());
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        ['fixture.lateen.dev/backup', 'BackupItemActionV2'],
        ['fixture.lateen.dev/restore', 'RestoreItemActionV2'],
        ['fixture.lateen.dev/volumes', 'VolumeSnapshotter'],
        ['velero.io/pod', 'RestoreItemAction'],
      ]),
    );
  });

  it('change what is backed up, and a backup waits for their operations', async () => {
    const { kube } = lateen;
    await kube.create(configMapType, configMap('changed', { annotate: { [seen]: 'yes' }, operation: { polls: 2 } }));
    const name = `plugins-${run}`;
    const words = ['--include-namespaces', namespace, '--labels', `test=${run}`, '--wait'];
    const { exitCode, stderr } = await cli('backup', 'create', name, ...words);
    expect([exitCode, stderr]).toEqual([0, expect.anything()]);
    const backup = await kube.get(backupType, { namespace: lateen.veleroNamespace, name });
    expect(backup.status).toMatchObject({
      phase: 'Completed',
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
    });
  });

  it('change what is restored', async () => {
    const { kube } = lateen;
    await deleteNamespace(kube, namespace, systemClock, signal);
    const name = `plugins-${run}`;
    const { exitCode, stderr } = await cli('restore', 'create', name, '--from-backup', name, '--wait');
    expect([exitCode, stderr]).toEqual([0, expect.anything()]);
    const restore = await kube.get(restoreType, { namespace: lateen.veleroNamespace, name });
    expect(restore.status?.phase).toBe('Completed');
    const restored = await kube.get(configMapType, { namespace, name: 'changed' });
    expect([restored.data, restored.metadata.annotations?.[seen]]).toEqual([{ key: 'value' }, 'yes']);
    expect(restored.metadata.labels?.[labels.restoreName]).toBe(name);
  });

  it('take native snapshots of volumes without CSI, restore volumes from them, and delete them with the backup', async () => {
    const { kube } = lateen;
    const name = `plugins-disk-${run}`;
    const copy = `${namespace}-copy`;
    await makeDisk();
    const location = ['--provider', 'fixture.lateen.dev/volumes', '--config', 'root=/scratch'];
    expect((await cli('snapshot-location', 'create', 'fixture', ...location)).exitCode).toBe(0);
    try {
      const words = ['--include-namespaces', namespace, '--labels', `test=${run}`, '--wait'];
      const made = await cli('backup', 'create', name, ...words, '--volume-snapshot-locations', 'fixture');
      expect([made.exitCode, made.stderr]).toEqual([0, expect.anything()]);
      const backup = await kube.get(backupType, { namespace: lateen.veleroNamespace, name });
      expect(backup.status).toMatchObject({
        phase: 'Completed',
        volumeSnapshotsAttempted: 1,
        volumeSnapshotsCompleted: 1,
      });
      expect((await cli('backup', 'describe', name, '--details')).stdout).toContain('snap-disk-1');
      expect(await scratchFiles()).toContain('snap-disk-1');

      const mapping = ['--namespace-mappings', `${namespace}:${copy}`, '--wait'];
      const restored = await cli('restore', 'create', name, '--from-backup', name, ...mapping);
      expect([restored.exitCode, restored.stderr]).toEqual([0, expect.anything()]);
      const claim = await kube.get(persistentVolumeClaimType, { namespace: copy, name: 'disk' });
      const volume = await kube.get(persistentVolumeType, { name: claim.spec.volumeName ?? '' });
      expect(volume.metadata.name).toMatch(/^velero-clone-/);
      expect(volume.spec.flexVolume).toMatchObject({ options: { volumeID: 'from-snap-disk-1' } });

      const deleted = await cli('backup', 'delete', name, '--confirm', '--wait');
      expect([deleted.exitCode, deleted.stderr]).toEqual([0, expect.anything()]);
      expect(await scratchFiles()).not.toContain('snap-disk-1');
    } finally {
      await deleteNamespace(kube, copy, systemClock, signal);
      await kube.delete(volumeSnapshotLocationType, { namespace: lateen.veleroNamespace, name: 'fixture' });
      for (const { metadata, spec } of (await kube.list(persistentVolumeType)).items)
        if (spec.flexVolume !== undefined) await kube.delete(persistentVolumeType, { name: metadata.name ?? '' });
    }
  });

  it('keep backups in a store that only they can reach: links to its files, a restore, and a deletion that leaves nothing', async () => {
    const { kube } = lateen;
    const name = `plugins-store-${run}`;
    const copy = `${namespace}-stored`;
    using store = await servedStore();
    const place = ['--provider', 'fixture.lateen.dev/store', '--bucket', 'backups', '--prefix', 'team'];
    const config = ['--config', `root=/scratch/store,links=${store.url}`, '--wait'];
    const location = await cli('backup-location', 'create', 'fixture', ...place, ...config);
    expect([location.exitCode, location.stdout, location.stderr]).toEqual([
      0,
      expect.stringContaining('fixture'),
      expect.anything(),
    ]);
    try {
      const words = [
        '--include-namespaces',
        namespace,
        '--include-resources',
        'configmaps',
        '--selector',
        'fixture=yes',
      ];
      const where = ['--storage-location', 'fixture', '--labels', `test=${run}`, '--wait'];
      const made = await cli('backup', 'create', name, ...words, ...where);
      expect([made.exitCode, made.stderr]).toEqual([0, expect.anything()]);
      const backup = await kube.get(backupType, { namespace: lateen.veleroNamespace, name });
      expect(backup.status?.phase).toBe('Completed');
      const prefix = `/scratch/store/backups/team/backups/${name}`;
      expect(await storedFiles()).toEqual(
        expect.arrayContaining([
          `${prefix}/${name}.tar.gz`,
          `${prefix}/velero-backup.json`,
          `${prefix}/${name}-logs.gz`,
        ]),
      );

      const logs = await cli('backup', 'logs', name);
      expect([logs.exitCode, logs.stderr]).toEqual([0, expect.anything()]);
      expect(logs.stdout).toContain('all objects of the backup are stored');
      const archive = join(dir, 'archive.tar.gz');
      const downloaded = await cli('backup', 'download', name, '--output', archive);
      expect([downloaded.exitCode, downloaded.stderr]).toEqual([0, expect.anything()]);
      expect([...(await readFile(archive)).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
      expect((await execa('tar', ['-tzf', archive])).stdout).toContain(
        `resources/configmaps/namespaces/${namespace}/changed.json`,
      );
      expect(store.asked).toContain(`/backups/team/backups/${name}/${name}.tar.gz`);

      const mapping = ['--namespace-mappings', `${namespace}:${copy}`, '--wait'];
      const restored = await cli('restore', 'create', name, '--from-backup', name, ...mapping);
      expect([restored.exitCode, restored.stderr]).toEqual([0, expect.anything()]);
      expect((await kube.get(configMapType, { namespace: copy, name: 'changed' })).data).toEqual({ key: 'value' });
      expect((await cli('restore', 'logs', name)).exitCode).toBe(0);

      const deleted = await cli('backup', 'delete', name, '--confirm', '--wait');
      expect([deleted.exitCode, deleted.stderr]).toEqual([0, expect.anything()]);
      expect((await storedFiles()).filter((file) => file.includes(name))).toEqual([]);
    } finally {
      await deleteNamespace(kube, copy, systemClock, signal);
      await kube.delete(backupStorageLocationType, { namespace: lateen.veleroNamespace, name: 'fixture' });
    }
  });

  it('lose only the item that kills their program, with its last output', async () => {
    const { kube } = lateen;
    await kube.create(configMapType, configMap('deadly', { crash: 'the plugin met its end' }));
    const name = `plugins-crash-${run}`;
    const words = ['--include-namespaces', namespace, '--labels', `test=${run}`, '--wait'];
    await cli('backup', 'create', name, ...words);
    const backup = await kube.get(backupType, { namespace: lateen.veleroNamespace, name });
    expect(backup.status?.phase).toBe('PartiallyFailed');
    const described = await cli('backup', 'describe', name, '--details');
    expect(described.stdout).toContain('the plugin met its end');
    expect(described.stdout).toContain(`${namespace}/changed`);
    expect(described.stdout).not.toContain(`- ${namespace}/deadly`);
  });

  it('are no longer listed by the server when they are removed', async () => {
    const { exitCode } = await cli('plugin', 'remove', tag, '--wait');
    expect(exitCode).toBe(0);
    expect((await cli('plugin', 'get', '--timeout', '60s')).stdout).not.toContain('fixture.lateen.dev');
  });
});
