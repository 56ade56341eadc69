import {
  type Backup,
  type BackupPhase,
  type KubeObject,
  type Restore,
  type RestoreSpec,
  restoreType,
} from '@lateen/api-types';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const backup = (name: string, phase: BackupPhase, startTimestamp = '', schedule?: string): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace, labels: schedule === undefined ? {} : { 'velero.io/schedule-name': schedule } },
  spec: {},
  status: { phase, startTimestamp },
});

function setUp(...objects: KubeObject[]) {
  const clock = new FakeClock('2030-01-02T03:04:05Z');
  const cluster = fakeCluster({ clock, objects: [backup('b', 'Completed'), ...objects] });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (...words: string[]) => runForTests(world, words);
  const create = (...words: string[]) => run('restore', 'create', ...words);
  const find = (name: string) => cluster.find<Restore>(restoreType, { namespace, name });
  const only = () => {
    const all = cluster.all<Restore>(restoreType);
    expect(all).toHaveLength(1);
    return all[0];
  };
  return { cluster, run, create, find, only };
}

const submitted = (name: string) =>
  `Restore request "${name}" submitted successfully.\nRun \`lateen restore describe ${name}\` or \`lateen restore logs ${name}\` for more details.\n`;
const plain: RestoreSpec = { backupName: 'b', includedNamespaces: ['*'], uploaderConfig: {} };

describe('lateen restore create', () => {
  it('restores everything of a backup by default, with its name and the time as name', async () => {
    const { create, only } = setUp();
    const { code, stdout, stderr } = await create('--from-backup', 'b');
    const { metadata, spec } = only() as Restore;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: submitted(metadata.name ?? ''), stderr: '' });
    // In the machine's time zone, as in Velero.
    expect(metadata.name).toMatch(/^b-203001\d{8}$/);
    expect(spec).toEqual(plain);
  });

  it.each<[string[], Partial<RestoreSpec>]>([
    [['--include-namespaces', 'a,b-*'], { includedNamespaces: ['a', 'b-*'] }],
    [['--exclude-namespaces', 'a'], { excludedNamespaces: ['a'] }],
    [['--namespace-mappings', 'a:b, c:d'], { namespaceMapping: { a: 'b', c: 'd' } }],
    [['--namespace-mappings', 'a:b', '--namespace-mappings', 'c:d'], { namespaceMapping: { a: 'b', c: 'd' } }],
    [['--include-resources', 'pods,deployments.apps'], { includedResources: ['pods', 'deployments.apps'] }],
    [['--exclude-resources', 'secrets'], { excludedResources: ['secrets'] }],
    [['--include-cluster-resources'], { includeClusterResources: true }],
    [['--include-cluster-resources=false'], { includeClusterResources: false }],
    [['-l', 'app=shop'], { labelSelector: { matchLabels: { app: 'shop' } } }],
    [['--or-selector', 'a=b or c=d'], { orLabelSelectors: [{ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd' } }] }],
    [['--restore-volumes=false'], { restorePVs: false }],
    [['--restore-volumes'], { restorePVs: true }],
    [['--preserve-nodeports'], { preserveNodePorts: true }],
    [['--existing-resource-policy', 'update'], { existingResourcePolicy: 'update' }],
    [['--existing-resource-policy', 'None'], { existingResourcePolicy: 'none' }],
    [['--existing-volume-data-policy', 'incremental'], { existingVolumeDataPolicy: 'incremental' }],
    [['--status-include-resources', 'pods'], { restoreStatus: { includedResources: ['pods'] } }],
    [
      ['--status-include-resources', '*', '--status-exclude-resources', 'jobs.batch'],
      { restoreStatus: { includedResources: ['*'], excludedResources: ['jobs.batch'] } },
    ],
    [['--item-operation-timeout', '8h'], { itemOperationTimeout: '8h' }],
    [['--resource-modifier-configmap', 'mod'], { resourceModifier: { kind: 'configmap', name: 'mod' } }],
    [['--skip-default-resource-modifier'], { skipDefaultResourceModifier: true }],
    [['--resource-policies-configmap', 'pol'], { resourcePolicy: { kind: 'configmap', name: 'pol' } }],
    [['--owner-ref-restore-configmap', 'own'], { ownerRefConfigMap: 'own' }],
    [['--write-sparse-files'], { uploaderConfig: { writeSparseFiles: true } }],
    [['--parallel-files-download', '4'], { uploaderConfig: { parallelFilesDownload: 4 } }],
    [['--parallel-files-download', '0'], {}],
    [['--delete-extra-files'], { uploaderConfig: { deleteExtraFiles: true } }],
    [['--direct-restore=false'], { uploaderConfig: { directRestore: false } }],
  ])('%j', async (flags, spec) => {
    const { create, find } = setUp();
    expect(await create('r', '--from-backup', 'b', ...flags)).toMatchObject({
      code: 0,
      stdout: submitted('r'),
      stderr: '',
    });
    expect(find('r')?.spec).toEqual({ ...plain, ...spec });
    // The same with the verb first.
    const { run, find: findOther } = setUp();
    await run('create', 'restore', ...flags, '--from-backup', 'b', '--', 'r');
    expect(findOther('r')?.spec).toEqual({ ...plain, ...spec });
  });

  it.each<[string[], string]>([
    [[], 'either a backup or schedule must be specified, but not both. Give --from-backup or --from-schedule.'],
    [['--from-backup', 'b', '--from-schedule', 's'], 'either a backup or schedule must be specified, but not both'],
    [['--from-backup', 'b', '--allow-partially-failed'], 'needs --from-schedule'],
    [['--from-backup', 'B!'], 'invalid name "B!"'],
    [
      ['--from-backup', 'b', '--existing-resource-policy', 'replace'],
      'existing-resource-policy has invalid value, it accepts only none, update as value',
    ],
    [
      ['--from-backup', 'b', '--existing-volume-data-policy', 'some'],
      'existing-volume-data-policy has invalid value, it accepts only none, full, incremental as value',
    ],
    [['--from-backup', 'b', '--parallel-files-download', '-1'], 'parallel-files-download cannot be negative'],
    [
      ['--from-backup', 'b', '--parallel-files-download', 'x'],
      '--parallel-files-download "x" is not a number of files',
    ],
    [
      ['--from-backup', 'b', '-l', 'a=b', '--or-selector', 'c=d'],
      "either a 'selector' or an 'or-selector' can be specified, but not both",
    ],
    [['--from-backup', 'b', '--namespace-mappings', 'a'], '--namespace-mappings: "a" is not of the form from:to'],
    [['--from-backup', 'b', '--namespace-mappings', 'a:b:c'], 'is not of the form from:to'],
    [['--from-backup', 'b', '--namespace-mappings', 'a:B'], 'is not of the form from:to'],
    [['--from-backup', 'b', '--namespace-mappings', 'a:b,a:c'], '--namespace-mappings: "a" is mapped twice'],
    [['--from-backup', 'b', '--include-resources', 'nodes'], 'nodes are non-restorable resources'],
    [
      ['--from-backup', 'b', '--include-namespaces', 'a', '--exclude-namespaces', 'a'],
      'Invalid included/excluded namespace lists',
    ],
    [['--from-backup', 'b', '--resource-modifier-configmap', 'A b'], 'is not the name of a ConfigMap'],
    [['--from-backup', 'b', '--item-operation-timeout', '-1h'], '--item-operation-timeout must be non-negative'],
    [
      ['--from-backup', 'b', '--existing-volumes', 'data=full'],
      '--existing-volumes: "data=full" is not of the form namespace/claim=policy. Write it as shop/data=full,shop/logs=none.',
    ],
    [['--from-backup', 'b', '--existing-volumes', 'a/b=full,a/b=none'], 'claim a/b is named twice'],
    [['--from-backup', 'b', '--existing-volumes', 'a/b=full,'], '--existing-volumes has an empty name in it'],
    [
      ['--from-backup', 'b', '--scale-workloads', '--existing-volumes', 'a/b=none'],
      '--scale-workloads is about claims whose data is replaced, and none is',
    ],
    [['--from-backup', 'b', '--keep-old-data=false'], '--keep-old-data=false is about claims'],
    [
      [
        ...['--from-backup', 'b', '--scale-workloads', '--existing-volumes', 'a/b=full'],
        ...['--existing-resource-policy', 'update'],
      ],
      '--scale-workloads cannot be given with --existing-resource-policy update',
    ],
    [['--from-backup', 'b', '--wait-for-data=soon'], '--wait-for-data "soon" is not a duration'],
    [['--from-backup', 'b', '--wait-for-data=-1h'], '--wait-for-data must be non-negative'],
    [['--from-backup', 'b', '--wait-for-data=0s'], '--wait-for-data must be longer than 0s'],
    [['--from-backup', 'b', '--exit-code'], '--exit-code tells how the restore has ended, which needs --wait'],
    [['--from-backup', 'b', '--wait', '-o', 'yaml'], '--wait cannot be given with --output'],
    [['x'.repeat(254), '--from-backup', 'b'], 'invalid name'],
  ])('rejects %j before it asks the cluster', async (flags, text) => {
    const { create } = setUp();
    const { code, stdout, stderr, connected } = await create(...flags);
    expect({ code, stdout, connected }).toEqual({ code: 1, stdout: '', connected: false });
    expect(stderr).toContain(`An error occurred: `);
    expect(stderr).toContain(text);
  });

  it.each<[string[], Record<string, string>]>([
    [['--existing-volumes', 'a/b=full'], { 'lateen.dev/existing-volumes': 'a/b=full' }],
    [
      ['--existing-volumes', 'a/b=full, a/c=none', '--existing-volumes=d/e=incremental'],
      { 'lateen.dev/existing-volumes': 'a/b=full,a/c=none,d/e=incremental' },
    ],
    [
      ['--existing-volumes', 'a/b=full', '--scale-workloads', '--keep-old-data=false'],
      {
        'lateen.dev/existing-volumes': 'a/b=full',
        'lateen.dev/scale-workloads': 'true',
        'lateen.dev/keep-old-data': 'false',
      },
    ],
    [
      ['--scale-workloads=false', '--keep-old-data'],
      {
        'lateen.dev/scale-workloads': 'false',
        'lateen.dev/keep-old-data': 'true',
      },
    ],
    [['--wait-for-data'], { 'lateen.dev/wait-for-data': 'true' }],
    [['--wait-for-data=2h', '--annotations', 'c/d=e'], { 'c/d': 'e', 'lateen.dev/wait-for-data': '2h' }],
    [['--wait-for-data=0'], { 'lateen.dev/wait-for-data': 'false' }],
    [['--on-failed-pod-volume', 'start'], { 'lateen.dev/on-failed-pod-volume': 'start' }],
  ])('%j become annotations', async (flags, annotations) => {
    const { create, find } = setUp();
    expect(await create(...flags, '--from-backup', 'b', 'r')).toMatchObject({ code: 0, stderr: '' });
    expect(find('r')?.metadata.annotations).toEqual(annotations);
    expect(find('r')?.spec).toEqual(plain);
  });

  it('scales workloads with a policy for all claims too', async () => {
    const { create, find } = setUp();
    await create('r', '--from-backup', 'b', '--existing-volume-data-policy', 'full', '--scale-workloads');
    expect(find('r')).toMatchObject({
      metadata: { annotations: { 'lateen.dev/scale-workloads': 'true' } },
      spec: { existingVolumeDataPolicy: 'full' },
    });
  });

  it('creates nothing for a backup that does not exist', async () => {
    const { create, cluster } = setUp();
    expect(await create('--from-backup', 'gone')).toMatchObject({
      code: 1,
      stderr: 'An error occurred: backups.velero.io "gone" not found\n',
    });
    expect(cluster.all(restoreType)).toEqual([]);
  });

  it('leaves the choice among the backups of a schedule to the server, when one of them is Completed', async () => {
    const { create, only } = setUp(
      backup('s-1', 'Completed', '2030-01-01T00:00:00Z', 's'),
      backup('s-2', 'Failed', '2030-01-02T00:00:00Z', 's'),
    );
    expect(await create('--from-schedule', 's')).toMatchObject({ code: 0 });
    expect(only()).toMatchObject({
      metadata: { name: expect.stringMatching(/^s-\d{14}$/) },
      spec: { scheduleName: 's', includedNamespaces: ['*'] },
    });
    expect(only()?.spec.backupName).toBeUndefined();
  });

  it('with --allow-partially-failed names the most recent that is Completed or PartiallyFailed', async () => {
    const { create, only } = setUp(
      backup('s-1', 'Completed', '2030-01-01T00:00:00Z', 's'),
      backup('s-2', 'PartiallyFailed', '2030-01-02T00:00:00Z', 's'),
      backup('s-3', 'InProgress', '2030-01-03T00:00:00Z', 's'),
      backup('t-1', 'Completed', '2030-01-04T00:00:00Z', 't'),
    );
    await create('--from-schedule', 's', '--allow-partially-failed');
    expect(only()?.spec).toEqual({ ...plain, backupName: 's-2' });
  });

  it.each<[Backup[], string]>([
    [[], 'No backups found for the schedule s'],
    [
      [backup('s-1', 'Failed', '', 's')],
      'none of the 1 backups of the schedule s is Completed. See their state with: lateen backup get -l velero.io/schedule-name=s',
    ],
    [
      [backup('s-1', 'PartiallyFailed', '', 's')],
      'none of the 1 backups of the schedule s is Completed. One that is PartiallyFailed is taken with --allow-partially-failed.',
    ],
  ])('creates nothing for a schedule without a suitable backup; %#', async (backups, text) => {
    const { create, cluster } = setUp(...backups);
    expect(await create('--from-schedule', 's')).toMatchObject({ code: 1, stderr: `An error occurred: ${text}\n` });
    expect(cluster.all(restoreType)).toEqual([]);
  });

  it('rejects resources to exclude from the status without resources to include', async () => {
    const { create, find } = setUp();
    const { stderr } = await create('r', '--from-backup', 'b', '--status-exclude-resources', 'pods');
    expect(stderr).toBe('--status-exclude-resources has no effect without --status-include-resources.\n');
    expect(find('r')?.spec).toEqual(plain);
  });

  it('with -o prints the object and does not create it', async () => {
    const { create, cluster } = setUp();
    const { stdout } = await create(
      'r',
      '--from-backup',
      'b',
      '--labels',
      'a=b',
      '--annotations',
      'c/d=e f',
      '-o',
      'yaml',
    );
    expect(load(stdout)).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'Restore',
      metadata: { name: 'r', namespace, labels: { a: 'b' }, annotations: { 'c/d': 'e f' } },
      spec: plain,
    });
    expect(cluster.all(restoreType)).toEqual([]);
  });
});
