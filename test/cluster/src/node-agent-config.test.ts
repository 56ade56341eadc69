import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  podType,
  priorityClassType,
} from '@lateen/api-types';
import { isFaithful, type JourneyOptions, lateenCli, podName, podShell, runJourney } from '@lateen/demo';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { isNotFound, type KubeObject, type ResourceType } from '@lateen/kube';
import { informer } from '@lateen/kube-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SettingsUnderTest, withSettings } from './environment/node-agent-settings.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

/** Also tried with a hundred folders (apps/data-mover/README.md, "Budget"), which takes minutes. */
const files = { folders: 20, each: 1_000, bytes: 100 };
const memoryLimit = '256Mi';
const priorityClass = 'lateen-under-test';
const root = join(import.meta.dirname, '..', '..', '..');
const signal = AbortSignal.any([]);

let lateen: LateenUnderTest;
let settings: SettingsUnderTest;
let source: string;
/** Every hosting pod and claim of the installation as created, by name. */
const pods = new Map<string, Pod>();
const claims = new Map<string, PersistentVolumeClaim>();
const watching = new AbortController();

beforeAll(async () => {
  lateen = await lateenUnderTest();
  const { kube, veleroNamespace, storageClass } = lateen;
  await removePriorityClass();
  await kube.create(priorityClassType, {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: priorityClass },
    value: 1_000,
  });
  settings = await withSettings(kube, veleroNamespace, {
    repositories: { cacheLimitMB: 400 },
    settings: {
      loadConcurrency: { globalConfig: 1, prepareQueueLength: 5 },
      podResources: { memoryLimit: 'wrong' },
      podResourcesPerStorageClass: {
        [storageClass]: { cpuRequest: '10m', memoryRequest: '64Mi', memoryLimit, ephemeralStorageLimit: '2Gi' },
      },
      loadAffinity: [{ nodeSelector: { matchLabels: { 'kubernetes.io/os': 'linux' } } }],
      backupPVC: {
        [storageClass]: {
          readOnly: true,
          annotations: { note: 'from the settings', 'csi.vsphere.volume/fast-provisioning': 'true' },
        },
      },
      priorityClassName: priorityClass,
      podLabels: { team: 'storage' },
      podAnnotations: { 'example.com/note': 'from the settings' },
      cachePVC: { storageClass, residentThresholdInMB: 0 },
    },
  });
  watch(podType, pods);
  watch(persistentVolumeClaimType, claims);
  source = await manyFiles();
});
afterAll(async () => {
  watching.abort(new Error('the test is over'));
  await settings[Symbol.asyncDispose]();
  await removePriorityClass();
  await rm(source, { recursive: true, force: true });
  await lateen.kube.close();
});

describe('settings of the node-agent on a real cluster', () => {
  it('are applied to hosting pods, and engines keep within their limits', async () => {
    const suffix = systemRandom.suffix(5);
    const options: JourneyOptions = {
      veleroNamespace: lateen.veleroNamespace,
      namespace: `settings-${suffix}`,
      restoredNamespace: `settings-${suffix}-restored`,
      image: lateen.image,
      storageClass: lateen.storageClass,
      // ext4 has an inode per 16 KiB.
      volumeSize: '4Gi',
      source: { path: source, files: 0 },
      bigFileBytes: 20_000_000,
    };
    const result = await runJourney(
      options,
      {
        kube: lateen.kube,
        clock: systemClock,
        lateen: lateenCli(root, lateen.kubeconfig, signal),
        shell: (namespace) => podShell({ ...lateen, namespace, pod: podName, signal }),
        say: () => {},
      },
      signal,
    );
    expect(result.entries).toBeGreaterThan(files.folders * files.each);
    expect(result.comparison.filter((each) => each.different.length > 0 && !isFaithful([each]))).toEqual([]);
    expect(result.leftovers).toEqual([]);

    const [upload, download] = [`${options.namespace}-1`, `${options.restoredNamespace}-1`];
    expectUploadAsSet(upload);
    expectDownloadAsSet(download);
    // One attempt each: no mover was killed for memory.
    for (const name of [upload, `${options.namespace}-2`, download])
      expect(pods.get(name)?.metadata.annotations).not.toHaveProperty(['lateen.dev/attempts']);
  });
});

function expectUploadAsSet(name: string): void {
  const pod = pods.get(name);
  expectHostingPod(pod);
  expect(pod?.spec.volumes).toContainEqual(
    expect.objectContaining({ persistentVolumeClaim: { claimName: name, readOnly: true } }),
  );
  const terms = pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  expect(terms?.[0]?.matchExpressions).toContainEqual({ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] });
  const claim = claims.get(name);
  expect(claim?.spec.accessModes).toEqual(['ReadOnlyMany']);
  expect(claim?.metadata.annotations).toMatchObject({ note: 'from the settings' });
}

function expectDownloadAsSet(name: string): void {
  const pod = pods.get(name);
  expectHostingPod(pod);
  expect(pod?.spec.containers[0]?.args).toContain('--cache-volume-path=/cachedir');
  const cache = claims.get(`${name}-cache`);
  expect(cache?.spec.resources?.requests?.storage).toBe('1Gi');
  expect(cache?.metadata.ownerReferences?.[0]?.name).toBe(name);
}

function expectHostingPod(pod: Pod | undefined): void {
  const container = pod?.spec.containers[0];
  expect(container?.resources).toMatchObject({
    requests: { cpu: '10m', memory: '64Mi' },
    limits: { memory: memoryLimit, 'ephemeral-storage': '2Gi' },
  });
  expect(container?.env?.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['LATEEN_POD_UID', 'LATEEN_LIMIT_MEMORY_BYTES', 'LATEEN_LIMIT_EPHEMERAL_STORAGE_BYTES']),
  );
  expect(pod?.spec).toMatchObject({ priorityClassName: priorityClass, priority: 1_000 });
  expect(pod?.metadata.labels).toMatchObject({ team: 'storage' });
  expect(pod?.metadata.annotations).toMatchObject({ 'example.com/note': 'from the settings' });
  expect(JSON.stringify(pod)).not.toContain('"privileged":true');
}

/** Keeps each object that the watch shows, because they are deleted when the movement has ended. */
function watch<T extends KubeObject>(type: ResourceType<T>, seen: Map<string, T>): void {
  const { kube, veleroNamespace: namespace } = lateen;
  const objects = informer<T>({
    api: kube,
    type,
    namespace,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  objects.onChange(({ object }) => void seen.set(object.metadata.name ?? '', object));
  objects.run(watching.signal).catch(() => {});
}

async function manyFiles(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-many-'));
  for (let folder = 0; folder < files.folders; folder++) {
    const path = join(directory, `folder-${folder}`);
    await mkdir(path);
    const names = Array.from({ length: files.each }, (_, index) => `file-${folder}-${index}`);
    await Promise.all(names.map((name) => writeFile(join(path, name), name.padEnd(files.bytes, '.'))));
  }
  return directory;
}

async function removePriorityClass(): Promise<void> {
  await lateen.kube.delete(priorityClassType, { name: priorityClass }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
