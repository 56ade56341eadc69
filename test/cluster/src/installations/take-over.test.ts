import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  backupStorageLocationType,
  backupType,
  daemonSetType,
  dataUploadType,
  deploymentType,
  type KubeObject,
  podType,
  type ResourceType,
  repositoryCredentials,
  scheduleType,
  secretType,
  serviceAccountType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { createWorkload, deleteNamespace, fillVolume, podName, podShell, pvcName, waitForPod } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { Unstructured } from '@lateen/kube';
import { typeOf, waitForRollouts } from '@lateen/manifests';
import { referenceInstallation } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from '../environment/provided-lateen.ts';

/**
 * The objects of Velero, with pods that run and do nothing, in a separate namespace: taken over, reverted with the commands of
 * deploy/README.md, and taken over again.
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
const namespace = 'taken-over';
const volumes = `taken-over-${systemRandom.suffix(5)}`;
const signal = AbortSignal.any([]);
/** The password as Velero creates it; it is publicly known, so it may be printed here. */
const password = 'static-passw0rd';

let lateen: LateenUnderTest;
let dir: string;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  dir = await mkdtemp(join(tmpdir(), 'lateen-take-over-'));
  await cli('uninstall', '--force');
  await deleteNamespace(lateen.kube, namespace, systemClock, signal);
});

afterAll(async () => {
  await cli('uninstall', '--force');
  await deleteNamespace(lateen.kube, namespace, systemClock, signal);
  await deleteNamespace(lateen.kube, volumes, systemClock, signal);
  await rm(dir, { recursive: true });
  await lateen.kube.close();
});

const command = (words: readonly string[]) =>
  execa(
    process.execPath,
    [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', lateen.kubeconfig, '-n', namespace, ...words],
    { reject: false, stdin: 'ignore' },
  );

async function cli(...words: string[]) {
  const { stdout, stderr, exitCode } = await command(words);
  return { stdout, stderr, exitCode };
}

const takeOver = () => ['install', '--take-over', '--confirm', '--wait', `--image=${lateen.image}`];

/** Pods with the names of Velero's, from an image that every node has. */
function standIn() {
  const objects = referenceInstallation({ namespace, image: 'localhost/lateen-pause:dev' });
  for (const { spec } of [objects.server, objects.agent]) {
    const { spec: pod } = spec.template;
    delete pod.initContainers;
    for (const container of pod.containers) {
      container.command = ['/pause'];
      delete container.args;
    }
    pod.terminationGracePeriodSeconds = 0;
  }
  const s3 = lateen.cluster?.s3;
  if (s3 === undefined) throw new Error('the tests have no cluster of their own');
  const keys = `[default]\naws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`;
  objects.secret.data = { cloud: Buffer.from(keys).toString('base64') };
  objects.location.spec = {
    provider: 'aws',
    default: true,
    // The tier's own location has no prefix, so a folder of this test beside its folders would make it invalid.
    objectStorage: { bucket: s3.bucket },
    config: { region: s3.region, s3Url: s3.endpointForPods, s3ForcePathStyle: 'true' },
  };
  return objects;
}

const create = async (object: KubeObject, type: ResourceType = typeOf(object)) =>
  await lateen.kube.create(type as ResourceType<KubeObject>, object);

const identity = async (type: ResourceType, name: string) => {
  const { metadata, spec, data } = (await lateen.kube.get(type, { namespace, name })) as Unstructured;
  return { uid: metadata.uid, spec, data };
};

/** Objects that have to be the same before, between and after. */
const kept = async () => ({
  location: await identity(backupStorageLocationType, 'default'),
  snapshots: await identity(volumeSnapshotLocationType, 'default'),
  schedule: await identity(scheduleType, 'nightly'),
  backup: await identity(backupType, 'old'),
  keys: await identity(secretType, 'cloud-credentials'),
  password: await identity(secretType, repositoryCredentials.name),
  account: (await identity(serviceAccountType, 'velero')).uid,
});

/** Images of the running pods; a Job that has ended keeps its pod. */
async function images(): Promise<string[]> {
  const { items } = await lateen.kube.list(podType, { namespace });
  const running = items.filter(({ status }) => status?.phase === 'Running');
  return [...new Set(running.flatMap(({ spec }) => spec.containers.map(({ image = '' }) => image)))].sort();
}

async function uploaded(name: string): Promise<void> {
  const upload = await cli('volume', 'upload', `${volumes}/${pvcName}`, '--name', name);
  expect([upload.exitCode, upload.stderr]).toEqual([0, expect.anything()]);
  const { status } = await lateen.kube.get(dataUploadType, { namespace, name });
  expect([status?.phase, status?.message ?? '']).toEqual(['Completed', '']);
}

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('an installation of Velero', () => {
  let before: Awaited<ReturnType<typeof kept>>;
  const objects = () => standIn();

  it('runs, with a schedule, a backup and the password that Velero creates', async () => {
    const { snapshotLocation, server, agent, all } = objects();
    for (const object of all)
      await create(object, object === snapshotLocation ? volumeSnapshotLocationType : undefined);
    const velero = (kind: string, name: string, parts: object) =>
      ({ apiVersion: 'velero.io/v1', kind, metadata: { namespace, name }, ...parts }) as Unstructured;
    await create(velero('Schedule', 'nightly', { spec: { schedule: '@daily', template: {} } }), scheduleType);
    await create(velero('Backup', 'old', { spec: {}, status: { phase: 'Completed' } }), backupType);
    await create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: repositoryCredentials.name },
      ...{ stringData: { [repositoryCredentials.key]: password } },
    });
    await waitForRollouts(lateen.kube, [server, agent] as never, { signal });
    expect(await images()).toEqual(['localhost/lateen-pause:dev']);
    before = await kept();
  });

  it('is taken over although the command is killed between its pods, and prompts for nothing', async () => {
    const killed = command(takeOver());
    for await (const line of createInterface({ input: killed.stdout }))
      if (line.startsWith('removed     Deployment')) killed.kill('SIGKILL');
    expect((await killed).isTerminated).toBe(true);
    const { exitCode, stdout, stderr } = await cli(...takeOver());
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('lateen repo change-password')]);
    expect(stdout).toContain('checked     rights of ServiceAccount velero, node-agent: no more than Lateen needs');
    expect(stdout + stderr).not.toContain(password);
    expect(await images()).toEqual([lateen.image]);
    expect(await kept()).toEqual(before);
  });

  it('moves a volume with the existing locations, keys and password', async () => {
    const { kube, image, storageClass } = lateen;
    await createWorkload(kube, { namespace: volumes, image, storageClass, volumeSize: '1Gi', withPvc: true }, signal);
    await waitForPod(kube, volumes, systemClock, signal);
    const shell = podShell({ ...lateen, namespace: volumes, pod: podName, signal });
    await fillVolume(shell, { path: join(root, 'libs', 'kube', 'src'), files: 0 }, 1_000_000);
    await uploaded('first');
    expect(await kept()).toEqual(before);
  });

  it('is reverted by the commands of the guide, with the same objects', async () => {
    const guide = await readFile(join(root, 'deploy', 'README.md'), 'utf8');
    const lines = /### The way back[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const script = lines.replace(/^NAMESPACE=velero SUFFIX=.*$/m, `NAMESPACE=${namespace} SUFFIX=-${namespace}`);
    expect(script).not.toBe(lines);
    const env = { KUBECONFIG: lateen.kubeconfig, PATH: `${dirname(lateen.kubectl)}:${process.env.PATH}` };
    await execa('sh', ['-euc', script], { env });
    const { server, agent, binding } = objects();
    await waitForRollouts(lateen.kube, [server, agent] as never, { signal });
    await expect.poll(images, { timeout: 60_000 }).toEqual(['localhost/lateen-pause:dev']);
    for (const original of [server, agent]) {
      const type: ResourceType = original === server ? deploymentType : daemonSetType;
      const { spec, labels } = await template(type, original.metadata.name ?? '');
      expect({ spec, labels }).toMatchObject({
        spec: original.spec.template.spec,
        labels: original.spec.template.metadata?.labels,
      });
    }
    const bound = await lateen.kube.get(typeOf(binding), { name: binding.metadata.name ?? '' });
    expect(bound.subjects).toEqual(binding.subjects);
    expect(await kept()).toEqual(before);
  });

  it('is taken over again, and uses what was stored before', async () => {
    const { exitCode, stderr } = await cli(...takeOver());
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('to be replaced    Deployment taken-over/velero')]);
    await uploaded('second');
    expect(await kept()).toEqual(before);
  });

  it('is removed completely by uninstall', async () => {
    const { exitCode, stderr } = await cli('uninstall', '--confirm');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('velero-repo-credentials goes too')]);
  });
});

async function template(type: ResourceType, name: string) {
  const object = (await lateen.kube.get(type, { namespace, name })) as Unstructured;
  const { spec, metadata } = (object.spec as { template: { spec: object; metadata: { labels: object } } }).template;
  return { spec, labels: metadata.labels };
}
