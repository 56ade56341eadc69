import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Backup,
  backupStorageLocationType,
  backupType,
  dataUploadType,
  jobType,
  labels,
  persistentVolumeClaimType,
} from '@lateen/api-types';
import { emptyPrefix, findLeftovers, type Inventory, podShell, takeInventory, waitForPod } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { S3Store } from '@lateen/object-store-s3';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedBackup } from './backup/stored-backup.ts';
import { bucketOf } from './environment/bucket-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

/** A namespace with a volume and hooks, backed up by the running controller and node-agent, and the files of the backup in the bucket. */
const root = join(import.meta.dirname, '..', '..', '..');
const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);
const namespace = `backup-${suffix}`;
const name = `journey-${suffix}`;
const uidPattern = '[0-9a-f-]{36}';

let lateen: LateenUnderTest;
let store: S3Store;
let directory: string;
let before: Inventory;

const cli = async (...words: string[]) => {
  const flags = ['--kubeconfig', lateen.kubeconfig, '-n', lateen.veleroNamespace];
  const program = [join(root, 'apps/cli/src/main.ts'), ...flags, ...words];
  const { exitCode, stdout, stderr } = await execa(process.execPath, program, { reject: false });
  return { exitCode, stdout, stderr };
};
const kubectl = (words: readonly string[], input?: string) =>
  execa(
    lateen.kubectl,
    ['--kubeconfig', lateen.kubeconfig, '-n', namespace, ...words],
    input === undefined ? {} : { input },
  );
const apply = async (file: string) => {
  const text = readFileSync(join(import.meta.dirname, 'backup', file), 'utf8');
  const values = { NAMESPACE: namespace, STORAGE_CLASS: lateen.storageClass, IMAGE: lateen.image };
  const filled = Object.entries(values).reduce((all, [word, value]) => all.replaceAll(word, value), text);
  await kubectl(['apply', '-f', '-'], filled);
};
const theBackup = (): Promise<Backup> => lateen.kube.get(backupType, { namespace: lateen.veleroNamespace, name });
const stored = () => storedBackup(store, name, directory);
const json = async (file: string): Promise<unknown> => JSON.parse(await stored().text(file));

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('a backup on a real cluster', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    store = bucketOf(lateen);
    directory = await mkdtemp(join(tmpdir(), 'lateen-backup-'));
    await kubectl(['create', 'namespace', namespace]);
    await apply('definition.yaml');
    await kubectl(['wait', '--for=condition=Established', 'crd/widgets.journey.lateen.dev']);
    await apply('application.yaml');
    await waitForPod(lateen.kube, namespace, systemClock, signal);
    before = await takeInventory(lateen.kube, lateen.veleroNamespace, signal);
  });
  afterAll(async () => {
    await kubectl(['delete', '--ignore-not-found', `namespace/${namespace}`, `clusterrole/${namespace}`]);
    await kubectl([
      'delete',
      '--ignore-not-found',
      `clusterrolebinding/${namespace}`,
      'crd/widgets.journey.lateen.dev',
    ]);
    // Everything is already deleted when the tests passed.
    await lateen.kube.delete(backupType, { namespace: lateen.veleroNamespace, name }).catch(() => {});
    await emptyPrefix(store, `backups/${name}/`, signal);
    await rm(directory, { recursive: true });
    await store.close();
    await lateen.kube.close();
  });

  it('ends Completed, with hooks, volume and every object counted, and leaves nothing in the cluster', async () => {
    const flags = ['--include-namespaces', namespace, '--snapshot-move-data', '--wait', '--exit-code'];
    const made = await cli('backup', 'create', name, ...flags);
    expect([made.exitCode, made.stderr]).toEqual([0, expect.anything()]);
    const { status, spec } = await theBackup();
    expect(status).toMatchObject({
      phase: 'Completed',
      version: 1,
      formatVersion: '1.1.0',
      hookStatus: { hooksAttempted: 2 },
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
      startTimestamp: expect.stringMatching(/Z$/),
      completionTimestamp: expect.stringMatching(/Z$/),
    });
    expect([status?.errors ?? 0, status?.warnings ?? 0, status?.hookStatus?.hooksFailed ?? 0]).toEqual([0, 0, 0]);
    expect(status?.progress?.itemsBackedUp).toBe(status?.progress?.totalItems);
    const days = (Date.parse(status?.expiration ?? '') - Date.parse(status?.startTimestamp ?? '')) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect(spec.storageLocation).toBe('default');
    const ports = { kube: lateen.kube, clock: systemClock, veleroNamespace: lateen.veleroNamespace };
    expect(await findLeftovers(before, ports, signal)).toEqual([]);
    expect(await kubectl(['get', 'volumesnapshots', '-o', 'name'])).toMatchObject({ stdout: '' });
  });

  it("has Velero's files in the bucket, each in the right format", async () => {
    expect(await stored().files()).toEqual([
      '-item-outcomes.json.gz',
      '-itemoperations.json.gz',
      '-logs.gz',
      '-podvolumebackups.json.gz',
      '-resource-list.json.gz',
      '-results.gz',
      '-volumeinfo.json.gz',
      '-volumesnapshots.json.gz',
      '.tar.gz',
      'velero-backup.json',
    ]);
    const metadata: Backup = JSON.parse(Buffer.from(await store.get(`backups/${name}/velero-backup.json`)).toString());
    expect(metadata).toMatchObject({
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name, namespace: lateen.veleroNamespace, uid: expect.any(String) },
      status: { phase: 'Completed', completionTimestamp: expect.any(String) },
    });
    expect(await json('-results.gz')).toEqual({ errors: {}, warnings: {} });
    for (const file of ['-podvolumebackups', '-volumesnapshots'])
      expect(await stored().text(`${file}.json.gz`)).toBe('null\n');
    const log = await stored().text('-logs.gz');
    // JSON like the controller's own log, because it is installed with --log-format=json.
    for (const line of log.trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({
        level: expect.stringMatching(/^(debug|info|warning|error)$/),
        time: expect.stringMatching(/Z$/),
        msg: expect.any(String),
        backup: `${lateen.veleroNamespace}/${name}`,
      });
    expect(log).toContain('"hookPhase":"post"');
    expect(log).not.toContain('only-in-the-archive');
  });

  it('describes the volume and its movement as Velero does', async () => {
    const { metadata } = await theBackup();
    const claim = await lateen.kube.get(persistentVolumeClaimType, { namespace, name: 'data' });
    const [upload] = await uploads();
    const operationID = `du-${metadata.uid}.${claim.metadata.uid}`;
    const [operation] = (await json('-itemoperations.json.gz')) as { spec: { operationID: string } }[];
    // Two UIDs are too long for a label value: 57 characters and 6 of a hash.
    expect(operation?.spec.operationID).toMatch(new RegExp(`^${operationID.slice(0, 57)}[0-9a-f]{6}$`));
    expect(operation).toMatchObject({
      spec: {
        backupName: name,
        backupUID: metadata.uid,
        backupItemAction: 'velero.io/csi-pvc-backupper',
        resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: namespace, Name: 'data' },
        postOperationItems: [
          {
            Group: 'velero.io',
            Resource: 'datauploads',
            Namespace: lateen.veleroNamespace,
            Name: upload?.metadata.name,
          },
        ],
      },
      status: { phase: 'Completed', operationUnits: 'Bytes', created: expect.any(String), updated: expect.any(String) },
    });
    expect(await json('-volumeinfo.json.gz')).toEqual([
      expect.objectContaining({
        pvcName: 'data',
        pvcNamespace: namespace,
        pvName: claim.spec.volumeName,
        backupMethod: 'CSISnapshot',
        snapshotDataMoved: true,
        preserveLocalSnapshot: false,
        skipped: false,
        result: 'succeeded',
        snapshotDataMovementInfo: expect.objectContaining({
          uploaderType: 'kopia',
          snapshotHandle: upload?.status?.snapshotID,
          operationID: operation?.spec.operationID,
          size: upload?.status?.progress?.totalBytes,
          Phase: 'Completed',
        }),
        pvInfo: expect.objectContaining({ reclaimPolicy: 'Delete' }),
      }),
    ]);
  });

  it('has every object in the archive, at both of its paths, as in the cluster', async () => {
    const entries = await stored().entries();
    const paths = entries.map(({ path }) => path);
    expect(entries.filter(({ mode }) => mode !== '-rwxr-xr-x')).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths[0]).toBe('metadata/version');
    expect(await stored().entry('metadata/version')).toBe('1.1.0\n');
    const pathPattern =
      /^resources\/[a-z0-9.-]+\/(v[a-z0-9]+-preferredversion\/)?(cluster|namespaces\/[a-z0-9-]+)\/[^/]+\.json$/;
    expect(paths.slice(1).filter((path) => !pathPattern.test(path))).toEqual([]);
    const [upload] = await uploads();
    const { spec } = await lateen.kube.get(persistentVolumeClaimType, { namespace, name: 'data' });
    const inNamespace = (resource: string, version: string, item: string) => [
      `resources/${resource}/namespaces/${namespace}/${item}.json`,
      `resources/${resource}/${version}-preferredversion/namespaces/${namespace}/${item}.json`,
    ];
    expect(paths).toEqual(
      expect.arrayContaining([
        `resources/namespaces/cluster/${namespace}.json`,
        ...inNamespace('pods', 'v1', 'app'),
        ...inNamespace('persistentvolumeclaims', 'v1', 'data'),
        `resources/persistentvolumes/v1-preferredversion/cluster/${spec.volumeName}.json`,
        ...inNamespace('secrets', 'v1', 'login'),
        ...inNamespace('configmaps', 'v1', 'settings'),
        ...inNamespace('serviceaccounts', 'v1', 'keeper'),
        ...inNamespace('widgets.journey.lateen.dev', 'v1', 'exact'),
        'resources/customresourcedefinitions.apiextensions.k8s.io/cluster/widgets.journey.lateen.dev.json',
        `resources/clusterrolebindings.rbac.authorization.k8s.io/cluster/${namespace}.json`,
        `resources/clusterroles.rbac.authorization.k8s.io/cluster/${namespace}.json`,
        `resources/datauploads.velero.io/namespaces/${lateen.veleroNamespace}/${upload?.metadata.name}.json`,
      ]),
    );
    expect(paths.filter((path) => path.includes('unwanted'))).toEqual([]);

    const listed = (await json('-resource-list.json.gz')) as Record<string, string[]>;
    for (const items of Object.values(listed)) expect(items).toEqual(items.toSorted());
    expect(listed).toMatchObject({
      'v1/Namespace': [namespace],
      'v1/Pod': [`${namespace}/app`],
      'journey.lateen.dev/v1/Widget': [`${namespace}/exact`],
    });
    const unversioned = paths.filter((path) => path.startsWith('resources/') && !path.includes('-preferredversion/'));
    expect(Object.values(listed).flat().length).toBe(unversioned.length);
    expect((await theBackup()).status?.progress?.totalItems).toBe(unversioned.length);
  });

  it('keeps objects unchanged: numbers, unknown fields, special characters', async () => {
    const widget = await stored().entry(`resources/widgets.journey.lateen.dev/namespaces/${namespace}/exact.json`);
    expect(widget).toContain('"wide":9007199254740993');
    expect(widget).not.toMatch(/\n/);
    const settings = JSON.parse(await stored().entry(`resources/configmaps/namespaces/${namespace}/settings.json`));
    expect(settings).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        uid: expect.stringMatching(uidPattern),
        managedFields: expect.any(Array),
        annotations: { note: '<b>&amp; ü \u2028' },
      },
    });
    const claim = JSON.parse(
      await stored().entry(`resources/persistentvolumeclaims/namespaces/${namespace}/data.json`),
    );
    const [upload] = await uploads();
    expect(claim.metadata.annotations).toMatchObject({
      'velero.io/data-upload-name': `${lateen.veleroNamespace}/${upload?.metadata.name}`,
    });
    const path = `resources/datauploads.velero.io/namespaces/${lateen.veleroNamespace}/${upload?.metadata.name}.json`;
    const stayed = JSON.parse(await stored().entry(path));
    expect(stayed.status).toMatchObject({ phase: 'Completed', snapshotID: upload?.status?.snapshotID });
  });

  it('takes the snapshot of the volume between the pre hook and the post hook', async () => {
    const shell = podShell({ ...lateen, namespace, pod: 'app', signal });
    expect(await shell.run(['cat', '/data/hooks'])).toBe('before\nafter\n');
    const [upload] = await uploads();
    const target = `${namespace}-2`;
    await kubectl(['create', 'namespace', target]);
    try {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'app', namespace: target },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              name: 'main',
              image: lateen.image,
              command: ['sleep', 'infinity'],
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      };
      await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, 'apply', '-f', '-'], {
        input: JSON.stringify(pod),
      });
      const flags = ['--from', upload?.metadata.name ?? '', '--size', '64Mi', '--storage-class', lateen.storageClass];
      const back = await cli('volume', 'download', `${target}/data`, ...flags);
      expect([back.exitCode, back.stderr]).toEqual([0, expect.anything()]);
      await waitForPod(lateen.kube, target, systemClock, signal);
      const restored = podShell({ ...lateen, namespace: target, pod: 'app', signal });
      expect(await restored.run(['cat', '/data/hooks'])).toBe('before\n');
    } finally {
      await kubectl(['delete', 'namespace', target]);
    }
  });

  it('does not reuse the name of a backup in the bucket, which stays unchanged', async () => {
    const same = await cli('backup', 'create', name, '--include-namespaces', namespace);
    expect(same.exitCode).toBe(1);
    expect(same.stderr).toContain(`backups.velero.io "${name}" already exists`);

    const metadata = await store.get(`backups/${name}/velero-backup.json`);
    // As in a cluster that has not synced it yet; the sync would find it within a minute.
    const key = { namespace: lateen.veleroNamespace, name };
    await lateen.kube.delete(backupType, key);
    const again = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: key,
      spec: { includedNamespaces: [namespace] },
    };
    await lateen.kube.create(backupType, again);
    const { status } = await waitForBackup((seen) => (seen?.status?.completionTimestamp ? seen : undefined));
    expect([status?.phase, status?.failureReason]).toEqual(['Failed', 'backup already exists in object storage']);
    expect(Buffer.from(await store.get(`backups/${name}/velero-backup.json`))).toEqual(Buffer.from(metadata));
  });

  it('stays unchanged when the failed one is deleted, and is synced again', async () => {
    const files = await stored().files();
    const failed = await theBackup();
    const deleted = await cli('backup', 'delete', name, '--confirm', '--wait');
    expect([deleted.exitCode, deleted.stderr]).toEqual([0, expect.anything()]);
    expect(await stored().files()).toEqual(files);
    await lookIntoBucketEvery('2s');
    const found = await waitForBackup((seen) => (seen?.status?.phase === 'Completed' ? seen : undefined));
    await lookIntoBucketEvery(null);
    expect(found.metadata.labels).toMatchObject({ 'velero.io/storage-location': 'default' });
    expect(found.metadata.uid).not.toBe(failed.metadata.uid);
    expect(found.status).toMatchObject({ formatVersion: '1.1.0', hookStatus: { hooksAttempted: 2 } });
  });

  it('leaves nothing after its deletion: no files, objects, uploads, or data in the repository', async () => {
    const deleted = await cli('backup', 'delete', name, '--confirm', '--wait');
    expect([deleted.exitCode, deleted.stderr]).toEqual([0, expect.anything()]);
    await expect(theBackup()).rejects.toSatisfy(isNotFound);
    expect(await stored().files()).toEqual([]);
    expect(await uploads()).toEqual([]);
    const labelSelector = `${labels.repositoryOperation}=forget`;
    const jobs = await lateen.kube.list(jobType, { namespace: lateen.veleroNamespace, labelSelector });
    const ours = jobs.items.filter(({ spec }) => JSON.stringify(spec.template).includes(namespace));
    expect(ours.map(({ status }) => status?.succeeded)).toEqual([1]);
  });
});

const uploads = async () => {
  const labelSelector = `${labels.backupName}=${name}`;
  return (await lateen.kube.list(dataUploadType, { namespace: lateen.veleroNamespace, labelSelector })).items;
};

const waitForBackup = (until: (seen: Backup | undefined) => Backup | undefined): Promise<Backup> =>
  waitForObject<Backup, Backup>({
    api: lateen.kube,
    type: backupType,
    key: { namespace: lateen.veleroNamespace, name },
    clock: systemClock,
    signal: systemClock.deadline(120_000),
    until,
  });

/** Null restores the controller's default period. */
async function lookIntoBucketEvery(backupSyncPeriod: string | null): Promise<void> {
  const key = { namespace: lateen.veleroNamespace, name: 'default' };
  await lateen.kube.patch(backupStorageLocationType, key, { type: 'merge', body: { spec: { backupSyncPeriod } } });
}
