import {
  configMapType,
  isTerminalPhase,
  labels,
  persistentVolumeClaimType,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { deleteNamespace, dropRepositories, findLeftovers, type Inventory, takeInventory } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';
import type { S3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { type JourneyTools, journeyTools } from './restore/journey-tools.ts';

/** A namespace with a volume, a custom kind, hooks and a webhook: deleted, and restored by the running controller and node-agent. */
const suffix = systemRandom.suffix(5);
const namespace = `restore-${suffix}`;
const copy = `restore-copy-${suffix}`;
const half = `restore-half-${suffix}`;
const moved = `moved-${suffix}`;
const kept = `kept-${suffix}`;
const mark = `test=${suffix}`;
const within = () => systemClock.deadline(240_000);

let lateen: LateenUnderTest;
let store: S3Store;
let before: Inventory;
let tools: JourneyTools;

/** The resourceVersions that a write would change, of everything in the namespace that no controller changes by itself. */
const versions = () =>
  tools.kubectl(
    ...['get', 'configmaps,secrets,serviceaccounts,services,roles,rolebindings,persistentvolumeclaims,gadgets'],
    ...['-o', 'jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}'],
  );

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('a restore on a real cluster', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    store = bucketOf(lateen);
    tools = journeyTools(lateen, { namespace, mark });
    before = await takeInventory(lateen.kube, lateen.veleroNamespace, within());
    await tools.kubectl('create', 'namespace', namespace);
    await tools.apply('cluster-scoped.yaml');
    await tools.kubectl('wait', '--for=condition=Established', 'crd/gadgets.gone.lateen.dev');
    await tools.apply('application.yaml');
    await tools.rollout(namespace);
    await tools.inPod(namespace, 'echo worth keeping > /data/content; sync');
    await tools.apply('webhook.yaml');
    const hooks = [
      '--include-cluster-scoped-resources',
      'validatingwebhookconfigurations.admissionregistration.k8s.io',
    ];
    for (const [name, ...how] of [[moved, '--snapshot-move-data'], [kept]] as [string, ...string[]][]) {
      await tools.backUp(name, ...hooks, ...how);
    }
  });
  afterAll(async () => {
    await tools.kubectl('delete', '--ignore-not-found', `validatingwebhookconfiguration/${namespace}`);
    for (const each of [namespace, copy, half]) await deleteNamespace(lateen.kube, each, systemClock, within());
    await tools.kubectl('delete', '--ignore-not-found', 'crd/gadgets.gone.lateen.dev');
    for (const noun of ['restore', 'backup']) await tools.cli(noun, 'delete', '-l', mark, '--confirm', '--wait');
    await dropRepositories({ kube: lateen.kube, bucket: store }, { ...lateen, namespace }, within());
    await store.close();
    await lateen.kube.close();
  });

  it('makes a plan without writing: everything exists as in the backup', async () => {
    const there = await versions();
    const planned = await tools.cli('restore', 'plan', '--from-backup', moved, '-o', 'json');
    expect([planned.exitCode, planned.stderr]).toEqual([0, expect.stringContaining('Completed')]);
    const { counts, objects } = JSON.parse(planned.stdout);
    expect([counts.fail ?? 0, counts.denied ?? 0]).toEqual([0, 0]);
    const actOf = (kind: string, name: string) =>
      objects.find((each: { kind: string; name: string }) => each.kind === kind && each.name === name)?.act;
    expect([actOf('ConfigMap', 'settings'), actOf('Gadget', 'exact'), actOf('Secret', 'login')]).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    expect(await versions()).toBe(there);
    expect((await lateen.kube.list(restoreType, { namespace: lateen.veleroNamespace })).items).toEqual([]);
  });

  it('with policy update changes what differs, creates what is missing, and leaves the rest', async () => {
    const [uid, claim] = [
      await tools.kubectl('get', 'deployment/app', '-o', 'jsonpath={.metadata.uid}'),
      await lateen.kube.get(persistentVolumeClaimType, { namespace, name: 'data' }),
    ];
    await tools.kubectl('patch', 'configmap/settings', '--type=merge', '-p', '{"data":{"numbers":"wrong"}}');
    await tools.kubectl('delete', 'secret/login');
    const status = await tools.restore(
      `update-${suffix}`,
      '--from-backup',
      moved,
      '--existing-resource-policy',
      'update',
    );
    expect(status.phase).toBe('Completed');
    expect(await tools.kubectl('get', 'configmap/settings', '-o', 'jsonpath={.data.numbers}')).toBe(
      '1.0 9007199254740993',
    );
    expect(await tools.kubectl('get', 'secret/login', '-o', 'jsonpath={.data.password}')).toBe(
      Buffer.from('only-in-the-archive').toString('base64'),
    );
    expect(await tools.kubectl('get', 'deployment/app', '-o', 'jsonpath={.metadata.uid}')).toBe(uid);
    const now = await lateen.kube.get(persistentVolumeClaimType, { namespace, name: 'data' });
    expect(now.metadata.uid).toBe(claim.metadata.uid);
    expect(await tools.downloadsOf(`update-${suffix}`)).toEqual([]);
  });

  it('restores everything that was deleted: in order, with data, hooks, labels and exact numbers', async () => {
    await tools.kubectl('delete', `validatingwebhookconfiguration/${namespace}`);
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    await tools.kubectl('delete', 'crd/gadgets.gone.lateen.dev');
    const name = `again-${suffix}`;
    const status = await tools.restore(name, '--from-backup', moved);
    expect(status).toMatchObject({
      phase: 'Completed',
      hookStatus: { hooksAttempted: 1 },
      restoreItemOperationsAttempted: 1,
      restoreItemOperationsCompleted: 1,
      startTimestamp: expect.stringMatching(/Z$/),
      completionTimestamp: expect.stringMatching(/Z$/),
    });
    expect([status.errors ?? 0, status.hookStatus?.hooksFailed ?? 0]).toEqual([0, 0]);
    expect(status.progress?.itemsRestored).toBe(status.progress?.totalItems);
    await tools.rollout(namespace);
    expect(await tools.inPod(namespace, 'cat /data/content /data/exec; echo "$password $numbers"')).toBe(
      'worth keeping\nexec\nonly-in-the-archive 1.0 9007199254740993',
    );
    const ended = 'jsonpath={.items[*].status.initContainerStatuses[?(@.name=="before-it")].state.terminated.message}';
    expect((await tools.kubectl('get', 'pods', '-o', ended)).trim()).toBe('init');
    const gadget = await tools.kubectl('get', 'gadget/exact', '-o', 'json');
    expect(gadget).toContain('"wide": 9007199254740993');
    const ofRestore = JSON.parse(await tools.kubectl('get', 'configmap/settings', '-o', 'json')).metadata.labels;
    expect(ofRestore).toMatchObject({ [labels.backupName]: moved, [labels.restoreName]: name });
    await tools.kubectl('get', `validatingwebhookconfiguration/${namespace}`);
    const volume = await tools.kubectl('get', 'pvc/data', '-o', 'jsonpath={.spec.volumeName}');
    expect(await tools.kubectl('get', `pv/${volume}`, '-o', 'jsonpath={.spec.persistentVolumeReclaimPolicy}')).toBe(
      'Delete',
    );
    // One set of pods: the ReplicaSet that was restored later has adopted the pods of the backup, instead of creating others.
    expect((await tools.kubectl('get', 'pods', '-o', 'name')).split('\n')).toHaveLength(1);
    const results = await lateen.kube.list(configMapType, { namespace: lateen.veleroNamespace });
    expect(results.items.filter(({ metadata }) => metadata.labels?.[labels.restoreUid] !== undefined)).toEqual([]);
    const described = await tools.cli('restore', 'describe', name, '--details');
    expect(described.stdout).toContain(`Phase:  Completed\n`);
    expect(described.stdout).toContain(`- ${namespace}/settings(created)`);
    const logs = await tools.cli('restore', 'logs', name);
    expect([logs.exitCode, logs.stdout.includes('only-in-the-archive')]).toEqual([0, false]);
  });

  it('can restore into another namespace from a snapshot that stayed on the storage', async () => {
    const name = `copy-${suffix}`;
    const status = await tools.restore(name, '--from-backup', kept, '--namespace-mappings', `${namespace}:${copy}`);
    expect(status.phase).toBe('Completed');
    await tools.rollout(copy);
    expect(await tools.inPod(copy, 'cat /data/content /data/exec')).toBe('worth keeping\nexec');
    expect(await tools.downloadsOf(name)).toEqual([]);
    expect(await tools.inPod(namespace, 'cat /data/content')).toBe('worth keeping');
  });

  it('ends when it is canceled, and deletes the volume that it was restoring', async () => {
    const name = `half-${suffix}`;
    // A claim that no pod uses: its class waits for a pod, and so does the data.
    const only = ['--include-resources', 'persistentvolumeclaims,persistentvolumes,datauploads.velero.io'];
    const mapping = ['--namespace-mappings', `${namespace}:${half}`];
    const made = await tools.cli(
      'restore',
      'create',
      name,
      '--from-backup',
      moved,
      '--labels',
      mark,
      ...only,
      ...mapping,
    );
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    await waitForObject<Restore, true>({
      api: lateen.kube,
      type: restoreType,
      key: { namespace: lateen.veleroNamespace, name },
      clock: systemClock,
      signal: within(),
      until: (seen) => (seen?.status?.phase === 'WaitingForPluginOperations' ? true : undefined),
    });
    const canceled = await tools.cli('restore', 'cancel', name, '--confirm', '--wait');
    expect(canceled).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Canceled$/) });
    const downloads = await tools.downloadsOf(name);
    expect(downloads.map(({ status }) => status?.phase ?? 'New').filter((phase) => !isTerminalPhase(phase))).toEqual(
      [],
    );
  });

  it('leaves nothing of its work in the cluster', async () => {
    for (const each of [half, copy]) await deleteNamespace(lateen.kube, each, systemClock, within());
    const deleted = await tools.cli('restore', 'delete', '-l', mark, '--confirm', '--wait');
    expect([deleted.exitCode, deleted.stderr]).toEqual([0, '']);
    await tools.kubectl('delete', `validatingwebhookconfiguration/${namespace}`);
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    const ports = { kube: lateen.kube, clock: systemClock, veleroNamespace: lateen.veleroNamespace };
    expect(await findLeftovers(before, ports, within())).toEqual([]);
    const left: string[] = [];
    for await (const { key } of store.list('restores/')) if (key.includes(suffix)) left.push(key);
    expect(left).toEqual([]);
  });
});
