import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { renderManifests } from '@lateen/deploy';
import type { Unstructured } from '@lateen/kube';
import { everyPart, manifestParts, type RenderOptions } from '@lateen/manifests';
import { execa } from 'execa';
import { loadAll } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { whyWithout } from './api-parts.ts';

const chart = join(import.meta.dirname, '..', '..', '..', 'deploy', 'charts', 'lateen');
const reason = await whyWithout(['helm']);
const skipped = reason === undefined ? '' : ` (skipped: ${reason})`;
let helm: string;

beforeAll(async () => {
  if (reason !== undefined) return;
  ({ helm = '' } = await ensureParts(['helm'], silentProgress));
});

const run = async (...args: string[]) => await execa(helm, args, { reject: false });

/** The objects that the chart renders for these values (`path=JSON`), CRDs included. */
async function render(values: Record<string, unknown> = {}): Promise<Unstructured[]> {
  const settings = Object.entries(values).flatMap(([path, value]) => [
    '--set-json',
    `${path}=${JSON.stringify(value)}`,
  ]);
  const { stdout, stderr, exitCode } = await run('template', 'lateen', chart, '--include-crds', ...settings);
  expect([exitCode, stderr]).toEqual([0, '']);
  return loadAll(stdout).filter((object) => object !== null && object !== undefined) as Unstructured[];
}

const keyOf = ({ kind, metadata }: Unstructured) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
const byKey = (objects: readonly Unstructured[]) =>
  Object.fromEntries(objects.map((object) => [keyOf(object), object]));

interface PodSpec extends Record<string, unknown> {
  containers: Record<string, unknown>[];
}

function podSpec(objects: readonly Unstructured[], name: string): PodSpec {
  const found = objects.find(({ kind, metadata }) => metadata.name === name && /DaemonSet|Deployment/.test(kind));
  if (found === undefined) throw new Error(`the chart has no workload ${name}`);
  return (found.spec as { template: { spec: PodSpec } }).template.spec;
}

/** Helm always installs the kind of changed blocks, and the others only with our driver. */
const withoutMetadataKind = (objects: readonly Unstructured[]) =>
  objects.filter(({ metadata }) => metadata.name !== 'snapshotmetadataservices.cbt.storage.k8s.io');

/**
 * The chart and deploy/base describe the same installation. A change of one needs the same change of the other; this test lists the
 * differences.
 */
describe.skipIf(reason !== undefined)(
  `base give the same objects/the chart and deploy/base render the same objects/base give the same objects${skipped}`,
  () => {
    const rows: [string, RenderOptions, Record<string, unknown>][] = [
      ['with default values', {}, {}],
      [
        'with another image, namespace and log level',
        { image: 'registry.example/lateen:1.2', namespace: 'backup', logLevel: 'debug' },
        {
          'image.repository': 'registry.example/lateen',
          'image.tag': '1.2',
          'namespace.name': 'backup',
          logLevel: 'debug',
        },
      ],
      ['without pod volumes', { podVolumes: false }, { 'podVolumes.enabled': false }],
      ['without paths of the host', { hostPaths: false }, { 'podVolumes.hostPaths': false }],
      [
        'without pod volumes, in another namespace and with more arguments',
        { podVolumes: false, namespace: 'backup', extraArgs: { 'node-agent': ['--resource-timeout=1m'] } },
        { 'podVolumes.enabled': false, 'namespace.name': 'backup', 'nodeAgent.extraArgs': ['--resource-timeout=1m'] },
      ],
      [
        'without the CSI driver',
        { parts: ['crds', 'namespace', 'controller', 'node-agent'] },
        { 'csi.enabled': false },
      ],
      [
        'without changed blocks',
        { parts: [...manifestParts, 'volume-manager'], snapshotMetadata: false },
        { 'volumeManager.enabled': true, 'csi.snapshotMetadata': false },
      ],
      [
        'with another kubelet directory',
        { nodes: [{ name: 'any', kubeletDir: '/srv/kubelet', csiStateDir: '/srv/volumes' }] },
        { 'csi.kubeletDir': '/srv/kubelet', 'csi.stateDir': '/srv/volumes' },
      ],
      [
        'with replicated volumes, on another kubelet directory and with other images',
        {
          parts: [...manifestParts, 'volume-manager'],
          image: 'registry.example/lateen:1.2',
          storageImage: 'registry.example/storage:1.2',
          logLevel: 'debug',
          nodes: [{ name: 'any', kubeletDir: '/srv/kubelet', csiStateDir: '/srv/volumes' }],
        },
        {
          'image.repository': 'registry.example/lateen',
          'image.tag': '1.2',
          'volumeManager.enabled': true,
          'volumeManager.image': { repository: 'registry.example/storage', tag: '1.2' },
          logLevel: 'debug',
          'csi.kubeletDir': '/srv/kubelet',
          'csi.stateDir': '/srv/volumes',
        },
      ],
      [
        'with managers that mount NFS targets and ask for tokens',
        {
          parts: [...manifestParts, 'volume-manager'],
          privilegedManagers: true,
          extraArgs: { manager: ['--api-auth=token'] },
        },
        { 'volumeManager.enabled': true, 'volumeManager.privilegedManagers': true, 'volumeManager.apiAuth': 'token' },
      ],
      [
        'with plugins',
        { plugins: [{ name: 'a-plugin', image: 'registry.example/a/plugin:1' }] },
        { 'controller.plugins': [{ name: 'a-plugin', image: 'registry.example/a/plugin:1' }] },
      ],
      [
        'with more arguments',
        { extraArgs: { 'node-agent': ['--resource-timeout=1m'], 'lateen-controller': ['--log-level=warn'] } },
        { 'nodeAgent.extraArgs': ['--resource-timeout=1m'], 'controller.extraArgs': ['--log-level=warn'] },
      ],
    ];
    it.each(rows)('%s', async (_, options, values) => {
      const rendered = withoutMetadataKind(await renderManifests(options));
      expect(byKey(withoutMetadataKind(await render(values)))).toEqual(byKey(rendered));
    });
  },
);

/** The fourth way to the same installation; needs no helm. */
const kubectlReason = await whyWithout(['kubectl']);
describe.skipIf(kubectlReason !== undefined)(
  `base give the same objects/kustomize and deploy/base render the same objects/base give the same objects${skipped}`,
  () => {
    const rows: [folder: string, RenderOptions][] = [
      ['base', {}],
      ['overlays/dev', { logLevel: 'debug' }],
      ['overlays/without-pod-volumes', { podVolumes: false }],
      ['overlays/without-host-paths', { hostPaths: false }],
      ['overlays/replicated', { parts: everyPart }],
      ['overlays/replicated-nfs', { parts: everyPart, privilegedManagers: true }],
    ];
    it.each(rows)('%s', async (folder, options) => {
      const { kubectl = '' } = await ensureParts(['kubectl'], silentProgress);
      const { stdout } = await execa(kubectl, ['kustomize', join(chart, '..', '..', folder)]);
      expect(byKey(loadAll(stdout) as Unstructured[])).toEqual(byKey(await renderManifests(options)));
    });
  },
);

const lateen = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');

/** What `lateen install` would apply, except its record of the settings. */
async function installed(...flags: string[]): Promise<Unstructured[]> {
  const { stdout, stderr, exitCode } = await execa(
    process.execPath,
    [lateen, 'install', '-o', 'yaml', '--show-secrets', ...flags],
    { reject: false },
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  const objects = loadAll(stdout) as Unstructured[];
  for (const { metadata } of objects) {
    delete metadata.annotations?.['lateen.dev/install-settings'];
    if (Object.keys(metadata.annotations ?? {}).length === 0) delete metadata.annotations;
  }
  return objects;
}

/** The third way to the same installation. */
describe.skipIf(reason !== undefined)(`the chart and lateen install render the same objects${skipped}`, () => {
  const bucket = ['--provider', 'aws', '--bucket', 'b'];
  const location = { provider: 'aws', bucket: 'b' };
  const rows: [title: string, flags: string[], values: Record<string, unknown>][] = [
    ['with nothing but a location', [...bucket, '--no-secret'], { location, 'csi.enabled': false }],
    ['without a location', ['--no-default-backup-location', '--no-secret'], { 'csi.enabled': false }],
    [
      'with the CSI driver on other directories',
      [...bucket, '--no-secret', '--use-csi-driver', '--kubelet-root-dir=/srv/kubelet', '--csi-state-dir=/srv/volumes'],
      { location, 'csi.kubeletDir': '/srv/kubelet', 'csi.stateDir': '/srv/volumes' },
    ],
    [
      'with a location of many settings',
      [...bucket, '--no-secret', '--prefix=clusters/a', '--backup-location-config=region=r,s3ForcePathStyle=true'],
      {
        location: { ...location, prefix: 'clusters/a', config: { region: 'r', s3ForcePathStyle: 'true' } },
        'csi.enabled': false,
      },
    ],
    [
      'with another image, namespace, log level, resources and arguments',
      [
        ...bucket,
        '--no-secret',
        '--image=registry.example/lateen:1.2',
        '--namespace=backup',
        '--log-level=debug',
        '--velero-pod-mem-limit=2Gi',
        '--node-agent-pod-cpu-request=1',
        '--node-agent-pod-mem-limit=0',
        '--node-agent-configmap=agents',
      ],
      {
        location,
        'image.repository': 'registry.example/lateen',
        'image.tag': '1.2',
        'namespace.name': 'backup',
        logLevel: 'debug',
        'controller.resources.limits.memory': '2Gi',
        'nodeAgent.resources': { requests: { cpu: '1', memory: '128Mi' }, limits: null },
        'nodeAgent.extraArgs': ['--node-agent-configmap=agents'],
        'csi.enabled': false,
      },
    ],
    [
      'without pod volumes',
      [...bucket, '--no-secret', '--use-pod-volumes=false'],
      { location, 'podVolumes.enabled': false, 'csi.enabled': false },
    ],
    [
      'without host paths, on other kubelet directories',
      [...bucket, '--no-secret', '--node-agent-disable-host-path', '--kubelet-root-dir=/srv/kubelet'],
      { location, 'podVolumes.hostPaths': false, 'podVolumes.kubeletDir': '/srv/kubelet', 'csi.enabled': false },
    ],
    [
      'on other kubelet directories, with another time for pod volumes',
      [...bucket, '--no-secret', '--kubelet-root-dir=/srv/kubelet', '--pod-volume-operation-timeout=6h'],
      {
        location,
        'podVolumes.kubeletDir': '/srv/kubelet',
        'controller.extraArgs': ['--fs-backup-timeout=6h'],
        'csi.enabled': false,
      },
    ],
    [
      'with labels and annotations',
      [
        ...bucket,
        '--no-secret',
        '--pod-labels=team=a',
        '--pod-annotations=note=x',
        '--sa-annotations=example.com/role=y',
      ],
      {
        location,
        podLabels: { team: 'a' },
        podAnnotations: { note: 'x' },
        'serviceAccount.annotations': { 'example.com/role': 'y' },
        'csi.enabled': false,
      },
    ],
    [
      'with a service account that is there',
      [...bucket, '--no-secret', '--service-account-name=mine'],
      { location, 'serviceAccount.name': 'mine', 'csi.enabled': false },
    ],
  ];
  it.each(rows)('%s', async (_, flags, values) => {
    expect(byKey(withoutMetadataKind(await installed(...flags)))).toEqual(
      byKey(withoutMetadataKind(await render(values))),
    );
  });

  it('with replicated volumes, whose kinds helm does not install', async () => {
    const flags = ['--no-default-backup-location', '--no-secret', '--volume-manager=replicated'];
    const images = [
      '--volume-manager-image=registry.example/storage:1',
      '--csi-sidecar-image=registry.example/sidecars:1',
    ];
    const objects = await installed(...flags, ...images);
    const isStorageKind = ({ spec }: Unstructured) => (spec as { group?: string } | undefined)?.group === 'longhorn.io';
    expect(objects.filter(isStorageKind)).toHaveLength(25);
    const values = {
      'csi.enabled': false,
      'csi.sidecarImage': { repository: 'registry.example/sidecars', tag: '1' },
      'volumeManager.enabled': true,
      'volumeManager.image': { repository: 'registry.example/storage', tag: '1' },
    };
    expect(byKey(objects.filter((object) => !isStorageKind(object)))).toEqual(byKey(await render(values)));
  });

  it('with credentials', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'lateen-chart-'));
    try {
      await writeFile(join(dir, 'credentials'), 'key=chart-test');
      const flags = ['--no-default-backup-location', '--secret-file', join(dir, 'credentials')];
      const values = { 'credentials.cloud': 'key=chart-test', 'csi.enabled': false };
      expect(byKey(await installed(...flags))).toEqual(byKey(withoutMetadataKind(await render(values))));
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe.skipIf(reason !== undefined)(`the chart${skipped}`, () => {
  it('passes helm lint', async () => {
    expect((await run('lint', '--strict', chart)).stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('gives the agents their settings, and restarts them when those change', async () => {
    const config = { loadConcurrency: { globalConfig: 2 }, podResources: { memoryLimit: '1Gi' }, later: { x: 1 } };
    const objects = await render({ 'nodeAgent.config': config });
    const map = objects.find(({ kind }) => kind === 'ConfigMap') as Unstructured & { data: Record<string, string> };
    expect(map.metadata).toMatchObject({ name: 'node-agent-config', namespace: 'velero' });
    expect(JSON.parse(map.data['config.json'] ?? '')).toEqual(config);
    expect(podSpec(objects, 'node-agent').containers[0]?.args).toContain('--node-agent-configmap=node-agent-config');
    const digest = (of: readonly Unstructured[]) => /config-digest":"(\w+)"/.exec(JSON.stringify(of))?.[1];
    expect(digest(objects)).toMatch(/^[0-9a-f]{64}$/);
    expect(digest(await render({ 'nodeAgent.config': { ...config, later: {} } }))).not.toBe(digest(objects));
  });

  it('accepts pull secrets, digest, scheduling and resources', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const toleration = { key: 'gpu', operator: 'Exists' };
    const objects = await render({
      'image.digest': digest,
      'image.pullSecrets': ['registry'],
      'nodeAgent.tolerations': [toleration],
      'nodeAgent.nodeSelector': { disk: 'ssd' },
      'nodeAgent.priorityClassName': 'backup',
      'controller.resources': { limits: { memory: '2Gi' } },
      'controller.affinity': { podAntiAffinity: {} },
    });
    const agent = podSpec(objects, 'node-agent');
    expect(agent).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      tolerations: [toleration],
      nodeSelector: { disk: 'ssd', 'kubernetes.io/os': 'linux' },
      priorityClassName: 'backup',
    });
    expect(agent.containers[0]?.image).toBe(`localhost/lateen@${digest}`);
    const controller = podSpec(objects, 'lateen-controller');
    expect(controller).toMatchObject({ imagePullSecrets: [{ name: 'registry' }], affinity: { podAntiAffinity: {} } });
    expect(controller.containers[0]?.resources).toMatchObject({ limits: { memory: '2Gi' } });
  });

  it('creates service monitors for its pods, when asked to', async () => {
    const before = await render({ 'csi.enabled': false });
    expect(before.filter(({ kind }) => /Service(Monitor)?$/.test(kind))).toEqual([]);
    const objects = await render({
      'csi.enabled': false,
      'serviceMonitor.enabled': true,
      'serviceMonitor.labels': { release: 'prometheus' },
    });
    const services = objects.filter(({ kind }) => kind === 'Service');
    expect(services.map(keyOf)).toEqual([
      'Service velero/lateen-controller-metrics',
      'Service velero/node-agent-metrics',
    ]);
    for (const { spec } of services) {
      const { selector, ports } = spec as { selector: Record<string, string>; ports: { targetPort: string }[] };
      const template = objects.find((it) => {
        const labels = (it.spec as { template?: { metadata?: Unstructured['metadata'] } } | undefined)?.template
          ?.metadata?.labels;
        return Object.entries(selector).every(([label, value]) => labels?.[label] === value);
      });
      expect(template).toBeDefined();
      expect(ports.map(({ targetPort }) => targetPort)).toEqual(['metrics']);
    }
    const monitors = objects.filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitors.map(({ metadata }) => metadata.labels?.release)).toEqual(['prometheus', 'prometheus']);
  });

  it.each([
    ['logLevl', 'info', "additional properties 'logLevl' not allowed"],
    ['logLevel', 'loud', "at '/logLevel': value must be one of"],
    ['image.pullPolicy', 'Sometimes', "at '/image/pullPolicy'"],
    ['image.digest', 'sha256:feed', "at '/image/digest'"],
    ['namespace.name', 'Velero', "at '/namespace/name'"],
    ['controller.resources', { limit: { memory: '1Gi' } }, "additional properties 'limit' not allowed"],
    ['controller.resources', { limits: { memory: 'lots' } }, "at '/controller/resources/limits/memory'"],
    ['nodeAgent.config', { loadConcurrency: { globalConfig: 0 } }, 'minimum: got 0, want 1'],
    ['nodeAgent.config', { podResources: { cpuRequest: '1 core' } }, "at '/nodeAgent/config/podResources/cpuRequest'"],
    ['nodeAgent.tolerations', [{ operator: 'Equals' }], "at '/nodeAgent/tolerations/0/operator'"],
    ['csi.kubeletDir', 'var/lib', "at '/csi/kubeletDir'"],
    ['location', { provider: 'aws' }, "at '/location'"],
    ['location', { provider: 'aws', bucket: '-b' }, "at '/location/bucket'"],
    ['podVolumes.enabled', 'no', "at '/podVolumes/enabled'"],
    ['volumeManager.enabled', 'yes', "at '/volumeManager/enabled'"],
    ['volumeManager.image', { digest: 'sha256:1' }, "at '/volumeManager/image/digest'"],
    ['podLabels', { a: 1 }, "at '/podLabels/a'"],
    ['serviceMonitor.interval', '30', "at '/serviceMonitor/interval'"],
  ])('rejects %s=%j and names the value', async (path, value, message) => {
    const { exitCode, stderr } = await run(
      'template',
      'lateen',
      chart,
      '--set-json',
      `${path}=${JSON.stringify(value)}`,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });

  it('does not create the namespace that its release is stored in, and says what to do', async () => {
    const { exitCode, stderr } = await run('template', 'lateen', chart, '--namespace', 'velero');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('give helm another --namespace');
    const { exitCode: fine } = await run(
      'template',
      'lateen',
      chart,
      '-n',
      'velero',
      '--set',
      'namespace.create=false',
    );
    expect(fine).toBe(0);
  });
});
