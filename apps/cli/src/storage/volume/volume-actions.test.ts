import type { KubeObject } from '@lateen/api-types';
import {
  type Engine,
  engineType,
  type Replica,
  replicaType,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aHealthyVolume, anAttachment, anEngine, aReplica, aStorageNode, aVolume } from '../example-storage.ts';
import { storageRunner } from '../run-storage.ts';

const namespace = 'longhorn-system';

function setUp(...objects: readonly KubeObject[]) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const named = new Map([...aHealthyVolume(), ...objects].map((each) => [`${each.kind}/${each.metadata.name}`, each]));
  const cluster = fakeCluster({ clock, objects: [...named.values()] });
  const run = storageRunner({ clock, random: seededRandom(), kube: cluster });
  const volume = () => cluster.find<Volume>(volumeType, { namespace, name: 'vol' });
  const tickets = () =>
    cluster.find<VolumeAttachmentObject>(volumeAttachmentObjectType, { namespace, name: 'vol' })?.spec
      .attachmentTickets;
  return { clock, cluster, run, volume, tickets };
}

/** Stores an object as its controller would have written it. */
const put = <T extends KubeObject>(cluster: { put(...objects: KubeObject[]): unknown }, object: T) =>
  cluster.put(object);

const detached = aVolume({ nodeID: '' }, { state: 'detached', currentNodeID: '', robustness: 'unknown' });
const byHand = { id: 'lateen-cli', type: 'longhorn-api', nodeID: 'node-2', generation: 0 } as const;

describe('lateen storage volume attach', () => {
  it('adds its own ticket', async () => {
    const { run, tickets } = setUp(detached, anAttachment({}));
    expect(await run('volume attach vol node-2')).toMatchObject({
      code: 0,
      stdout: 'volume vol is requested on node-2\n',
    });
    expect(tickets()).toEqual({
      'lateen-cli': { ...byHand, parameters: { disableFrontend: 'false', lastAttachedBy: 'lateen' } },
    });
    expect((await run('volume attach vol node-2')).stdout).toBe('volume vol is already requested on node-2\n');
    await run('volume attach vol node-2 --disable-frontend');
    expect(tickets()?.['lateen-cli']).toMatchObject({ generation: 1, parameters: { disableFrontend: 'true' } });
  });
  it.each([
    [
      'node-9',
      "lateen: unable to attach volume vol to node-9: node node-9 is not ready, couldn't attach volume vol to it\n",
    ],
    [
      'node-2',
      'lateen: vol would be detached from node-1, which needs a confirmation, and there is no terminal to ask for it. Give --confirm to run without a question.\n',
    ],
  ])('on %s is rejected before anything is written', async (node, stderr) => {
    const { run, tickets } = setUp();
    expect(await run(`volume attach vol ${node}`)).toMatchObject({ stderr });
    expect(Object.keys(tickets() ?? {})).toEqual(['csi-1']);
  });
  it('waits with a watch until the volume is attached', async () => {
    const { run, cluster, volume } = setUp(detached, anAttachment({}));
    const running = run('volume attach vol node-2 --wait');
    await letWorkRun();
    const before = volume() as Volume;
    put(cluster, { ...before, status: { ...before.status, state: 'attaching' } });
    await letWorkRun();
    put(cluster, {
      ...before,
      status: { ...before.status, state: 'attached', currentNodeID: 'node-2', frontendDisabled: false },
    });
    expect(await running).toMatchObject({
      code: 0,
      stdout: 'volume vol is requested on node-2\nvolume vol is attached to node-2\n',
      stderr: 'volume vol: detached, unknown\nvolume vol: attaching, unknown\n',
    });
  });
  it('gives up after the timeout and says what it waited for', async () => {
    const { run, clock } = setUp(detached, anAttachment({}));
    const running = run('volume attach vol node-2 --wait --timeout 30s');
    await letWorkRun();
    await clock.advance(31_000);
    expect(await running).toMatchObject({
      code: 1,
      stderr:
        'volume vol: detached, unknown\nlateen: volume vol is attached to node-2: not within 30s; detached, unknown. See: lateen storage volume describe vol\n',
    });
  });
});

describe('lateen storage volume detach', () => {
  const both = anAttachment({ 'csi-1': { id: 'csi-1', type: 'csi-attacher', nodeID: 'node-1' }, 'lateen-cli': byHand });
  it('removes tickets that were added manually', async () => {
    const { run, tickets } = setUp(both);
    expect((await run('volume detach vol')).stdout).toBe('volume vol: released: lateen-cli\n');
    expect(Object.keys(tickets() ?? {})).toEqual(['csi-1']);
    expect((await run('volume detach vol')).stdout).toBe('volume vol: no attachment was requested by hand\n');
  });
  it('removes all tickets only when that is confirmed', async () => {
    const { run, tickets } = setUp(both);
    expect((await run('volume detach vol --force', { answer: 'n' })).code).toBe(1);
    expect(Object.keys(tickets() ?? {})).toHaveLength(2);
    expect((await run('volume detach vol --force --confirm')).stdout).toBe('volume vol: released: csi-1, lateen-cli\n');
    expect(tickets()).toEqual({});
  });
});

describe('lateen storage volume expand', () => {
  it('sets the size, a multiple of 2 MiB', async () => {
    const { run, volume } = setUp();
    const { stdout, stderr } = await run('volume expand vol 10737418241');
    expect(stdout).toBe('volume vol is to grow from 10 GiB to 10 GiB\n');
    expect(stderr).toContain('claim shop/data keeps its size');
    expect(volume()?.spec.size).toBe('10739515392');
  });
  it.each([
    ['5Gi', 'shrinking volume vol size from 10737418240 to 5368709120 is not supported'],
    ['much', 'the size "much" is not a number of bytes'],
  ])('to %s is rejected', async (size, words) => {
    const { run, volume } = setUp();
    expect((await run(`volume expand vol ${size}`)).stderr).toContain(words);
    expect(volume()?.spec.size).toBe('10737418240');
  });
  it('is rejected while the volume is being attached', async () => {
    const { run } = setUp(aVolume({}, { state: 'attaching' }));
    expect((await run('volume expand vol 20Gi')).stderr).toContain('invalid volume state to expand: attaching');
  });
});

describe('lateen storage volume salvage', () => {
  const failedAt = '2030-01-01T23:50:00Z';
  const failed = [1, 2, 3].map((number) => aReplica(number, { failedAt, lastFailedAt: failedAt }));
  const faulted = aVolume({}, { state: 'detached', currentNodeID: '', robustness: 'faulted' });
  const engine = (modes: Record<string, 'ERR' | 'RW'>) =>
    anEngine({}, { currentState: 'stopped', replicaModeMap: modes });

  it('requests it from the manager, for the current failure, and writes nothing else', async () => {
    const { run, volume, cluster } = setUp(faulted, engine({ 'vol-r-1': 'RW', 'vol-r-2': 'ERR' }), ...failed);
    const others = () => [engineType, replicaType].map((type) => cluster.all(type));
    const [before, volumeBefore] = [others(), volume()];
    let writes = 0;
    cluster.onChange(() => {
      writes += 1;
    });
    const line = 'volume salvage vol --replica vol-r-2';
    const { code, stdout, asked } = await run(line, { answer: 'y' });
    const question =
      'The data of vol becomes that of vol-r-2. vol-r-2 may lack writes that were acknowledged. vol-r-1, vol-r-3, which has all of them, is left out and rebuilt. Continue? (y/N) ';
    expect([code, asked]).toEqual([0, [question]]);
    expect(stdout).toContain('the data of vol-r-2 are to be used again; see:');
    const request = () => volume()?.metadata.annotations?.['storage.lateen.dev/salvage-requested'];
    expect(request()).toBe(JSON.stringify({ 'vol-r-2': failedAt }));
    expect((await run(`${line} --confirm`)).stdout).toContain('are to be used again already');
    expect((await run('volume salvage vol --replica vol-r-1', { answer: 'n' })).code).toBe(1);
    expect(request()).toBe(JSON.stringify({ 'vol-r-2': failedAt }));
    expect(others()).toEqual(before);
    const withoutMetadata = { metadata: undefined };
    expect({ ...volume(), ...withoutMetadata }).toEqual({ ...volumeBefore, ...withoutMetadata });
    expect([volume()?.metadata.labels, writes]).toEqual([volumeBefore?.metadata.labels, 1]);
  });

  it('is rejected while only the engine has recorded the failure', async () => {
    const [one, , three] = failed as [Replica, Replica, Replica];
    const { run, volume } = setUp(faulted, engine({ 'vol-r-2': 'ERR' }), one, three);
    const { code, stderr } = await run('volume salvage vol --replica vol-r-2 --confirm');
    expect(code).toBe(1);
    expect(stderr).toContain('cannot salvage volume vol: the failure of replica vol-r-2 is not in it yet');
    expect(volume()?.metadata.annotations).toBeUndefined();
  });

  it('waits with a watch until the volume is no longer faulted', async () => {
    const { run, cluster, volume } = setUp(faulted, engine({ 'vol-r-1': 'RW' }), ...failed);
    const running = run('volume salvage vol --replica vol-r-1 --confirm --wait');
    await letWorkRun();
    const asked = volume() as Volume;
    put(cluster, { ...asked, status: { ...asked.status, robustness: 'unknown' } });
    expect(await running).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('volume vol is no longer faulted\n'),
      stderr: 'volume vol: detached, faulted\n',
    });
  });

  it('reports what the manager waits for when it takes too long', async () => {
    const down = aStorageNode(2, {}, { conditions: [{ type: 'Ready', status: 'False', reason: 'ManagerPodDown' }] });
    const { run, clock } = setUp(faulted, engine({ 'vol-r-1': 'RW' }), ...failed, down);
    const running = run('volume salvage vol --replica vol-r-2 --confirm --wait --timeout 30s');
    await letWorkRun();
    await clock.advance(31_000);
    const { code, stderr } = await running;
    expect(code).toBe(1);
    expect(stderr).toContain('detached, faulted; its manager waits: ');
    expect(stderr).toContain('no replica with all data can be used: vol-r-2 on node-2');
  });

  it.each<[string, KubeObject[], string]>([
    ['--replica vol-r-1', [], 'cannot salvage volume vol: it is not faulted'],
    ['--replica other', [faulted], 'cannot salvage volume vol: it has no replica other'],
    ['', [faulted], '--replica is required'],
  ])('with %s is rejected', async (flags, objects, words) => {
    expect((await setUp(...objects).run(`volume salvage vol ${flags} --confirm`)).stderr).toContain(words);
  });
});

describe('lateen storage volume delete', () => {
  it('lists what will be deleted, and asks', async () => {
    const { run, volume } = setUp();
    expect(await run('volume delete vol', { answer: 'n' })).toMatchObject({
      stderr:
        'vol, 10 GiB, attached to node-1; claim shop/data uses it; all its data and snapshots are deleted\nNothing was deleted.\n',
    });
    expect(volume()).toBeDefined();
    expect((await run('volume delete vol --confirm')).stdout).toBe('volume vol is being deleted\n');
    expect(volume()).toBeUndefined();
  });
});

describe('lateen storage volume update', () => {
  it('changes what is named', async () => {
    const { run, volume } = setUp();
    await run('volume update vol --replicas 2 --data-locality best-effort --snapshot-max-size 30Gi');
    expect(volume()?.spec).toMatchObject({
      numberOfReplicas: 2,
      dataLocality: 'best-effort',
      snapshotMaxSize: '32212254720',
      accessMode: 'rwo',
    });
    expect((await run('volume update vol --replicas 2')).stdout).toBe('volume vol is unchanged\n');
  });
  it.each([
    ['--replicas 0', 'replica count value 0 must between 1 to 20', 1],
    ['--replicas two', '--replicas "two" is not a whole number', 2],
    ['--data-locality near', '--data-locality "near" is not one of disabled, best-effort, strict-local', 2],
    ['--access-mode rwop', 'can only update volume access mode while volume is detached', 1],
    ['--snapshot-max-size 1Gi', 'snapshot max size can not be 0 and at least twice of volume size', 1],
    ['', 'no change was given', 2],
  ])('%s is rejected', async (flags, words, code) => {
    const found = await setUp().run(`volume update vol ${flags}`);
    expect([found.code, found.stderr]).toEqual([code, expect.stringContaining(words)]);
  });
});

describe('lateen storage volume recurring-job', () => {
  const job = (name: string, groups: string[]) =>
    ({
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'RecurringJob',
      metadata: { name, namespace },
      spec: { name, groups, task: 'snapshot', cron: '@daily', retain: 3 },
    }) as KubeObject;
  it('is added and removed with labels', async () => {
    const { run, volume } = setUp(job('nightly', []), job('all', ['default']));
    expect((await run('volume recurring-job list vol')).stdout).toContain(
      'all  snapshot  @daily  3       group default',
    );
    expect((await run('volume recurring-job add vol nightly')).stdout).toBe('volume vol takes part in job nightly\n');
    expect(volume()?.metadata.labels?.['recurring-job.longhorn.io/nightly']).toBe('enabled');
    expect((await run('volume recurring-job list vol')).stdout).toContain(
      'nightly  snapshot  @daily  3       the job itself',
    );
    expect((await run('volume recurring-job remove vol nightly')).stdout).toBe(
      'volume vol takes no part in job nightly\n',
    );
    await run('volume recurring-job add vol gold --group');
    expect(volume()?.metadata.labels?.['recurring-job-group.longhorn.io/gold']).toBe('enabled');
  });
  it('has to exist', async () => {
    expect((await setUp().run('volume recurring-job add vol none')).stderr).toContain(
      'recurringjobs.longhorn.io "none" not found',
    );
  });
});

describe('lateen storage volume describe --watch', () => {
  it('prints each change as a line when there is no terminal', async () => {
    const stop = new AbortController();
    const { run, cluster } = setUp();
    const running = run('volume describe vol --watch', { signal: stop.signal });
    await letWorkRun();
    const before = cluster.find<Engine>(engineType, { namespace, name: 'vol-e-0' }) as Engine;
    const rebuild = (progress: number) => ({ '10.0.0.3:10000': { isRebuilding: true, progress } });
    for (const progress of [10, 60]) {
      const modes = { 'vol-r-1': 'RW', 'vol-r-2': 'RW', 'vol-r-3': 'WO' } as const;
      put(cluster, {
        ...before,
        status: { ...before.status, replicaModeMap: modes, rebuildStatus: rebuild(progress) },
      });
      await letWorkRun();
    }
    stop.abort(new Error('interrupted'));
    const { stdout } = await running;
    expect(stdout).toContain('vol  attached to node-1; healthy\n');
    expect(stdout).toContain('vol-r-3 on node-3 rebuilt 10 %');
    expect(stdout).toContain('vol-r-3 on node-3 rebuilt 60 %');
  });
});

describe('lateen storage volume activate', () => {
  const fromBackup = 's3://b@r/?backup=backup-1&volume=old';
  const standby = aVolume({ Standby: true, frontend: '', fromBackup }, { restoreRequired: true, isStandby: true });
  it('ends the standby of a volume with a restored backup, and waits until it can be attached', async () => {
    const { run, volume, cluster } = setUp(standby, anEngine({}, { lastRestoredBackup: 'backup-1' }));
    const running = run('volume activate vol --wait');
    await letWorkRun();
    expect(volume()?.spec).toMatchObject({ Standby: false, frontend: 'blockdev' });
    const before = volume() as Volume;
    put(cluster, { ...before, status: { ...before.status, restoreRequired: false } });
    expect(await running).toMatchObject({
      code: 0,
      stdout: 'volume vol is being activated\nvolume vol can be attached\n',
    });
  });
  it.each([
    ['that holds none yet', [standby], 'cannot activate volume vol: its first backup is not restored yet'],
    ['that is none', [], 'volume vol is already in active mode'],
  ])('rejects one %s', async (_, objects, words) => {
    const { run } = setUp(...objects);
    expect(await run('volume activate vol')).toMatchObject({ code: 1, stderr: `lateen: ${words}\n` });
  });
});
