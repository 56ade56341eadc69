import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backupStorageLocationType,
  type DataUpload,
  daemonSetType,
  dataUploadType,
  deploymentType,
  finalizers,
  type KubeObject,
  namespaceType,
  type ResourceType,
  type Unstructured,
} from '@lateen/api-types';
import { renderManifests, typeOf } from '@lateen/manifests';
import { definitionType } from '@lateen/operations/installation';
import {
  aBackupStorageLocation,
  aDataUpload,
  aSecret,
  FakeClock,
  fakeCluster,
  letTimePass,
  seededRandom,
} from '@lateen/testing';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledManifests } from '../install/bundled-manifests.ts';
import { runForTests } from '../run-for-tests.ts';

const installed = renderManifests(await bundledManifests(), {
  parts: ['crds', 'namespace', 'controller', 'node-agent'],
});
const password = 'uninstall-test-password';
const passwordSecret = () =>
  aSecret({ name: 'velero-repo-credentials', namespace: 'velero', values: { 'repository-password': password } });
const velero = { name: 'velero' };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-uninstall-'));
});
afterAll(() => rm(dir, { recursive: true }));

function setUp(objects: KubeObject[] = [], { answer, agents = 1 }: { answer?: string; agents?: number } = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [...structuredClone(installed), passwordSecret(), ...objects] });
  cluster.change(daemonSetType, { namespace: 'velero', name: 'node-agent' }, (agent) => {
    agent.status = { numberReady: agents };
  });
  const asked: string[] = [];
  const run = async (...words: string[]) => {
    const world = { clock, random: seededRandom(), kube: cluster };
    const ran = await letTimePass(
      runForTests(world, ['uninstall', ...words], answer === undefined ? {} : { answer }),
      clock,
    );
    asked.push(...ran.asked);
    return { exitCode: ran.code, out: ran.stdout, err: ran.stderr };
  };
  const changes = () => cluster.calls.filter(({ verb }) => ['patch', 'delete', 'create', 'update'].includes(verb));
  const left = () =>
    cluster
      .everything()
      .filter(({ kind }) => kind !== 'Node')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .filter((title) => title !== 'Namespace default' && title !== 'Namespace kube-system');
  return { cluster, clock, run, asked, changes, left };
}

const aForeign = (apiVersion: string, kind: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'shop', namespace: 'velero' },
});

const running = (name: string, parts: Partial<DataUpload['status']> = {}) => {
  const upload = aDataUpload({ name, namespace: 'velero', status: { phase: 'InProgress', ...parts } });
  upload.metadata.finalizers = [finalizers.dataUploadDownload];
  return upload;
};

/** Does what a node-agent does with a canceled movement. */
function endCanceled(cluster: ReturnType<typeof setUp>['cluster']) {
  cluster.onChange(({ object }) => {
    const upload = object as unknown as DataUpload;
    if (upload.kind !== 'DataUpload' || upload.spec.cancel !== true || upload.status?.phase !== 'InProgress') return;
    cluster.change(dataUploadType, { namespace: 'velero', name: upload.metadata.name ?? '' }, (it) => {
      it.status = { ...it.status, phase: 'Canceled' };
      delete it.metadata.finalizers;
    });
  });
}

describe('lateen uninstall', () => {
  it('removes everything, definitions last, and says that the bucket is unchanged', async () => {
    const location = aBackupStorageLocation({ name: 'default', namespace: 'velero' });
    const { run, left, changes } = setUp([location]);
    const { exitCode, out, err } = await run('--confirm');
    expect([exitCode, left()]).toEqual([0, []]);
    expect(out).toMatch(/Lateen is removed\. What is stored in the bucket is untouched\.\n$/);
    expect(err).toContain(`to be left      what is stored in ${location.spec.objectStorage.bucket}`);
    expect(err).toContain('velero-repo-credentials goes too');
    const deleted = changes().map(({ type }) => type.kind);
    const order = [
      'Deployment',
      'DaemonSet',
      'Namespace',
      'ClusterRoleBinding',
      'ClusterRole',
      'CustomResourceDefinition',
    ];
    expect(deleted.filter((kind, at) => deleted.indexOf(kind) === at)).toEqual(order);
  });

  it('cancels running movements and waits until they have ended', async () => {
    const { run, cluster, left } = setUp([running('up-1')]);
    endCanceled(cluster);
    const { exitCode, err } = await run('--confirm');
    expect([exitCode, left()]).toEqual([0, []]);
    expect(err).toContain('to be canceled  DataUpload up-1, which has not ended');
    const kinds = cluster.calls
      .filter(({ verb }) => verb === 'patch' || verb === 'delete')
      .map(({ type }) => type.kind);
    expect(kinds[0]).toBe('DataUpload');
  });

  it('removes nothing while a movement does not end, unless it is forced', async () => {
    const { run, cluster, left } = setUp([running('up-1')]);
    const { exitCode, err } = await run('--confirm', '--timeout', '10s');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('DataUpload up-1 have been canceled and not ended')]);
    expect(cluster.find(deploymentType, { namespace: 'velero', name: 'lateen-controller' })).toBeDefined();
    const forced = await run('--force', '--timeout', '10s');
    expect([forced.exitCode, left()]).toEqual([0, []]);
    expect(forced.err).toContain('warning: DataUpload up-1 did not end and are removed unfinished.');
  });

  it('does not wait for movements that no node-agent could end', async () => {
    const { run, left } = setUp([running('up-1')], { agents: 0 });
    const { exitCode } = await run('--confirm');
    expect([exitCode, left()]).toEqual([0, []]);
  });

  it('keeps finalizers of others, and names the object that keeps the namespace', async () => {
    const object = running('up-1', { phase: 'Completed' });
    object.metadata.finalizers = [finalizers.dataUploadDownload, 'example.dev/wait'];
    const { run, cluster } = setUp([object]);
    const { exitCode, err } = await run('--confirm', '--timeout', '10s');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('Namespace velero is still there after 10s')]);
    const kept = cluster.find(dataUploadType, { namespace: 'velero', name: 'up-1' });
    expect(kept?.metadata.finalizers).toEqual(['example.dev/wait']);
    expect(cluster.find(definitionType, { name: 'backups.velero.io' })).toBeDefined();
    const body = { metadata: { finalizers: null } };
    await cluster.patch(dataUploadType, { namespace: 'velero', name: 'up-1' }, { type: 'merge', body });
    expect((await run('--confirm')).exitCode).toBe(0);
  });

  it('keeps the definitions while another namespace has objects of them, or an installation', async () => {
    const others: KubeObject[][] = [
      [aBackupStorageLocation({ name: 'theirs', namespace: 'other' })],
      [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'velero', namespace: 'other' } }],
    ];
    for (const objects of others) {
      const { run, cluster } = setUp(objects);
      const { exitCode, err } = await run('--confirm');
      expect([exitCode, err]).toEqual([
        0,
        expect.stringMatching(/to be kept {6}13 CustomResourceDefinitions .*: \w+ other\/\w+ needs them/),
      ]);
      expect(cluster.find(namespaceType, velero)).toBeUndefined();
      expect(cluster.find(definitionType, { name: 'backupstoragelocations.velero.io' })).toBeDefined();
    }
  });

  it('keeps them too when their first object is created while the namespace is being deleted', async () => {
    const { run, cluster } = setUp();
    cluster.onChange(({ type, object }) => {
      if (type === 'DELETED' && object.kind === 'Deployment')
        cluster.put(aBackupStorageLocation({ name: 'late', namespace: 'other' }));
    });
    expect((await run('--confirm')).exitCode).toBe(0);
    expect(cluster.find(backupStorageLocationType, { namespace: 'other', name: 'late' })).toBeDefined();
    expect(cluster.find(definitionType, { name: 'backupstoragelocations.velero.io' })).toBeDefined();
  });

  it('keeps them with --keep-crds', async () => {
    const { run, left } = setUp();
    await run('--confirm', '--keep-crds');
    expect(new Set(left().map((each) => each.split(' ')[0]))).toEqual(new Set(['CustomResourceDefinition']));
    const again = await run('--confirm', '--keep-crds');
    expect([again.exitCode, again.out]).toEqual([0, 'Nothing of Lateen is in namespace velero.\n']);
  });

  it('asks, and does nothing after a no, without a terminal, or in a dry run', async () => {
    const no = setUp([], { answer: 'n' });
    expect((await no.run()).err).toContain('nothing was removed');
    expect(no.asked).toEqual(['Remove all this? (y/N) ']);
    const nobody = setUp();
    const refused = await nobody.run();
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('Give --confirm')]);
    const dry = setUp();
    expect((await dry.run('--dry-run')).err).toContain(
      'to be removed   Namespace velero with everything in it: 1 Secrets',
    );
    expect([no.changes(), nobody.changes(), dry.changes()]).toEqual([[], [], []]);
    const yes = setUp([], { answer: 'y' });
    expect([(await yes.run()).exitCode, yes.left()]).toEqual([0, []]);
  });

  it.each<[string, KubeObject]>([
    ['Deployment', aForeign('apps/v1', 'Deployment')],
    ['CronJob', aForeign('batch/v1', 'CronJob')],
    ['Job', aForeign('batch/v1', 'Job')],
    ['Pod', aForeign('v1', 'Pod')],
    ['PersistentVolumeClaim', aForeign('v1', 'PersistentVolumeClaim')],
    ['Service', aForeign('v1', 'Service')],
    ['ConfigMap', aForeign('v1', 'ConfigMap')],
    ['Secret', aForeign('v1', 'Secret')],
    ['Widget', aForeign('example.dev/v1', 'Widget')],
  ])("does not touch a namespace with a user's %s, unless it is forced", async (kind, object) => {
    const { run, changes, left } = setUp([object]);
    const { exitCode, err } = await run('--confirm');
    const refusal = `namespace velero holds what is not Lateen's: ${kind} shop. Move it away first`;
    expect([exitCode, err, changes()]).toEqual([1, expect.stringContaining(refusal), []]);
    expect(err).toContain(`to be removed   ${kind} shop in namespace velero, WHICH IS NOT LATEEN'S\n`);
    expect([(await run('--force')).exitCode, left()]).toEqual([0, []]);
  });

  it('is not prevented by its own objects or those of every namespace', async () => {
    const location = aBackupStorageLocation({ name: 'default', namespace: 'velero' });
    location.spec.credential = { name: 'keys-of-a-location', key: 'cloud' };
    const { run, left } = setUp([
      location,
      aSecret({ name: 'keys-of-a-location', namespace: 'velero', values: { cloud: 'x' } }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace: 'velero' } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'velero' } },
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'lateen-controller-leader', namespace: 'velero' },
      },
    ]);
    expect([(await run('--confirm')).exitCode, left()]).toEqual([0, []]);
  });

  it('removes nothing when it cannot list everything, unless it is forced', async () => {
    const { run, cluster, changes, left } = setUp([aForeign('batch/v1', 'CronJob')]);
    const type = (await cluster.resourceTypes()).find(({ kind }) => kind === 'CronJob');
    cluster.failTimes(2, 'list', type as ResourceType, 'KUBE_FORBIDDEN');
    const { exitCode, err } = await run('--confirm');
    expect([exitCode, err, changes()]).toEqual([
      1,
      expect.stringMatching(/what is in namespace velero cannot all be seen: cronjobs\.batch \(/),
      [],
    ]);
    const forced = await run('--force');
    expect([forced.exitCode, left()]).toEqual([0, []]);
    expect(forced.err).toMatch(/to be removed {3}perhaps some of cronjobs\.batch \(/);
  });

  it('does not touch an installation of Velero, or its definitions', async () => {
    const { run, changes, cluster } = setUp([
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'velero', namespace: 'theirs' } },
      aBackupStorageLocation({ name: 'default', namespace: 'theirs' }),
    ]);
    const { exitCode, out } = await run('--confirm', '-n', 'theirs');
    expect([exitCode, out, changes()]).toEqual([0, 'Nothing of Lateen is in namespace theirs.\n', []]);
    expect(cluster.find(definitionType, { name: 'backups.velero.io' })).toBeDefined();
  });

  it('leaves a release of Helm to helm', async () => {
    const { run, cluster, changes } = setUp();
    cluster.change<Unstructured>(
      typeOf(installed.find(({ kind }) => kind === 'Deployment') as Unstructured),
      { namespace: 'velero', name: 'lateen-controller' },
      (it) => {
        it.metadata.annotations = { 'meta.helm.sh/release-name': 'lateen', 'meta.helm.sh/release-namespace': 'ops' };
      },
    );
    const { exitCode, err } = await run('--confirm');
    expect([exitCode, err, changes()]).toEqual([1, expect.stringContaining('helm uninstall lateen -n ops'), []]);
  });

  it('saves the repository password in a file before anything is deleted', async () => {
    const { run, changes } = setUp();
    const path = join(dir, 'password.yaml');
    const { exitCode, out, err } = await run('--confirm', '--save-repository-password', path);
    expect([exitCode, err.includes('goes too')]).toEqual([0, false]);
    expect(load(await readFile(path, 'utf8'))).toMatchObject({
      kind: 'Secret',
      metadata: { name: 'velero-repo-credentials', namespace: 'velero' },
      data: { 'repository-password': Buffer.from(password).toString('base64') },
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(out + err).not.toMatch(new RegExp(`${password}|${Buffer.from(password).toString('base64')}`));
    expect(changes().length).toBeGreaterThan(0);
    const other = setUp();
    const again = await other.run('--confirm', '--save-repository-password', path);
    expect([again.exitCode, again.err, other.changes()]).toEqual([1, expect.stringContaining('EEXIST'), []]);
  });

  it('keeps the CSI driver, and says how to remove it', async () => {
    const driver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'csi.lateen.dev' } };
    const { run, left } = setUp([driver]);
    const { exitCode, err } = await run('--confirm');
    expect([exitCode, left()]).toEqual([0, ['CSIDriver csi.lateen.dev']]);
    expect(err).toContain('to be kept      the CSI driver csi.lateen.dev');
  });

  it('names volumes that still belong to the namespace', async () => {
    const { run } = setUp([
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pv-1' },
        ...{ spec: { claimRef: { namespace: 'velero', name: 'x' } } },
      },
    ]);
    expect((await run('--confirm')).err).toContain(
      'warning: PersistentVolume pv-1 of namespace velero is still there.',
    );
  });
});
