import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backupStorageLocationType,
  daemonSetType,
  deploymentType,
  type KubeObject,
  namespaceType,
  secretType,
  type Unstructured,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { inApplyOrder, type ManifestPart, type RenderOptions, renderManifests, typeOf } from '@lateen/manifests';
import { addPlugin } from '@lateen/operations/installation';
import {
  aBackupStorageLocation,
  aConfigMap,
  aDaemonSet,
  FakeClock,
  fakeCluster,
  letTimePass,
  seededRandom,
  testCertificates,
} from '@lateen/testing';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';
import { bundledManifests } from './bundled-manifests.ts';
import { hiddenValue } from './print-manifests.ts';

const manifests = await bundledManifests();
const secretText = 'aws_secret_access_key=install-test-secret';
const parts = ['crds', 'namespace', 'controller', 'node-agent'] as const;
let dir: string;
let secretFile: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-install-'));
  secretFile = join(dir, 'credentials');
  await writeFile(secretFile, secretText);
});
afterAll(() => rm(dir, { recursive: true }));

function setUp(objects: KubeObject[] = []) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  // Does what kube-apiserver does for definitions.
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'CustomResourceDefinition') return;
    cluster.change<Unstructured>(typeOf(object), { name: object.metadata.name ?? '' }, (definition) => {
      definition.status = { conditions: [{ type: 'Established', status: 'True' }] };
    });
  });
  let connected = false;
  const run = async (...words: string[]) => {
    const world = { clock, random: seededRandom(), kube: cluster };
    const ran = await letTimePass(runForTests(world, ['install', ...words]), clock);
    connected ||= ran.connected;
    return { exitCode: ran.code, out: ran.stdout, err: ran.stderr };
  };
  return { cluster, clock, run, connected: () => connected };
}

const usual = () => [
  '--provider',
  'aws',
  '--bucket',
  'b',
  '--secret-file',
  secretFile,
  '--image',
  'r.example/lateen:1',
];
const controllerKey = { namespace: 'velero', name: 'lateen-controller' };
const roleOf = (cluster: ReturnType<typeof fakeCluster>, kind: string) => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name: 'lateen-node-agent' } };
  return cluster.find<Unstructured>(typeOf(role), {
    ...(kind === 'Role' ? { namespace: 'velero' } : {}),
    name: 'lateen-node-agent',
  })?.rules;
};
const container = (object: unknown) =>
  (object as { spec: { template: { spec: { containers: Record<string, unknown>[] } } } }).spec.template.spec
    .containers[0];

/** The fields of an object that settings change, so that the recorded result stays when deploy/ changes elsewhere. */
function settable(object: Unstructured): unknown {
  if (object.kind !== 'Deployment' && object.kind !== 'DaemonSet') return object;
  const { template } = object.spec as { template: { metadata: object; spec: { serviceAccountName: string } } };
  const { image, args, resources } = container(object) ?? {};
  const { serviceAccountName } = template.spec;
  const { kind, metadata } = object;
  return { kind, metadata, template: template.metadata, serviceAccountName, image, args, resources };
}

/** The objects without the record of the settings. */
const withoutSettings = (objects: Unstructured[]): Unstructured[] =>
  objects.map((object) => {
    const { annotations, ...metadata } = object.metadata;
    return annotations?.['lateen.dev/install-settings'] === undefined ? object : { ...object, metadata };
  });

describe('lateen install --dry-run', () => {
  it('prints exactly the objects of deploy/ when only the bucket is given', async () => {
    const { run, connected } = setUp();
    const { out, exitCode } = await run('--dry-run', '-o', 'yaml', '--provider=aws', '--bucket=b', '--no-secret');
    const printed = loadAll(out) as Unstructured[];
    expect(exitCode).toBe(0);
    expect(printed.filter(({ kind }) => kind !== 'BackupStorageLocation')).toEqual(
      inApplyOrder(renderManifests(manifests, { parts })),
    );
    expect(printed.find(({ kind }) => kind === 'BackupStorageLocation')).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { namespace: 'velero', name: 'default', labels: { 'app.kubernetes.io/part-of': 'lateen' } },
      spec: { provider: 'aws', default: true, objectStorage: { bucket: 'b' } },
    });
    expect(connected()).toBe(false);
  });

  it('prints volumes with replicas and their kinds when asked for, and local volumes when asked for', async () => {
    const { run } = setUp();
    const of = async (...flags: string[]) => {
      const { out, exitCode } = await run(
        '--dry-run',
        '-o',
        'yaml',
        '--no-default-backup-location',
        '--no-secret',
        ...flags,
      );
      expect(exitCode).toBe(0);
      return withoutSettings(loadAll(out) as Unstructured[]);
    };
    const storageImage = 'r.example/storage:1';
    const renderWith = (options: RenderOptions, ...more: ManifestPart[]) =>
      inApplyOrder(renderManifests(manifests, { ...options, parts: [...parts, ...more], storageImage }));
    const render = (...more: ManifestPart[]) => renderWith({}, ...more);
    const replicated = ['--volume-manager=replicated', '--volume-manager-image=r.example/storage:1'];
    expect(await of(...replicated)).toEqual(render('crds-storage', 'snapshot-metadata', 'volume-manager'));
    expect(await of(...replicated, '--use-csi-driver')).toEqual(
      render('crds-storage', 'snapshot-metadata', 'volume-manager', 'csi'),
    );
    expect(await of('--volume-manager=local')).toEqual(render('snapshot-metadata', 'csi'));
    expect(await of('--volume-manager=local', '--use-snapshot-metadata=false')).toEqual(
      renderWith({ snapshotMetadata: false }, 'csi'),
    );
    const managers = { privilegedManagers: true, extraArgs: { manager: ['--api-auth=token'] } };
    expect(await of(...replicated, '--privileged-managers', '--manager-api-auth=token')).toEqual(
      renderWith(managers, 'crds-storage', 'snapshot-metadata', 'volume-manager'),
    );
    expect(await of('--volume-manager=none')).toEqual(render());
    const kinds = await of('--crds-only', '--volume-manager=replicated');
    expect(kinds).toHaveLength(manifests.crds.length + manifests['crds-storage'].length + 1);
  });

  it('redacts the Secret with a value that no API server accepts, unless asked for', async () => {
    const { run } = setUp();
    const hidden = await run('--dry-run', '-o', 'json', ...usual());
    expect(hidden.out).not.toContain(Buffer.from(secretText).toString('base64'));
    expect(hidden.err).toContain('--show-secrets');
    const secretIn = (text: string) =>
      (JSON.parse(text) as { items: Unstructured[] }).items.find(({ kind }) => kind === 'Secret');
    expect(secretIn(hidden.out)?.data).toEqual({ cloud: hiddenValue });
    expect(hiddenValue).not.toMatch(/^[A-Za-z0-9+/=]*$/);
    const shown = await run('--dry-run', '-o', 'json', '--show-secrets', ...usual());
    expect(secretIn(shown.out)).toMatchObject({
      metadata: { namespace: 'velero', name: 'cloud-credentials' },
      data: { cloud: Buffer.from(secretText).toString('base64') },
    });
  });

  it('lists what would be applied when -o is not given', async () => {
    const { out } = await setUp().run('--dry-run', ...usual());
    expect(out).toContain('would be applied  Deployment velero/lateen-controller\n');
    expect(out).toContain('would be applied  Secret velero/cloud-credentials\n');
    expect(out).not.toContain('CSIDriver');
  });

  it('applies every setting to the objects as recorded', async () => {
    const { run } = setUp();
    const ca = join(dir, 'ca.pem');
    await writeFile(ca, (await testCertificates()).ca);
    const words =
      '-n backup --prefix p --backup-location-config region=r,s3Url=http://x --log-level debug --pod-labels team=a --pod-annotations note=x --sa-annotations role=y --velero-pod-mem-limit 0 --velero-pod-cpu-request 1 --use-pod-volumes=false --pod-volume-operation-timeout 6h --node-agent-pod-mem-request 64Mi --node-agent-configmap agents --backup-repository-configmap repos --repo-maintenance-job-configmap jobs --default-repo-maintain-frequency 2h --concurrent-backups 3 --item-block-worker-count 4 --default-snapshot-move-data --backup-sync-period 5m --garbage-collection-frequency 2h --schedule-skip-immediately --features EnableAPIGroupVersions';
    const { out, err } = await run('--dry-run', '-o', 'yaml', ...usual(), '--cacert', ca, ...words.split(' '));
    expect(err).toContain('note: the values of the Secret');
    const printed = loadAll(out) as Unstructured[];
    const shown = printed.filter(({ kind }) => /^(Deployment|DaemonSet|ServiceAccount|Namespace|BackupS)/.test(kind));
    for (const object of shown) {
      const { objectStorage } = (object.spec ?? {}) as { objectStorage?: { caCert?: string } };
      if (objectStorage?.caCert === undefined) continue;
      expect(Buffer.from(objectStorage.caCert, 'base64').toString()).toContain('BEGIN CERTIFICATE');
      objectStorage.caCert = 'of the file';
    }
    expect(shown.map(settable)).toMatchSnapshot();
  });

  it('binds an existing account to the permissions of both, and creates none', async () => {
    const { out } = await setUp().run('--dry-run', '-o', 'yaml', ...usual(), '--service-account-name', 'mine');
    const printed = loadAll(out) as Unstructured[];
    expect(printed.filter(({ kind }) => kind === 'ServiceAccount')).toEqual([]);
    const bindings = printed.filter(({ kind }) => kind.endsWith('Binding'));
    expect(bindings.map(({ subjects }) => subjects)).toEqual(
      bindings.map(() => [{ kind: 'ServiceAccount', name: 'mine', namespace: 'velero' }]),
    );
    expect(bindings.length).toBeGreaterThan(2);
  });

  it('applies only definitions with --crds-only, which needs no other flag', async () => {
    const { out, exitCode } = await setUp().run('--crds-only', '--dry-run', '-o', 'yaml');
    expect([exitCode, new Set((loadAll(out) as Unstructured[]).map(({ kind }) => kind))]).toEqual([
      0,
      new Set(['CustomResourceDefinition']),
    ]);
  });
});

describe('lateen install rejects', () => {
  const rows: [words: string, message: string][] = [
    ['--bucket b --no-secret', '--provider is required'],
    ['--provider aws --no-secret', '--bucket is required'],
    ['--provider aws --bucket b', 'One of --secret-file or --no-secret is required'],
    ['--provider aws --bucket b --secret-file x --no-secret', 'Cannot use both --secret-file and --no-secret'],
    ['--provider aws --bucket=-b --no-secret', 'Bucket names cannot begin with a dash. Bucket name was: -b'],
    [
      '--no-default-backup-location --bucket b --no-secret',
      'Cannot use both --bucket and --no-default-backup-location at the same time',
    ],
    [
      '--no-default-backup-location --prefix b --no-secret',
      'Cannot use both --prefix and --no-default-backup-location at the same time',
    ],
    [
      '--no-default-backup-location --backup-location-config a=b --no-secret',
      'Cannot use both --backup-location-config and --no-default-backup-location at the same time',
    ],
    [
      '--provider aws --bucket b --no-secret --default-volumes-to-fs-backup --use-node-agent=false',
      '--use-node-agent is required when using --default-volumes-to-fs-backup',
    ],
    [
      '--provider aws --bucket b --no-secret --default-volumes-to-fs-backup --use-pod-volumes=false',
      '--use-pod-volumes is required when using --default-volumes-to-fs-backup',
    ],
    [
      '--provider aws --bucket b --no-secret --use-volume-snapshots=false --snapshot-location-config a=b',
      '--snapshot-location-config must be empty when --use-volume-snapshots=false',
    ],
    [
      '--provider aws --bucket b --no-secret --use-volume-snapshots=perhaps',
      '--use-volume-snapshots "perhaps" is not true or false',
    ],
    [
      '--provider aws --bucket b --no-secret --snapshot-location-config region',
      '--snapshot-location-config: "region" is not of the form key=value',
    ],
    [
      '--provider aws --bucket b --no-secret --snapshot-location-config secretKey=x',
      '--snapshot-location-config: secretKey is a secret and must not be stored in a location',
    ],
    ['--bucket b --no-secret --use-volume-snapshots', '--provider is required'],
    [
      '--provider aws --bucket b --no-secret --use-node-agent-windows',
      '--use-node-agent-windows is refused: there is no image for Windows nodes',
    ],
    ['--provider aws --bucket b --secret-file /nowhere/at/all', '--secret-file /nowhere/at/all cannot be read: ENOENT'],
    [
      '--provider aws --bucket b --secret-file /dev/zero',
      '--secret-file /dev/zero cannot be read: it has more than 524288 bytes',
    ],
    ['--provider aws --bucket b --secret-file /dev/null', '--secret-file /dev/null is empty'],
    [
      '--provider aws --bucket b --no-secret --cacert /etc/hostname',
      '--cacert "/etc/hostname": it holds no PEM certificate',
    ],
    [
      '--provider aws --bucket b --no-secret --velero-pod-mem-limit lots',
      '--velero-pod-mem-limit "lots" is not a quantity',
    ],
    [
      '--provider aws --bucket b --no-secret --node-agent-pod-cpu-request=-1',
      '--node-agent-pod-cpu-request "-1" is not a quantity',
    ],
    [
      '--provider aws --bucket b --no-secret --velero-pod-mem-request 8Gi',
      'lateen-controller would ask for 8Gi memory, more than its limit 1Gi',
    ],
    ['--provider aws --bucket b --no-secret --pod-labels a', '--pod-labels: "a" is not of the form key=value'],
    [
      '--provider aws --bucket b --no-secret --sa-annotations a=b --service-account-name x',
      '--sa-annotations is for our own service accounts',
    ],
    [
      '--provider aws --bucket b --no-secret --uploader-type restic',
      '--uploader-type "restic" is not an uploader of new volumes',
    ],
    [
      '--provider aws --bucket b --no-secret --kubelet-root-dir var/lib',
      '--kubelet-root-dir "var/lib" is not an absolute path',
    ],
    ['--provider aws --bucket b --no-secret --image :x', '--image ":x" is not the name of an image'],
    [
      '--provider aws --bucket b --no-secret --backup-sync-period=often',
      '--backup-sync-period "often" is not a duration',
    ],
    [
      '--provider aws --bucket b --no-secret --concurrent-backups=0',
      '--concurrent-backups "0" is not a whole number from 1 to 100',
    ],
    [
      '--provider aws --bucket b --no-secret --default-repo-maintain-frequency=-1h',
      '--default-repo-maintain-frequency "-1h" is not a duration',
    ],
    ['--provider aws --bucket b --no-secret --timeout soon', '--timeout "soon" is not a duration'],
    ['--provider aws --bucket b --no-secret -o xml', '--output "xml" is not a format'],
    ['--provider aws --bucket b --no-secret -n kube-system', 'namespace kube-system belongs to the cluster'],
    ['--provider aws --bucket b --no-secret -n ../x', '--namespace "../x" is not the name of a namespace'],
  ];
  it.each(rows)('%s', async (words, message) => {
    for (const more of [[], ['--dry-run']]) {
      const { run, cluster } = setUp();
      const { exitCode, err } = await run(...words.split(' '), ...more);
      expect([exitCode, err]).toEqual([1, expect.stringContaining(`An error occurred: ${message}`)]);
      expect(cluster.calls.filter(({ verb }) => verb === 'patch' || verb === 'create')).toEqual([]);
    }
  });

  it('a namespace in which Velero runs, before anything is changed', async () => {
    const { run, cluster } = setUp([aDaemonSet({ name: 'node-agent', namespace: 'velero' })]);
    const { exitCode, err } = await run(...usual());
    expect([exitCode, err]).toEqual([1, expect.stringContaining("DaemonSet velero/node-agent is not Lateen's")]);
    expect(cluster.calls.filter(({ verb }) => verb === 'patch')).toEqual([]);
  });
});

describe('lateen install', () => {
  it('warns about flags without effect and continues', async () => {
    const flags = ['--disable-informer-cache', '--privileged-node-agent', '--concurrent-backups=2'];
    const { exitCode, err } = await setUp().run(...usual(), ...flags, '--dry-run');
    expect(exitCode).toBe(0);
    expect(err.match(/warning: /g)).toHaveLength(2);
    expect(err).toContain(
      'warning: --disable-informer-cache is ignored: caches are bounded and cannot be switched off.',
    );
  });

  it.each<[string[], object | undefined]>([
    [[], undefined],
    [['--use-volume-snapshots=false'], undefined],
    [['--use-volume-snapshots'], { provider: 'aws' }],
    [
      ['--snapshot-location-config', 'region=eu,profile=p'],
      { provider: 'aws', config: { region: 'eu', profile: 'p' } },
    ],
  ])('creates a location of native snapshots when asked to: %j', async (flags, spec) => {
    const { run, cluster } = setUp();
    expect((await run(...usual(), ...flags)).exitCode).toBe(0);
    const key = { namespace: 'velero', name: 'default' };
    expect(cluster.find(volumeSnapshotLocationType, key)?.spec).toEqual(spec);
    // Settings that are not given again are kept.
    await run('--image', 'r.example/lateen:2');
    expect(cluster.find(volumeSnapshotLocationType, key)?.spec).toEqual(spec);
  });

  it('warns about settings of managers when there are none', async () => {
    const { run } = setUp();
    const { exitCode, err } = await run(...usual(), '--privileged-managers', '--manager-api-auth=token');
    expect(exitCode).toBe(0);
    for (const flag of ['--privileged-managers', '--manager-api-auth'])
      expect(err).toContain(`warning: ${flag} changes nothing without --volume-manager=replicated.\n`);
  });

  it('creates everything once, and reports at the second time that nothing changed', async () => {
    const { run, cluster } = setUp();
    const first = await run(...usual());
    expect([first.exitCode, first.err]).toEqual([0, expect.stringContaining('no VolumeSnapshots')]);
    expect(first.out).toContain('created     CustomResourceDefinition backups.velero.io\n');
    expect(first.out).toMatch(/\d+ objects: 2\d created, [01] configured, 0 unchanged\.\n$/);
    expect(first.out + first.err).not.toContain('install-test-secret');
    const secret = cluster.find(secretType, { namespace: 'velero', name: 'cloud-credentials' });
    expect(Buffer.from(secret?.data?.cloud ?? '', 'base64').toString()).toBe(secretText);
    const passwordKey = { namespace: 'velero', name: 'velero-repo-credentials' };
    const password = cluster.find(secretType, passwordKey)?.data?.['repository-password'] ?? '';
    expect(Buffer.from(password, 'base64').toString()).toMatch(/^[0-9a-f]{64}$/);
    expect(first.err).toContain('Keep a copy outside the cluster');
    expect(first.out + first.err).not.toContain(password);
    const second = await run(...usual());
    expect(cluster.find(secretType, passwordKey)?.data?.['repository-password']).toBe(password);
    expect(second.out).toMatch(/(\d+) objects: 0 created, 0 configured, \1 unchanged\.\n$/);
    const restart = 'kubectl rollout restart -n velero deployment/lateen-controller daemonset/node-agent\n';
    expect(first.err).not.toContain('rollout restart');
    expect(second.err).toContain(restart);
    expect((await run('--image', 'r.example/lateen:2')).err).not.toContain('rollout restart');
  });

  it('upgrades with only an image, and keeps settings, Secret, ConfigMap and location', async () => {
    const { run, cluster } = setUp([aConfigMap({ name: 'agents', namespace: 'velero', data: { c: '{}' } })]);
    await run(...usual(), '--node-agent-configmap', 'agents', '--velero-pod-mem-limit', '2Gi');
    const { exitCode, out, err } = await run('--image', 'r.example/lateen:2');
    expect([exitCode, err]).toEqual([0, expect.stringContaining('kept from the last install: --')]);
    expect(out).toContain('configured  Deployment velero/lateen-controller  (spec.template.spec.containers.0.image)\n');
    expect(out).not.toMatch(/Secret|BackupStorageLocation velero/);
    const deployment = cluster.find(deploymentType, controllerKey);
    expect(container(deployment)).toMatchObject({
      image: 'r.example/lateen:2',
      resources: { limits: { memory: '2Gi' } },
    });
    expect(cluster.find(secretType, { namespace: 'velero', name: 'cloud-credentials' })).toBeDefined();
    const location = cluster.find(backupStorageLocationType, { namespace: 'velero', name: 'default' });
    expect(location?.spec.objectStorage.bucket).toBe('b');
  });

  it('keeps the current image when a later install names none', async () => {
    const { run, cluster } = setUp();
    await run(...usual());
    const { exitCode, out } = await run('--log-level', 'debug');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('configured  Deployment velero/lateen-controller  (')]);
    const now = container(cluster.find(deploymentType, controllerKey));
    expect([now?.image, now?.args]).toEqual(['r.example/lateen:1', expect.arrayContaining(['--log-level=debug'])]);
    await run('--reset-settings');
    expect(container(cluster.find(deploymentType, controllerKey))?.args).toContain('--log-level=info');
  });

  it('installs plugins, keeps them, including those of plugin add, and with --plugins has exactly those', async () => {
    const { run, cluster } = setUp();
    const images = () =>
      cluster.find(deploymentType, controllerKey)?.spec.template.spec.initContainers?.map(({ image }) => image);
    await run(...usual(), '--plugins', 'a/one:1,a/two:1');
    expect(images()).toEqual(['a/one:1', 'a/two:1']);
    await addPlugin(
      { kube: cluster, namespace: 'velero', signal: new AbortController().signal },
      { name: 'a-three', image: 'a/three:1', pullPolicy: 'Always' },
    );
    const kept = await run('--image', 'r.example/lateen:2');
    expect(kept.err).toContain('--plugins=a/one:1,a/two:1,a/three:1');
    expect(images()).toEqual(['a/one:1', 'a/two:1', 'a/three:1']);
    const [, , three] = cluster.find(deploymentType, controllerKey)?.spec.template.spec.initContainers ?? [];
    expect(three?.imagePullPolicy).toBe('Always');
    await run('--plugins', 'a/two:2');
    expect(images()).toEqual(['a/two:2']);
    await run('--plugins=');
    expect(images() ?? []).toEqual([]);
  });

  it('rejects two images of the same plugin', async () => {
    const { exitCode, err } = await setUp().run(...usual(), '--plugins', 'a/one:1,r.example/a/one:2');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('which are the same plugin a-one')]);
  });

  it('needs no provider, bucket or keys when a location exists, and leaves it unchanged', async () => {
    const location = aBackupStorageLocation({ name: 'offsite', namespace: 'velero' });
    const { run, cluster } = setUp([location]);
    const { exitCode, err } = await run('--image', 'r.example/lateen:1');
    expect([exitCode, err]).toEqual([
      0,
      expect.stringContaining('note: there already, and kept: BackupStorageLocation offsite\n'),
    ]);
    expect(cluster.all(backupStorageLocationType, 'velero').map(({ spec }) => spec)).toEqual([location.spec]);
    const nothing = await setUp().run('--image', 'r.example/lateen:1');
    expect([nothing.exitCode, nothing.err]).toEqual([1, expect.stringContaining('--provider is required')]);
  });

  it('does not change another default location', async () => {
    const { run, cluster } = setUp();
    await run(...usual());
    const key = { namespace: 'velero', name: 'default' };
    await cluster.patch(backupStorageLocationType, key, { type: 'merge', body: { spec: { default: false } } });
    cluster.put({
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { namespace: 'velero', name: 'mine' },
      ...{ spec: { provider: 'aws', default: true, objectStorage: { bucket: 'm' } } },
    });
    const { err } = await run(...usual());
    expect(err).toContain('warning: location mine stays the default one.');
    expect(cluster.find(backupStorageLocationType, key)?.spec.default).toBe(false);
  });

  it('reports what was applied when the API server rejects an object, and continues when it is run again', async () => {
    const { run, cluster } = setUp();
    cluster.failOnce('patch', deploymentType, 'KUBE_FORBIDDEN');
    const failed = await run(...usual());
    expect([failed.exitCode, failed.err]).toEqual([
      1,
      expect.stringMatching(
        /Deployment velero\/lateen-controller was not accepted: .* \d+ of \d+ objects are in place/,
      ),
    ]);
    const again = await run(...usual());
    expect([again.exitCode, again.out]).toEqual([0, expect.stringMatching(/ 2 created, 0 configured, \d+ unchanged/)]);
  });

  it('removes pod volumes with what they need, keeps that setting, and adds them again', async () => {
    const { run, cluster } = setUp();
    const now = () => {
      const level = cluster.find(namespaceType, { name: 'velero' })?.metadata.labels;
      const deployment = container(cluster.find(deploymentType, controllerKey));
      const agents = container(cluster.find(daemonSetType, { namespace: 'velero', name: 'node-agent' }));
      const off = '--use-pod-volumes=false';
      return {
        level: level?.['pod-security.kubernetes.io/enforce'],
        off: [deployment, agents].map((it) => (it?.args as string[] | undefined)?.includes(off)),
        rights: ['Role', 'ClusterRole'].map((kind) =>
          JSON.stringify(roleOf(cluster, kind)).match(/"(podvolumebackups|pods)"/g),
        ),
      };
    };
    const on = { level: 'privileged', off: [false, false], rights: [['"podvolumebackups"', '"pods"'], ['"pods"']] };
    const off = { level: 'baseline', off: [true, true], rights: [['"pods"'], null] };
    await run(...usual());
    expect(now()).toEqual(on);
    await run('--use-pod-volumes=false');
    expect(now()).toEqual(off);
    const kept = await run('--image', 'r.example/lateen:2');
    expect([now(), kept.err]).toEqual([off, expect.stringContaining('--use-pod-volumes=false')]);
    const refused = await run('--default-volumes-to-fs-backup');
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('--use-pod-volumes is required')]);
    const back = await run('--use-pod-volumes', '--default-volumes-to-fs-backup');
    expect(back.err).toContain(
      'warning: the pod security level of namespace velero changes from "baseline" to "privileged"',
    );
    expect(now()).toEqual(on);
    expect(container(cluster.find(deploymentType, controllerKey))?.args).toContain(
      '--default-volumes-to-fs-backup=true',
    );
  });

  it('warns about a ConfigMap that does not exist', async () => {
    const { err } = await setUp().run(...usual(), '--node-agent-configmap', 'none');
    expect(err).toContain('warning: ConfigMap velero/none is not there yet');
  });
});

describe('lateen install --wait', () => {
  it('reports why a pod does not start, from its Events, and gives up after the timeout', async () => {
    const { run, cluster } = setUp();
    cluster.onChange(({ type, object }) => {
      if (type !== 'ADDED' || object.kind !== 'DaemonSet') return;
      cluster.put({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'velero', name: 'e1' },
        ...{
          type: 'Warning',
          reason: 'FailedCreate',
          message: 'pods "node-agent-" is forbidden: quota',
          involvedObject: { kind: 'DaemonSet', name: 'node-agent', namespace: 'velero' },
        },
      });
    });
    const { exitCode, err } = await run(...usual(), '--wait', '--timeout', '20s');
    expect(exitCode).toBe(1);
    expect(err).toContain('DaemonSet velero/node-agent: FailedCreate: pods "node-agent-" is forbidden: quota');
    expect(err).toMatch(/An error occurred: \w+ velero\/[a-z-]+ is not ready after 20s/);
  });

  it("fails with the location's message when it is not Available", async () => {
    const { run, cluster } = setUp();
    cluster.onChange(({ type, object }) => {
      const { namespace, name = '' } = object.metadata;
      if (type === 'ADDED' && object.kind === 'BackupStorageLocation')
        cluster.change(backupStorageLocationType, { namespace, name }, (it) => {
          it.status = { phase: 'Unavailable', message: 'the bucket b does not exist' };
        });
      if (type === 'ADDED' && (object.kind === 'Deployment' || object.kind === 'DaemonSet'))
        cluster.change<Unstructured>(typeOf(object), { namespace, name }, (it) => {
          const done = { updatedNumberScheduled: 1, desiredNumberScheduled: 1, numberAvailable: 1 };
          const counts = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
          it.status = { observedGeneration: it.metadata.generation, ...done, ...counts };
        });
    });
    const { exitCode, out, err } = await run(...usual(), '--wait', '--timeout', '20s');
    expect(out).toContain('ready       DaemonSet velero/node-agent\n');
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining('is not Available after 20s: Unavailable: the bucket b does not exist'),
    ]);
  });
});
