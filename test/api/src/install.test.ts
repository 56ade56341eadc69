import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupStorageLocationType, deploymentType, namespaceType, secretType } from '@lateen/api-types';
import { renderManifests } from '@lateen/deploy';
import { keyOf, type Unstructured } from '@lateen/kube';
import { applyManifests, typeOf } from '@lateen/manifests';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithApiServer } from './with-api-server.ts';

const lateen = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');
const namespace = 'lateen-install';
const signal = AbortSignal.any([]);
const secretValue = 'install-api-test-secret';

interface Definition extends Unstructured {
  spec: {
    versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } } }[];
  };
}

const crds = await renderManifests({ parts: ['crds'] });
const locationDefinition = crds.find(
  ({ metadata }) => metadata.name === 'backupstoragelocations.velero.io',
) as Unstructured;

/** The definition of an older version, without one field. */
function older(field: string): Definition {
  const copy = structuredClone(locationDefinition) as Definition;
  for (const { schema } of copy.spec.versions) delete schema.openAPIV3Schema.properties.spec.properties[field];
  return copy;
}

await describeWithApiServer('lateen install on a real kube-apiserver', (under) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'lateen-install-'));
    await writeFile(join(dir, 'credentials'), secretValue);
  });
  afterAll(() => rm(dir, { recursive: true }));

  const run = async (...words: string[]) => {
    const { stdout, stderr, exitCode } = await execa(
      process.execPath,
      [lateen, '--kubeconfig', under.server.kubeconfig, '-n', namespace, ...words],
      { reject: false, stdin: 'ignore' },
    );
    expect(stdout + stderr).not.toContain(secretValue);
    return { stdout, stderr, exitCode };
  };
  const bucket = ['--provider', 'aws', '--bucket', 'b'];

  it('removes unused definitions, and says when there is nothing left', async () => {
    await run('install', '--crds-only');
    const { stdout, exitCode } = await run('uninstall', '--confirm');
    expect([exitCode, stdout.match(/^removed {2}CustomResourceDefinition /gm)?.length]).toEqual([0, 13]);
    const again = await run('uninstall', '--confirm');
    expect([again.exitCode, again.stdout]).toEqual([0, `Nothing of Lateen is in namespace ${namespace}.`]);
  });

  it('updates definitions of an older version in place, and keeps their objects', async () => {
    await applyManifests(under.kube, [older('validationFrequency')], { signal });
    await under.kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'older' } });
    const location = (name: string) => ({
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { namespace: 'older', name },
      spec: { provider: 'aws', objectStorage: { bucket: 'b' }, validationFrequency: '5m' },
    });
    const pruned = await under.kube.create(backupStorageLocationType, location('before'));
    expect(pruned.spec.validationFrequency).toBeUndefined();
    const before = await under.kube.get(typeOf(locationDefinition), keyOf(locationDefinition));

    const { stdout, exitCode } = await run('install', '--crds-only');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/13 objects: 12 created, 1 configured, 0 unchanged\.$/),
    ]);
    expect(stdout).toMatch(
      /configured {2}CustomResourceDefinition backupstoragelocations\.velero\.io {2}\(.*validationFrequency/,
    );
    const after = await under.kube.get(typeOf(locationDefinition), keyOf(locationDefinition));
    expect(after.metadata.uid).toBe(before.metadata.uid);
    const kept = await under.kube.get(backupStorageLocationType, { namespace: 'older', name: 'before' });
    expect(kept.metadata.uid).toBe(pruned.metadata.uid);
    await expect
      .poll(
        async () => {
          const made = await under.kube.create(
            backupStorageLocationType,
            location(`after-${Math.trunc(performance.now())}`),
          );
          return made.spec.validationFrequency;
        },
        { timeout: 100_000 },
      )
      .toBe('5m');
  });

  it('changes nothing when it is repeated', async () => {
    const { stdout, exitCode } = await run('install', '--crds-only');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/0 created, 0 configured, 13 unchanged\.$/)]);
  });

  it('takes over definitions that were created with kubectl create', async () => {
    const name = 'schedules.velero.io';
    const theirs = crds.find(({ metadata }) => metadata.name === name) as Unstructured;
    await under.kube.delete(typeOf(theirs), { name });
    await expect
      // The API server first looks for objects of the definition, and retries after a while when that fails.
      .poll(async () => await under.kube.get(typeOf(theirs), { name }).catch(() => 'gone'), { timeout: 200_000 })
      .toBe('gone');
    await under.kube.create(typeOf(theirs), theirs, { fieldManager: 'kubectl-create' });
    const { stdout, exitCode } = await run('install', '--crds-only');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/0 created, 0 configured, 13 unchanged\.$/)]);
  }, 300_000);

  it('creates a whole installation, and is idempotent for every kind in it', async () => {
    const flags = [...bucket, '--secret-file', join(dir, 'credentials'), '--image', 'registry.example/lateen:1'];
    const refused = await run('install', ...flags, '--use-csi-driver');
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('the CSI driver needs the VolumeSnapshots of external-snapshotter');
    // A label that only the API server rejects, when nearly everything exists.
    const halfWay = await run('install', ...flags, '--pod-labels', 'a/b/c=1');
    expect([halfWay.exitCode, halfWay.stderr]).toEqual([
      1,
      expect.stringMatching(/Deployment .* was not accepted: .*2\d of 2\d objects are in place/s),
    ]);
    const second = await run('install', ...flags);
    expect([second.exitCode, second.stdout]).toEqual([
      0,
      expect.stringMatching(/created {5}Deployment lateen-install\/lateen-controller/),
    ]);
    const third = await run('install', ...flags);
    expect([third.exitCode, third.stdout]).toEqual([
      0,
      expect.stringMatching(/ 0 created, 0 configured, \d+ unchanged\.$/),
    ]);
    const secret = await under.kube.get(secretType, { namespace, name: 'cloud-credentials' });
    expect(Buffer.from(secret.data?.cloud ?? '', 'base64').toString()).toBe(secretValue);
  });

  it('upgrades to another image and reverts manual changes', async () => {
    const key = { namespace, name: 'lateen-controller' };
    await under.kube.patch(deploymentType, key, {
      type: 'strategic',
      body: { spec: { template: { spec: { containers: [{ name: 'lateen-controller', command: ['sleep'] }] } } } },
    });
    const { stdout, exitCode } = await run('install', '--image', 'registry.example/lateen:2');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/configured {2}Deployment lateen-install\/lateen-controller/),
    ]);
    const { spec } = await under.kube.get(deploymentType, key);
    expect(spec.template.spec.containers[0]).toMatchObject({
      image: 'registry.example/lateen:2',
      command: ['lateen-controller'],
    });
    const location = await under.kube.get(backupStorageLocationType, { namespace, name: 'default' });
    expect(location.spec).toMatchObject({ provider: 'aws', default: true, objectStorage: { bucket: 'b' } });
  });

  it('reports objects that need the definitions before it removes anything', async () => {
    const { stderr, stdout, exitCode } = await run('uninstall', '--dry-run');
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain('to be removed   Deployment lateen-install/lateen-controller\n');
    expect(stderr).toContain('to be removed   ClusterRole lateen-node-agent-lateen-install');
    expect(stderr).toMatch(
      /to be kept {6}13 CustomResourceDefinitions of velero\.io: BackupStorageLocation older\/\S+/,
    );
  });

  it('finds all objects of others in the namespace by discovery, and removes nothing', async () => {
    const made = (apiVersion: string, kind: string, name: string, parts: object = {}): Unstructured => ({
      apiVersion,
      kind,
      metadata: { namespace, name },
      ...parts,
    });
    const widgets = {
      group: 'example.dev',
      names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    };
    await applyManifests(
      under.kube,
      [
        {
          ...made('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.dev', { spec: widgets }),
          metadata: { name: 'widgets.example.dev' },
        },
      ],
      { signal },
    );
    const containers = [{ name: 'c', image: 'i' }];
    const template = { spec: { restartPolicy: 'Never', containers } };
    const foreign = [
      made('v1', 'PersistentVolumeClaim', 'data', {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      made('batch/v1', 'CronJob', 'nightly', { spec: { schedule: '@daily', jobTemplate: { spec: { template } } } }),
      made('batch/v1', 'Job', 'once', { spec: { template } }),
      made('v1', 'Pod', 'bare', { spec: { containers } }),
      made('v1', 'Secret', 'token', { stringData: { value: secretValue } }),
      made('v1', 'ConfigMap', 'settings'),
      made('v1', 'Service', 'shop', { spec: { ports: [{ port: 80 }] } }),
      made('example.dev/v1', 'Widget', 'w'),
    ];
    // Objects that controllers, which do not run here, create in every namespace.
    const ofKubernetes = [
      made('v1', 'ServiceAccount', 'default'),
      made('v1', 'ConfigMap', 'kube-root-ca.crt'),
      made('v1', 'Endpoints', 'shop'),
    ];
    const types = await under.kube.resourceTypes({ fresh: true });
    for (const object of [...ofKubernetes, ...foreign]) {
      const type = types.find(
        (it) => it.kind === object.kind && object.apiVersion.split('/').toReversed()[1] === (it.group || undefined),
      );
      await under.kube.create(type as never, object as never);
    }
    const { stderr, exitCode } = await run('uninstall', '--confirm');
    const names = foreign.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`namespace ${namespace} holds what is not Lateen's: ${names.slice(0, 5).join(', ')}`),
    ]);
    const told = stderr
      .match(/^to be removed {3}.* WHICH IS NOT LATEEN'S$/gm)
      ?.map((line) => line.slice(16).split(' in ')[0]);
    expect(told?.toSorted()).toEqual(names.toSorted());
    const kept = await under.kube.get(namespaceType, { name: namespace });
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
  });

  it('rejects a redacted Secret as input for a cluster', async () => {
    const { stdout } = await run('install', '-o', 'json', ...bucket, '--secret-file', join(dir, 'credentials'));
    const { items } = JSON.parse(stdout) as { items: Unstructured[] };
    const secret = items.find(({ kind }) => kind === 'Secret') as Unstructured;
    await expect(applyManifests(under.kube, [secret], { signal })).rejects.toMatchObject({
      code: 'DEPLOY_APPLY_FAILED',
    });
  });
});
