import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  annotations,
  backupRepositoryType,
  backupStorageLocationType,
  configMapType,
  dataUploadType,
  deploymentType,
  namespaceType,
  podType,
  secretType,
} from '@lateen/api-types';
import {
  createWorkload,
  deleteNamespace,
  fillVolume,
  findLeftovers,
  podName,
  podShell,
  pvcName,
  takeInventory,
  volumePath,
  waitForPod,
} from '@lateen/demo';
import { renderManifests } from '@lateen/deploy';
import { systemClock, systemRandom } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, type Unstructured } from '@lateen/kube';
import { typeOf } from '@lateen/manifests';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from '../environment/provided-lateen.ts';

/**
 * An installation beside the tier's own, created and removed by the command line. The definitions of velero.io are shared with the tier's
 * own, so uninstall has to keep them, and says why.
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
const namespace = 'lateen-install';
const volumes = `install-${systemRandom.suffix(5)}`;
const signal = AbortSignal.any([]);

let lateen: LateenUnderTest;
let dir: string;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  dir = await mkdtemp(join(tmpdir(), 'lateen-install-'));
  // Remains of an earlier run.
  await cli('uninstall', '--force');
});

afterAll(async () => {
  await cli('uninstall', '--force');
  await deleteNamespace(lateen.kube, volumes, systemClock, signal);
  await rm(dir, { recursive: true });
  await lateen.kube.close();
});

async function cli(...words: string[]) {
  const { stdout, stderr, exitCode } = await execa(
    process.execPath,
    [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', lateen.kubeconfig, '-n', namespace, ...words],
    { reject: false, stdin: 'ignore' },
  );
  return { stdout, stderr, exitCode };
}

async function installFlags(): Promise<string[]> {
  if (lateen.cluster === undefined) throw new Error('the tests have no cluster of their own');
  const { s3 } = lateen.cluster;
  const secretFile = join(dir, 'credentials');
  await writeFile(secretFile, `[default]\naws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`, {
    mode: 0o600,
  });
  return [
    '--provider=aws',
    // The tier's own location has no prefix, so a folder of this test beside its folders would make it invalid.
    `--bucket=${s3.bucket}`,
    `--secret-file=${secretFile}`,
    `--backup-location-config=region=${s3.region},s3Url=${s3.endpointForPods},s3ForcePathStyle=true`,
    `--image=${lateen.image}`,
    // Settings that only the running programs can reject.
    '--default-repo-maintain-frequency=2h',
    '--repo-maintenance-job-configmap=maintenance',
    '--backup-repository-configmap=repositories',
    '--node-agent-configmap=agents',
    '--pod-labels=team=backup',
    '--velero-pod-mem-limit=768Mi',
  ];
}

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('an installation by the command line', () => {
  it('reports why a pod does not start, and is repaired by a second run', async () => {
    const { kube } = lateen;
    const flags = await installFlags();
    await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await makeConfigMaps(kube);
    const wrong = await cli('install', ...flags, '--image=localhost/no-such-image:1', '--wait', '--timeout=60s');
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringMatching(/no-such-image:1/)]);
    const right = await cli('install', ...flags, '--wait');
    expect([right.exitCode, right.stderr]).toEqual([
      0,
      expect.stringContaining('Lateen runs in namespace lateen-install'),
    ]);
    expect(right.stdout).toContain('ready       BackupStorageLocation lateen-install/default');
    expect(right.stdout).toMatch(/configured {2}Deployment .*\(spec\.template\.spec\.containers\.0\.image\)/);
  });

  it('changes and restarts nothing when it is repeated, and prints no secret', async () => {
    const before = await podNames(lateen.kube);
    const { stdout, stderr, exitCode } = await cli('install', ...(await installFlags()), '--wait');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/ 0 created, 0 configured, \d+ unchanged\.$/)]);
    expect(await podNames(lateen.kube)).toEqual(before);
    expect(stdout + stderr).not.toContain(lateen.cluster?.s3.secretKey);
  });

  it('moves a volume, and is removed completely during the next movement', async () => {
    const { kube, image, storageClass } = lateen;
    await createWorkload(kube, { namespace: volumes, image, storageClass, volumeSize: '1Gi', withPvc: true }, signal);
    await waitForPod(kube, volumes, systemClock, signal);
    const shell = podShell({ ...lateen, namespace: volumes, pod: podName, signal });
    await fillVolume(shell, { path: join(root, 'libs', 'kube', 'src'), files: 0 }, 200_000_000);
    const before = await takeInventory(kube, namespace, signal);
    const upload = await cli('volume', 'upload', `${volumes}/${pvcName}`);
    expect([upload.exitCode, upload.stderr]).toEqual([0, expect.anything()]);
    // The next movement takes more than a minute: it still runs when it is canceled.
    await shell.run(['sh', '-c', `head -c 40000000 /dev/urandom > ${volumePath}/more; sync`]);
    const slowly = { metadata: { annotations: { [annotations.uploadBytesPerSecond]: '128Ki' } } };
    await kube.patch(backupStorageLocationType, { namespace, name: 'default' }, { type: 'merge', body: slowly });
    await cli('volume', 'upload', `${volumes}/${pvcName}`, '--name', 'second', '--no-wait');
    const password = join(dir, 'password.yaml');

    const { stdout, stderr, exitCode } = await cli('uninstall', '--confirm', '--save-repository-password', password);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('to be canceled  DataUpload second')]);
    expect(stdout).toMatch(/Lateen is removed\. What is stored in the bucket is untouched\.$/);
    expect(stderr).toMatch(/to be kept {6}\d+ CustomResourceDefinitions of velero\.io: .* velero\//);
    expect(stderr).not.toContain('is still there');
    expect(await findLeftovers(before, { kube, clock: systemClock, veleroNamespace: namespace }, signal)).toEqual([]);
    expect(await present(kube, { parts: ['namespace', 'controller', 'node-agent'] })).toEqual([]);
    // The tier's own installation still works.
    expect(await present(kube, { parts: ['crds'] })).toHaveLength(13);
    const own = await kube.get(deploymentType, { namespace: lateen.veleroNamespace, name: 'lateen-controller' });
    expect(own.status?.availableReplicas).toBe(1);
  });

  it('reads the old repository with the saved password', async () => {
    const { kube } = lateen;
    await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await makeConfigMaps(kube);
    const kubectl = ['--kubeconfig', lateen.kubeconfig, 'apply', '-f', join(dir, 'password.yaml')];
    await execa(lateen.kubectl, kubectl);
    const installed = await cli('install', ...(await installFlags()), '--wait');
    expect([installed.exitCode, installed.stderr]).toEqual([0, expect.anything()]);
    await cli('volume', 'upload', `${volumes}/${pvcName}`, '--name', 'third');
    const { items } = await kube.list(dataUploadType, { namespace, signal });
    expect(items.map(({ status }) => [status?.phase, status?.message ?? ''])).toEqual([['Completed', '']]);
    // Most of it was there: data that was stored before is read and used.
    expect(items[0]?.status?.incrementalBytes ?? 0).toBeLessThan(100_000_000);
    expect((await kube.list(backupRepositoryType, { namespace })).items[0]?.status?.phase).toBe('Ready');
    const { metadata } = await kube.get(secretType, { namespace, name: 'velero-repo-credentials' });
    expect(metadata.name).toBe('velero-repo-credentials');
  });

  it('is removed the second time like the first', async () => {
    const { exitCode, stderr } = await cli('uninstall', '--confirm');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('velero-repo-credentials goes too')]);
    expect(await present(lateen.kube, { parts: ['namespace', 'controller', 'node-agent'] })).toEqual([]);
    const again = await cli('uninstall', '--confirm');
    expect([again.exitCode, again.stdout]).toEqual([0, 'Nothing of Lateen is in namespace lateen-install.']);
  });
});

/** Objects that the flags above name. */
async function makeConfigMaps(kube: KubeApi): Promise<void> {
  const contents = {
    maintenance: { 'config.json': JSON.stringify({ global: { keepLatestMaintenanceJobs: 2 } }) },
    repositories: { kopia: JSON.stringify({ cacheLimitMB: 64 }) },
    agents: { 'config.json': JSON.stringify({ loadConcurrency: { globalConfig: 1 } }) },
  };
  for (const [name, data] of Object.entries(contents))
    await kube.create(configMapType, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data });
}

/** Pods that are to stay: one that was replaced may take a while to end. */
async function podNames(kube: KubeApi): Promise<string[]> {
  const { items } = await kube.list(podType, { namespace });
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying.map(({ metadata }) => metadata.name ?? '').sort();
}

/** Titles of the installation's objects that are in the cluster. */
async function present(kube: KubeApi, options: Parameters<typeof renderManifests>[0]): Promise<string[]> {
  const objects = await renderManifests({ ...options, namespace });
  const found = await Promise.all(
    objects.map(async (object: Unstructured) => {
      try {
        await kube.get(typeOf(object), keyOf(object));
        return [`${object.kind} ${object.metadata.name}`];
      } catch (error) {
        if (isNotFound(error)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}
