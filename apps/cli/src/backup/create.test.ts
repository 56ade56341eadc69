import {
  type Backup,
  type BackupSpec,
  backupType,
  type KubeObject,
  type Schedule,
  type VolumeSnapshotLocation,
} from '@lateen/api-types';
import { aBackupStorageLocation, aNamespace, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const schedule: Schedule = {
  apiVersion: 'velero.io/v1',
  kind: 'Schedule',
  metadata: { name: 'nightly', namespace, uid: 'schedule-uid', labels: { team: 'shop' }, annotations: { note: 'x' } },
  spec: { schedule: '0 1 * * *', template: { includedNamespaces: ['shop'], ttl: '24h0m0s' } },
};
const snapshotLocation: VolumeSnapshotLocation = {
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name: 'ebs', namespace },
  spec: { provider: 'aws' },
};

function setUp(objects: KubeObject[] = []) {
  const clock = new FakeClock('2030-01-02T03:04:05Z');
  const all = [aBackupStorageLocation(), aNamespace({ name: 'shop' }), schedule, snapshotLocation, ...objects];
  const cluster = fakeCluster({ clock, objects: all });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (...words: string[]) => runForTests(world, words);
  const create = (...words: string[]) => run('backup', 'create', ...words);
  const find = (name: string) => cluster.find<Backup>(backupType, { namespace, name });
  return { clock, cluster, run, create, find };
}

const submitted = (name: string) =>
  `Backup request "${name}" submitted successfully.\nRun \`lateen backup describe ${name}\` or \`lateen backup logs ${name}\` for more details.\n`;
const everywhere = { includedNamespaces: ['*'] };

describe('lateen backup create', () => {
  it('backs up all namespaces by default, with no other field', async () => {
    const { create, find } = setUp();
    expect(await create('b')).toEqual({ code: 0, stdout: submitted('b'), stderr: '', asked: [], connected: true });
    expect(find('b')?.spec).toEqual(everywhere);
    expect(find('b')?.metadata.labels).toBeUndefined();
  });

  it.each<[string[], BackupSpec]>([
    [['--include-namespaces', 'a,b'], { includedNamespaces: ['a', 'b'] }],
    [['--include-namespaces', 'a', '--include-namespaces', 'b-*'], { includedNamespaces: ['a', 'b-*'] }],
    [['--exclude-namespaces', 'a, b'], { ...everywhere, excludedNamespaces: ['a', 'b'] }],
    [
      ['--include-resources', 'pods,deployments.apps'],
      { ...everywhere, includedResources: ['pods', 'deployments.apps'] },
    ],
    [['--exclude-resources', 'secrets'], { ...everywhere, excludedResources: ['secrets'] }],
    [['--include-cluster-scoped-resources', '*'], { ...everywhere, includedClusterScopedResources: ['*'] }],
    [['--exclude-cluster-scoped-resources', 'nodes'], { ...everywhere, excludedClusterScopedResources: ['nodes'] }],
    [['--include-namespace-scoped-resources', 'pods'], { ...everywhere, includedNamespaceScopedResources: ['pods'] }],
    [['--exclude-namespace-scoped-resources', 'jobs'], { ...everywhere, excludedNamespaceScopedResources: ['jobs'] }],
    [['--include-cluster-resources'], { ...everywhere, includeClusterResources: true }],
    [['--include-cluster-resources=false'], { ...everywhere, includeClusterResources: false }],
    [['-l', 'app=shop,tier==web'], { ...everywhere, labelSelector: { matchLabels: { app: 'shop', tier: 'web' } } }],
    [
      ['--selector', 'a!=b,c in (x,y),d notin (z),e,!f'],
      {
        ...everywhere,
        labelSelector: {
          matchExpressions: [
            { key: 'a', operator: 'NotIn', values: ['b'] },
            { key: 'c', operator: 'In', values: ['x', 'y'] },
            { key: 'd', operator: 'NotIn', values: ['z'] },
            { key: 'e', operator: 'Exists' },
            { key: 'f', operator: 'DoesNotExist' },
          ],
        },
      },
    ],
    [
      ['--or-selector', 'a=b or c=d,e=f'],
      { ...everywhere, orLabelSelectors: [{ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd', e: 'f' } }] },
    ],
    [['--ttl', '72h30m'], { ...everywhere, ttl: '72h30m' }],
    [['--ttl', '0'], { ...everywhere, ttl: '0s' }],
    [['--storage-location', 'default'], { ...everywhere, storageLocation: 'default' }],
    [['--volume-snapshot-locations', 'ebs'], { ...everywhere, volumeSnapshotLocations: ['ebs'] }],
    [['--snapshot-volumes=false'], { ...everywhere, snapshotVolumes: false }],
    [['--snapshot-volumes'], { ...everywhere, snapshotVolumes: true }],
    [['--snapshot-move-data'], { ...everywhere, snapshotMoveData: true }],
    [['--snapshot-move-data=F'], { ...everywhere, snapshotMoveData: false }],
    [['--default-volumes-to-fs-backup'], { ...everywhere, defaultVolumesToFsBackup: true }],
    [
      ['--ordered-resources', 'pods=ns1/a, ns1/b; persistentvolumes=x'],
      { ...everywhere, orderedResources: { pods: 'ns1/a,ns1/b', persistentvolumes: 'x' } },
    ],
    [['--csi-snapshot-timeout', '20m'], { ...everywhere, csiSnapshotTimeout: '20m' }],
    [['--item-operation-timeout', '8h'], { ...everywhere, itemOperationTimeout: '8h' }],
    [
      ['--resource-policies-configmap', 'policies'],
      { ...everywhere, resourcePolicy: { kind: 'configmap', name: 'policies' } },
    ],
    [['--data-mover', 'velero'], { ...everywhere, datamover: 'velero' }],
    [['--data-mover', ''], everywhere],
    [['--backup-type', 'full'], { ...everywhere, backupType: 'Full' }],
    [['--backup-type', 'INCREMENTAL'], { ...everywhere, backupType: 'Incremental' }],
    [['--parallel-files-upload', '4'], { ...everywhere, uploaderConfig: { parallelFilesUpload: 4 } }],
    [['--parallel-files-upload', '0'], everywhere],
    [['--volume-group-snapshot-label-key', 'my/group'], { ...everywhere, volumeGroupSnapshotLabelKey: 'my/group' }],
  ])('%j', async (flags, spec) => {
    const { create, find } = setUp();
    expect(await create('b', ...flags)).toMatchObject({ code: 0, stdout: submitted('b'), stderr: '' });
    expect(find('b')?.spec).toEqual(spec);
    // The same with the verb first, and with the flags first.
    const { run, find: findOther } = setUp();
    expect(await run('create', 'backup', ...flags, '--', 'b')).toMatchObject({ code: 0, stderr: '' });
    expect(findOther('b')?.spec).toEqual(spec);
  });

  it('copies labels and annotations to the Backup', async () => {
    const { create, find } = setUp();
    await create('b', '--labels', 'a=b,team/x=y', '--labels', 'c=', '--annotations', 'note/why=before the upgrade');
    expect(find('b')?.metadata).toMatchObject({
      labels: { a: 'b', 'team/x': 'y', c: '' },
      annotations: { 'note/why': 'before the upgrade' },
    });
  });

  it('with -o prints the object and does not create it', async () => {
    const { create, cluster } = setUp();
    const { stdout } = await create('b', '--include-namespaces', 'shop', '-o', 'yaml');
    expect(load(stdout)).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'b', namespace },
      spec: { includedNamespaces: ['shop'] },
    });
    expect(cluster.calls).toEqual([]);
  });

  it('with --from-schedule creates what the schedule would create now, under its name or another', async () => {
    const { create, find } = setUp();
    const said = 'Creating backup from schedule, all other filters are ignored.\n';
    const ran = await create('--from-schedule', 'nightly', '--exclude-namespaces', 'shop');
    expect(ran).toMatchObject({ code: 0, stdout: submitted('nightly-20300102030405'), stderr: said });
    expect(find('nightly-20300102030405')).toMatchObject({
      metadata: { labels: { team: 'shop', 'velero.io/schedule-name': 'nightly' }, annotations: { note: 'x' } },
      spec: { includedNamespaces: ['shop'], ttl: '24h0m0s' },
    });
    expect(find('nightly-20300102030405')?.spec.excludedNamespaces).toBeUndefined();
    await create('other', '--from-schedule', 'nightly', '--labels', 'more=1');
    expect(find('other')?.metadata.labels).toEqual({ team: 'shop', 'velero.io/schedule-name': 'nightly', more: '1' });
  });
});
