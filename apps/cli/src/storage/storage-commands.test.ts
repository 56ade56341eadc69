import type { KubeObject, ResourceType } from '@lateen/api-types';
import {
  type Backup,
  type BackupTarget,
  backupTargetType,
  backupType,
  type LonghornNode,
  longhornNodeType,
  orphanType,
  type RecurringJob,
  type Replica,
  recurringJobType,
  replicaType,
  type Setting,
  type Snapshot,
  settingType,
  snapshotType,
} from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';
import { aHealthyVolume, aReplica, aStorageNode, aVolume, storageObject } from './example-storage.ts';
import { storageRunner } from './run-storage.ts';

const namespace = 'longhorn-system';

function setUp(...objects: readonly KubeObject[]) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const named = new Map([...aHealthyVolume(), ...objects].map((each) => [`${each.kind}/${each.metadata.name}`, each]));
  const cluster = fakeCluster({ clock, objects: [...named.values()] });
  const run = storageRunner({ clock, random: seededRandom(), kube: cluster });
  const find = <T extends KubeObject>(type: ResourceType<T>, name: string) =>
    cluster.find<T>(type, { namespace, name });
  const all = <T extends KubeObject>(type: ResourceType<T>) => cluster.all<T>(type);
  const put = <T extends KubeObject>(object: T) => cluster.put(object);
  return { clock, cluster, run, find, all, put };
}

const disk = (node: LonghornNode | undefined, name: string) => node?.spec.disks?.[name];

describe('lateen storage node', () => {
  it('lists and describes', async () => {
    const notReady = [{ type: 'Ready', status: 'False', message: 'Kubelet stopped posting node status' } as const];
    const { run } = setUp(aStorageNode(2, { allowScheduling: false }, { conditions: notReady }));
    expect((await run('node list')).stdout.split('\n').slice(0, 3)).toEqual([
      'NAME    READY  SCHEDULABLE  REPLICAS  SIZE     FREE    PROMISED  ZONE    AGE',
      'node-1  True   True         1         100 GiB  80 GiB  10 GiB    zone-1  24h',
      'node-2  False  off          1         100 GiB  80 GiB  10 GiB    zone-2  24h',
    ]);
    const { stdout } = await run('node describe node-2');
    expect(stdout).toContain('! Ready: Kubelet stopped posting node status');
    expect(stdout).toContain('vol-r-2 on disk-a');
  });
  it('sets what is given, and keeps the rest', async () => {
    const { run, find } = setUp();
    expect((await run('node set node-2 --scheduling=false --evict --tags ssd,fast,ssd')).stdout).toBe(
      'node node-2 is changed\n',
    );
    expect(find(longhornNodeType, 'node-2')?.spec).toMatchObject({
      allowScheduling: false,
      evictionRequested: true,
      tags: ['fast', 'ssd'],
      disks: { 'disk-a': { path: '/var/lib/longhorn/' } },
    });
    expect((await run('node set node-2 --evict')).stdout).toBe('node node-2 is unchanged\n');
    await run("node set node-2 --tags ''");
    expect(find(longhornNodeType, 'node-2')?.spec.tags).toEqual([]);
  });
  it.each([
    ['node set node-2 --evict', 'need to disable scheduling on node node-2 for node eviction'],
    ['node set node-2', 'no change was given'],
    ['node set node-9 --scheduling', 'nodes.longhorn.io "node-9" not found'],
    ["node set node-2 --tags 'no good'", 'at least one error encountered while validating tags'],
  ])('%s is rejected', async (line, words) => {
    expect((await setUp().run(line)).stderr).toContain(words);
  });
});

describe('lateen storage disk', () => {
  it('lists the disks of all nodes, with the reason why one is not schedulable', async () => {
    const { run } = setUp(
      aStorageNode(
        3,
        {},
        {
          diskStatus: {
            'disk-a': {
              diskPath: '/var/lib/longhorn/',
              conditions: [{ type: 'Schedulable', status: 'False', message: 'the disk is full' }],
            },
          },
        },
      ),
    );
    const { stdout } = await run('disk list');
    expect(stdout).toMatch(/node-1 +disk-a +\/var\/lib\/longhorn\/ +True +True +80 GiB +100 GiB +30 GiB +10 GiB +1\n/);
    expect(stdout).toMatch(/node-3 .* the disk is full\n/);
    expect(JSON.parse((await run('disk list --node node-3 -o json')).stdout)).toMatchObject([
      { node: 'node-3', name: 'disk-a' },
    ]);
  });
  it('is added, set, evicted and removed', async () => {
    const { run, find, put } = setUp();
    const node = () => find<LonghornNode>(longhornNodeType, 'node-1');
    expect((await run('disk add node-1 ssd /mnt/ssd --reserved 20Gi --tags ssd')).code).toBe(0);
    expect(disk(node(), 'ssd')).toEqual({
      diskType: 'filesystem',
      path: '/mnt/ssd',
      allowScheduling: true,
      evictionRequested: false,
      storageReserved: 20 * 1024 ** 3,
      tags: ['ssd'],
    });
    // No further change is allowed until the node's manager has processed this one.
    expect((await run('disk set node-1 ssd --reserved 1Gi')).stderr).toContain(
      'are being syncing and please retry later',
    );
    const seen = node() as LonghornNode;
    put({
      ...seen,
      status: {
        ...seen.status,
        diskStatus: { ...seen.status?.diskStatus, ssd: { diskPath: '/mnt/ssd', scheduledReplica: { r: 1 } } },
      },
    });
    expect((await run('disk set node-1 ssd --reserved 1Gi')).stdout).toBe('disk ssd of node node-1 is changed\n');
    expect((await run('disk remove node-1 ssd')).stderr).toContain(
      'Please disable the disk ssd and remove all replicas',
    );
    expect((await run('disk evict node-1 ssd')).code).toBe(0);
    expect(disk(node(), 'ssd')).toMatchObject({
      allowScheduling: false,
      evictionRequested: true,
      storageReserved: 1024 ** 3,
    });
    const evicted = node() as LonghornNode;
    put({
      ...evicted,
      status: {
        ...evicted.status,
        diskStatus: { ...evicted.status?.diskStatus, ssd: { diskPath: '/mnt/ssd', scheduledReplica: {} } },
      },
    });
    expect((await run('disk remove node-1 ssd')).stdout).toBe('disk ssd is removed from node node-1\n');
    expect(Object.keys(node()?.spec.disks ?? {})).toEqual(['disk-a']);
  });
  it.each([
    ['disk add node-1 other /var/lib/longhorn/', 'node node-1 has disk disk-a at /var/lib/longhorn/ already'],
    ['disk add node-1 other mnt', 'does not begin with /'],
    ['disk remove node-1 none', 'node node-1 has no disk none'],
    ['disk set node-1 disk-a', 'no change was given'],
    ['disk set node-1 disk-a --evict', 'need to disable scheduling on disk disk-a'],
  ])('%s is rejected', async (line, words) => {
    expect((await setUp().run(line)).stderr).toContain(words);
  });
});

describe('lateen storage replica, engine, instance-manager, attachment', () => {
  it('list all objects', async () => {
    const { run } = setUp(
      aReplica(3, { failedAt: '2030-01-01T00:00:00Z' }, { 'storage.lateen.dev/failure-cause': 'its disk is gone' }),
    );
    expect((await run('replica list --volume vol -o wide')).stdout).toMatch(/vol-r-3 .* failed .* its disk is gone\n/);
    expect((await run('replica list --node node-1 -o name')).stdout).toBe('replica/vol-r-1\n');
    expect((await run('engine list')).stdout).toContain('vol-r-1=RW,vol-r-2=RW,vol-r-3=RW');
    expect((await run('instance-manager list --node node-2 -o name')).stdout).toBe(
      'instancemanager/instance-manager-2\n',
    );
    expect((await run('attachment list')).stdout).toContain('vol     csi-attacher@node-1  yes');
  });
  it('evict a replica, and cancel the eviction', async () => {
    const { run, find } = setUp();
    const evicted = () => (find(replicaType, 'vol-r-1') as Replica).spec.evictionRequested;
    expect(await run('replica evict vol-r-1')).toMatchObject({
      code: 0,
      stdout: 'replica vol-r-1 is evicted; how far that is: lateen storage volume describe vol\n',
    });
    expect(evicted()).toBe(true);
    expect((await run('replica evict vol-r-1')).stdout).toContain('vol-r-1 is evicted already;');
    expect((await run('replica evict vol-r-1 --cancel')).stdout).toBe('replica vol-r-1 stays where it is\n');
    expect(evicted()).toBe(false);
    expect(await run('replica evict vol-r-9')).toMatchObject({ code: 1 });
  });
  it('keep the last replica that may have data', async () => {
    const failed = { failedAt: '2030-01-01T00:00:00Z' };
    const { run, find } = setUp(aReplica(2, failed), aReplica(3, failed));
    expect(await run('replica delete vol-r-1 --confirm')).toMatchObject({
      code: 1,
      stderr:
        'lateen: no other healthy replica available for volume vol, cannot delete replica vol-r-1 since it may still contain data for recovery\n',
    });
    expect(find(replicaType, 'vol-r-1')).toBeDefined();
    expect((await run('replica delete vol-r-2 --confirm')).stdout).toBe('replica vol-r-2 is being deleted\n');
    expect(find(replicaType, 'vol-r-2')).toBeUndefined();
  });
});

const aSnapshot = (name: string, status: Snapshot['status'] = {}) =>
  storageObject<Snapshot>('Snapshot', name, {
    metadata: { labels: { longhornvolume: 'vol' } },
    spec: { volume: 'vol' },
    status,
  });

describe('lateen storage snapshot', () => {
  it('is taken and waited for', async () => {
    const { run, find, put } = setUp();
    const running = run('snapshot create vol --name before --labels team=shop --wait');
    await letWorkRun();
    const made = find<Snapshot>(snapshotType, 'before') as Snapshot;
    expect(made).toMatchObject({
      metadata: { labels: { longhornvolume: 'vol' }, ownerReferences: [{ kind: 'Volume', name: 'vol' }] },
      spec: { volume: 'vol', createSnapshot: true, labels: { team: 'shop' } },
    });
    put({ ...made, status: { readyToUse: true } });
    expect((await running).stdout).toBe('snapshot before of volume vol is requested\nsnapshot before can be used\n');
  });
  it('fails with its error', async () => {
    const { run, find, put } = setUp();
    const running = run('snapshot create vol --name before --wait');
    await letWorkRun();
    put({ ...(find<Snapshot>(snapshotType, 'before') as Snapshot), status: { error: 'the volume has 250 snapshots' } });
    expect(await running).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('snapshot before: the volume has 250 snapshots'),
    });
  });
  it('purges snapshots that no user has created, and says what stays', async () => {
    const { run, all } = setUp(
      aSnapshot('snap-a', { userCreated: true }),
      aSnapshot('rebuild-1', { userCreated: false, size: 1024 }),
    );
    const { stdout } = await run('snapshot purge vol --confirm');
    expect(stdout).toBe(
      'snapshot snap-b is removed and still there: the head builds on it: it is removed when another snapshot has been taken\nsnapshot rebuild-1 is being deleted\n',
    );
    expect(all<Snapshot>(snapshotType).map(({ metadata }) => metadata.name)).toEqual(['snap-a']);
    expect((await run('snapshot delete snap-a --confirm')).stdout).toBe('snapshot snap-a is being deleted\n');
  });
  it('is not taken of a standby volume', async () => {
    expect((await setUp(aVolume({ Standby: true })).run('snapshot create vol')).stderr).toContain(
      'failed to create snapshot for standby volume vol',
    );
  });
});

const target = storageObject<BackupTarget>('BackupTarget', 'default', {
  spec: { backupTargetURL: 's3://b@r/' },
  status: { available: true },
});

describe('lateen storage backup', () => {
  it('takes a snapshot and backs it up', async () => {
    const { run, find, put } = setUp(target);
    const running = run('backup create vol --name nightly --mode full --wait');
    await letWorkRun();
    const made = find<Backup>(backupType, 'nightly') as Backup;
    expect(made).toMatchObject({
      metadata: { labels: { 'backup-target': 'default', 'backup-volume': 'vol' } },
      spec: { backupMode: 'full', labels: { 'longhorn.io/volume-access-mode': 'rwo' } },
    });
    expect(find<Snapshot>(snapshotType, made.spec.snapshotName ?? '')?.spec).toMatchObject({
      volume: 'vol',
      createSnapshot: true,
    });
    put({ ...made, status: { state: 'InProgress', progress: 40 } });
    await letWorkRun();
    put({ ...made, status: { state: 'Completed', progress: 100, size: '1048576', volumeName: 'vol' } });
    expect(await running).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^backup nightly of snapshot snap-[0-9a-f]{16} is requested\nbackup nightly is completed\n$/,
      ),
      stderr: 'backup nightly: new 0 %\nbackup nightly: InProgress 40 %\n',
    });
    expect((await run('backup list --volume vol')).stdout).toContain('nightly  vol     Completed  100 %  1 MiB');
    expect((await run('backup describe nightly')).stdout).toContain('State:           Completed');
    expect((await run('backup delete nightly --confirm')).stdout).toBe('backup nightly is being deleted\n');
  });
  it.each<[string, KubeObject[], string]>([
    ['backup create vol', [], 'backup target default is not available'],
    ['backup create vol --mode most', [target], '--mode "most" is not one of full, incremental'],
    ['backup create vol --snapshot none', [target], 'snapshots.longhorn.io "none" not found'],
  ])('%s is rejected', async (line, objects, words) => {
    const { run, all } = setUp(...objects);
    expect((await run(line)).stderr).toContain(words);
    expect([all(backupType), all(snapshotType)]).toEqual([[], []]);
  });
});

describe('lateen storage backup-target', () => {
  it('is set up, changed and listed', async () => {
    const { run, find } = setUp();
    await run('backup-target set default --url s3://b@r/ --secret keys');
    expect(find<BackupTarget>(backupTargetType, 'default')?.spec).toEqual({
      backupTargetURL: 's3://b@r/',
      credentialSecret: 'keys',
      pollInterval: '5m0s',
    });
    await run('backup-target set default --poll-interval 10m');
    expect(find<BackupTarget>(backupTargetType, 'default')?.spec).toMatchObject({
      credentialSecret: 'keys',
      pollInterval: '10m0s',
    });
    expect((await run('backup-target list')).stdout).toContain('default  s3://b@r/  keys    no');
    expect((await run('backup-target set other --url s3://b@r/')).stderr).toContain(
      'url s3://b@r/ is the same to backup target default',
    );
  });
  it('keeps its address while standby volumes use it', async () => {
    const { run } = setUp(target, aVolume({ Standby: true }));
    expect((await run('backup-target set default --url s3://c@r/')).stderr).toContain('existing standby volumes: vol');
  });
});

describe('lateen storage setting', () => {
  it("is stored in the API's form", async () => {
    const { run, find } = setUp();
    expect((await run('setting set default-replica-count 2')).stdout).toBe(
      'setting default-replica-count is {"v1":"2","v2":"2"}\n',
    );
    expect(find<Setting>(settingType, 'default-replica-count')?.value).toBe('{"v1":"2","v2":"2"}');
    expect((await run('setting set default-replica-count 2')).stdout).toContain('is already');
    expect((await run('setting list --changed')).stdout).toMatch(
      /^NAME.*\ndefault-replica-count +2 +3 +acts +general\n$/,
    );
  });
  it('reports when it has no effect', async () => {
    const { run } = setUp();
    expect(await run('setting set v2-data-engine true')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^WARNING: v2-data-engine is kept and has no effect: /),
    });
    expect((await run('setting get v2-data-engine')).stdout).toContain('is kept and has no effect');
  });
  it.each([
    ['setting set backup-target s3://x', 'setting backup-target is not supported'],
    ['setting set default-replica-count 21', 'should be less than or equal to 20'],
    ['setting set current-longhorn-version 1', 'is read-only'],
    ['setting set v1-data-engine false', 'when there are attached v1 volumes'],
    ['setting get none', 'setting none is not supported'],
  ])('%s is rejected', async (line, words) => {
    const { run, all } = setUp();
    expect((await run(line)).stderr).toContain(words);
    expect(all(settingType)).toEqual([]);
  });
});

describe('lateen storage job', () => {
  it('is created, described and deleted', async () => {
    const { run, find } = setUp();
    expect(await run("job create Nightly --task backup --cron '0 1 * * *' --retain 7 --groups default")).toMatchObject({
      code: 0,
      stdout: 'job nightly is created\n',
      stderr: '',
    });
    expect(find<RecurringJob>(recurringJobType, 'nightly')?.spec).toMatchObject({
      task: 'backup',
      retain: 7,
      concurrency: 10,
      groups: ['default'],
    });
    expect((await run('job describe nightly')).stdout).toMatch(/Volumes: +vol\n/);
    expect((await run('job delete nightly --confirm')).stdout).toBe('job nightly is being deleted\n');
    expect(find(recurringJobType, 'nightly')).toBeUndefined();
  });
  it.each([
    ["job create a --task backup --cron 'never'", 'invalid cron format(never)'],
    ['job create a --task sweep --cron @daily', '--task has to be one of'],
    ['job create a --task backup', '--cron is required'],
    ['job create a --task backup --cron @daily --retain 101', 'retain value should be less than or equal to 100'],
    ['job create a --task system-backup --cron @daily', 'is not supported by this volume manager yet'],
  ])('%s is rejected', async (line, words) => {
    const { run, all } = setUp();
    expect((await run(line)).stderr).toContain(words);
    expect(all(recurringJobType)).toEqual([]);
  });
});

describe('lateen storage orphan', () => {
  const orphan = (name: string, status: 'True' | 'False', message = '') =>
    storageObject('Orphan', name, {
      spec: {
        nodeID: 'node-1',
        orphanType: 'replica',
        parameters: { DataName: 'old-1', DiskPath: '/var/lib/longhorn/' },
      },
      status: { conditions: [{ type: 'DataCleanable', status, message }] },
    });
  it('says what is deleted with it', async () => {
    const { run, all } = setUp(orphan('orphan-1', 'True'), orphan('orphan-2', 'False', 'node node-1 is down'));
    expect((await run('orphan list -o wide')).stdout).toContain('/var/lib/longhorn/replicas/old-1');
    const { stderr } = await run('orphan delete --all', { answer: 'y' });
    expect(stderr).toContain('orphan-1: /var/lib/longhorn/replicas/old-1 on node-1; its data is deleted\n');
    expect(stderr).toContain(
      'orphan-2: /var/lib/longhorn/replicas/old-1 on node-1; its data stays: node node-1 is down\n',
    );
    expect(all(orphanType)).toEqual([]);
  });
});

describe('completion below lateen storage', () => {
  const complete = async (...words: string[]) => {
    const clock = new FakeClock('2030-01-02T00:00:00Z');
    const kube = fakeCluster({ clock, objects: aHealthyVolume() });
    const { stdout } = await runForTests({ clock, random: seededRandom(), kube }, ['__complete', 'storage', ...words]);
    return stdout.split('\n').slice(0, -2);
  };
  it.each<[string[], string[]]>([
    [['volume', 'describe', ''], ['vol\tattached, healthy, data']],
    [['--storage-namespace', 'other', 'volume', 'describe', ''], []],
    [['volume', 'attach', 'vol', 'node-2'], ['node-2\tzone-2']],
    [['replica', 'list', '--volume', ''], ['vol\tattached, healthy, data']],
    [['volume', 'update', 'vol', '--data-locality', 'b'], ['best-effort']],
    [
      ['disk', 'set', 'node-1', 'disk'],
      ['disk-a\tnode-1 /var/lib/longhorn/', 'disk-a\tnode-2 /var/lib/longhorn/', 'disk-a\tnode-3 /var/lib/longhorn/'],
    ],
  ])('%j', async (words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });
  it('offers the settings without a cluster', async () => {
    expect((await complete('setting', 'set', 'auto-sal')).map((line) => line.split('\t')[0])).toEqual(['auto-salvage']);
  });
});
