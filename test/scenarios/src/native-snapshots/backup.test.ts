import { type BackupSpec, type BackupStatus, type KubeObject, volumeSnapshotLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { builtInActions } from '@lateen/item-actions';
import { aPersistentVolume, aPersistentVolumeClaim, aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { BackupWorldOptions } from '../backup/backup-world.ts';
import { backupWorlds } from '../backup/backup-worlds.ts';
import { aDisk, aSnapshotLocation, makeDisks, ofShop, shopOnDisks } from './shop-on-disks.ts';

const worlds = backupWorlds();

function shop(options: BackupWorldOptions & { annotations?: Record<string, string>; more?: KubeObject[] } = {}) {
  const { annotations, more = [aSnapshotLocation()], ...rest } = options;
  const world = worlds.empty({
    actions: builtInActions({ csi: true }),
    ...rest,
    objects: [...shopOnDisks(annotations), ...more],
  });
  makeDisks(world.cloud);
  return world;
}

type World = ReturnType<typeof shop>;

async function backUp(world: World, spec: BackupSpec = ofShop): Promise<BackupStatus> {
  world.start();
  await world.create('b', spec);
  const { status } = await world.until('b', 'Completed', 'PartiallyFailed', 'Failed');
  return status ?? {};
}

const errorsOf = async (world: World) => (await world.stored.files.getResults('b')).errors;
const warningsOf = async (world: World) => (await world.stored.files.getResults('b')).warnings;
const snapshotsOf = async (world: World) =>
  (await world.stored.files.getVolumeSnapshots('b')).toSorted((a, b) =>
    a.spec.persistentVolumeName < b.spec.persistentVolumeName ? -1 : 1,
  );
const infosOf = async (world: World) =>
  ((await world.stored.files.getVolumeInfo('b')) ?? []).map(({ pvName, backupMethod, result, skippedReason }) => [
    pvName,
    backupMethod ?? skippedReason,
    result,
  ]);

describe('a backup of volumes with native snapshots', () => {
  it("has a snapshot of each volume, with its tags, in Velero's file, in volume infos and in status", async () => {
    const world = shop();
    expect(await backUp(world)).toMatchObject({
      phase: 'Completed',
      volumeSnapshotsAttempted: 2,
      volumeSnapshotsCompleted: 2,
    });
    const uid = world.backup('b')?.metadata.uid;
    const ids = [...world.cloud.snapshots.keys()];
    const snapshots = await snapshotsOf(world);
    expect(snapshots.map(({ spec, status }) => [spec.persistentVolumeName, status.phase])).toEqual([
      ['pv-data', 'Completed'],
      ['pv-logs', 'Completed'],
    ]);
    expect(snapshots.map(({ status }) => status.providerSnapshotID).sort()).toEqual(ids);
    expect(snapshots[0]?.spec).toEqual({
      backupName: 'b',
      backupUID: uid,
      location: 'disks',
      persistentVolumeName: 'pv-data',
      providerVolumeID: 'vol-data',
      volumeType: 'gp3',
      volumeAZ: 'eu-1a',
      volumeIOPS: 3_000,
    });
    expect([...world.cloud.snapshots.values()].map(({ tags }) => tags['velero.io/pv']).sort()).toEqual([
      'pv-data',
      'pv-logs',
    ]);
    expect(await world.stored.files.getVolumeInfo('b')).toMatchObject([
      {
        pvcName: 'data',
        pvcNamespace: 'shop',
        pvName: 'pv-data',
        backupMethod: 'NativeSnapshot',
        snapshotDataMoved: false,
        skipped: false,
        result: 'succeeded',
        startTimestamp: '2030-01-01T00:00:00Z',
        nativeSnapshotInfo: { volumeType: 'gp3', volumeAZ: 'eu-1a', iops: '3000', Phase: 'Completed' },
        pvInfo: { reclaimPolicy: 'Delete', labels: { disk: 'data' } },
      },
      { pvcName: 'logs', backupMethod: 'NativeSnapshot' },
    ]);
    expect(await world.stored.archived('b')).toContain('persistentvolumes/pv-data');
    expect(world.backup('b')?.spec.volumeSnapshotLocations).toEqual(['disks']);
    expect(await warningsOf(world)).toEqual({});
  });

  it('takes the snapshots while the hooks of their pod keep it frozen', async () => {
    const world = shop({
      annotations: {
        'pre.hook.backup.velero.io/command': '["freeze"]',
        'post.hook.backup.velero.io/command': '["thaw"]',
      },
    });
    const seen: string[] = [];
    world.cluster.podExec.play(({ command }) => {
      seen.push(`${command[0]} with ${world.cloud.snapshots.size} snapshots`);
      return 0;
    });
    expect(await backUp(world)).toMatchObject({ phase: 'Completed' });
    expect(seen).toEqual(['freeze with 0 snapshots', 'thaw with 2 snapshots']);
  });

  it('keeps pods frozen also when the snapshots are taken of all volumes of the cluster', async () => {
    const world = shop({
      annotations: {
        'pre.hook.backup.velero.io/command': '["freeze"]',
        'post.hook.backup.velero.io/command': '["thaw"]',
      },
    });
    const seen: number[] = [];
    world.cluster.podExec.play(() => {
      seen.push(world.cloud.snapshots.size);
      return 0;
    });
    expect(await backUp(world, {})).toMatchObject({ phase: 'Completed', volumeSnapshotsCompleted: 2 });
    expect(seen).toEqual([0, 2]);
    expect((await world.stored.files.getResourceList('b'))['v1/PersistentVolume']).toEqual(['pv-data', 'pv-logs']);
  });

  it('continues after a snapshot failed, and reports which', async () => {
    const world = shop();
    world.cloud.add({ on: 'createSnapshot', times: 1, fault: { fail: new AppError('SAID', 'the quota is used up') } });
    expect(await backUp(world)).toMatchObject({
      phase: 'PartiallyFailed',
      errors: 1,
      volumeSnapshotsAttempted: 2,
      volumeSnapshotsCompleted: 1,
    });
    const [failed, taken] = (await snapshotsOf(world)).toSorted((a) => (a.status.phase === 'Failed' ? -1 : 1));
    const name = failed?.spec.persistentVolumeName;
    expect([failed?.status, taken?.status.phase]).toEqual([{ phase: 'Failed' }, 'Completed']);
    expect((await errorsOf(world)).cluster).toEqual([
      expect.stringMatching(
        new RegExp(
          `resource: /persistentvolumes name: /${name} message: /Error taking the native snapshot of a volume error: /no native snapshot of PersistentVolume ${name}, .*: the quota is used up`,
        ),
      ),
    ]);
    expect(await world.stored.archived('b')).toEqual(
      expect.arrayContaining(['persistentvolumes/pv-data', 'persistentvolumes/pv-logs']),
    );
    expect((await infosOf(world)).map(([, , result]) => result).sort()).toEqual(['failed', 'succeeded']);
  });

  it('takes no snapshot that it cannot record in the bucket, and reports each', async () => {
    const world = shop();
    const full = new AppError('STORE_FULL', 'no space is left');
    for (const on of ['put', 'write'] as const)
      world.store.add({ on, about: 'volumesnapshots', times: 1, fault: { fail: full } });
    expect(await backUp(world)).toMatchObject({ phase: 'PartiallyFailed', errors: 2, volumeSnapshotsAttempted: 2 });
    expect((await errorsOf(world)).cluster?.join()).toContain('no space is left');
    expect(world.cloud.calls.map(({ call }) => call)).not.toContain('createSnapshot');
    expect((await snapshotsOf(world)).map(({ status }) => status)).toEqual([{ phase: 'Failed' }, { phase: 'Failed' }]);
  });

  it('asks the plugin only about volumes that have no other backup method, and reports why others have no snapshot', async () => {
    const csi = aPersistentVolumeClaim({ name: 'fast', namespace: 'shop', volumeName: 'pv-fast' });
    const nfs = aPersistentVolume({ name: 'pv-nfs' });
    const { csi: _, ...spec } = nfs.spec;
    const world = shop({
      annotations: { 'backup.velero.io/backup-volumes': 'logs' },
      more: [
        aSnapshotLocation(),
        csi,
        aPersistentVolume({ name: 'pv-fast', claim: { namespace: 'shop', name: 'fast' } }),
        { ...nfs, spec: { ...spec, nfs: { server: 's', path: '/' } } },
        aDisk('spare', { claim: { namespace: 'other', name: 'spare' } }),
      ],
    });
    world.cloud.volumes.set('vol-spare', { type: 'gp3', zone: 'eu-1a', content: '' });
    await backUp(world, {});
    const asked = world.cloud.calls.filter(({ call }) => call === 'getVolumeID').map(({ about }) => about);
    expect(asked.sort()).toEqual(['pv-data', 'pv-nfs', 'pv-spare']);
    const infos = new Map((await infosOf(world)).map(([name, ...rest]) => [name, rest]));
    expect(infos.get('pv-data')).toEqual(['NativeSnapshot', 'succeeded']);
    expect(infos.get('pv-spare')).toEqual(['NativeSnapshot', 'succeeded']);
    expect(infos.get('pv-logs')?.[0]).toContain('volumeSnapshot: pod db has it read through the file system;');
    expect(infos.get('pv-nfs')?.[0]).toBe('volumeSnapshot: no applicable volumesnapshotter found;');
    expect(infos.get('pv-fast')?.[0]).toBe('CSISnapshot');
  });

  it('warns that data of native snapshots is not moved', async () => {
    const world = shop({ more: [aSnapshotLocation(), ...nodeAgent()] });
    expect(await backUp(world, { ...ofShop, snapshotMoveData: true })).toMatchObject({
      phase: 'Completed',
      warnings: 1,
    });
    expect(world.cloud.snapshots.size).toBe(2);
  });

  it('takes no snapshots when snapshotVolumes is false', async () => {
    const world = shop();
    expect(await backUp(world, { ...ofShop, snapshotVolumes: false })).toMatchObject({ phase: 'Completed' });
    expect(world.cloud.calls).toEqual([]);
    const reason = expect.stringContaining('volumeSnapshot: snapshotVolumes is false;');
    expect((await infosOf(world)).map(([, told]) => told)).toEqual([reason, reason]);
  });

  it('gives the plugin the credentials of its location in a file, which is deleted afterwards', async () => {
    const world = shop({
      more: [
        aSnapshotLocation('disks', { credential: { name: 'keys', key: 'cloud' } }),
        aSecret({ name: 'keys', namespace: 'velero', values: { cloud: 'SECRET-OF-THE-STORE' } }),
      ],
    });
    let text: string | undefined;
    const put = world.native.credentialFiles.put.bind(world.native.credentialFiles);
    world.native.credentialFiles.put = async (given) => {
      text = given;
      return await put(given);
    };
    expect(await backUp(world)).toMatchObject({ phase: 'Completed' });
    expect(text).toBe('SECRET-OF-THE-STORE');
    expect(world.cloud.configs).toEqual([{ region: 'eu', credentialsFile: '/secrets/1' }]);
  });
});

function nodeAgent(): KubeObject[] {
  const [, pod] = shopOnDisks();
  const labels = { name: 'node-agent', role: 'node-agent' };
  return [{ ...pod, metadata: { name: 'node-agent-1', namespace: 'velero', labels } } as KubeObject];
}

describe('a backup with unusable snapshot locations', () => {
  it('is Completed without a plugin, with one warning', async () => {
    const world = shop({ more: [aSnapshotLocation('ebs', { provider: 'aws' })] });
    expect(await backUp(world)).toMatchObject({ phase: 'Completed', warnings: 1 });
    expect((await warningsOf(world)).velero).toEqual([
      expect.stringContaining('volumes without CSI get no native snapshots error: /no plugin offers provider aws'),
    ]);
    const reason = expect.stringContaining('volumeSnapshot: no plugin offers provider aws;');
    expect((await infosOf(world)).map(([, told]) => told)).toEqual([reason, reason]);
    expect(world.backup('b')?.status).not.toHaveProperty('volumeSnapshotsAttempted');
  });

  it('has an error for each volume when the plugin rejects the location, and asks it once', async () => {
    const world = shop({ more: [aSnapshotLocation('disks', { config: {} })] });
    expect(await backUp(world)).toMatchObject({ phase: 'PartiallyFailed', errors: 2 });
    expect((await errorsOf(world)).cluster?.join()).toContain(
      'it is not known whether VolumeSnapshotLocation disks has a snapshot for PersistentVolume pv-data: VolumeSnapshotLocation disks cannot be used by the plugin of provider model: config has no region',
    );
    expect(world.cloud.configs).toHaveLength(1);
  });

  it('does not start when locations are ambiguous or do not exist', async () => {
    const world = shop({ more: [aSnapshotLocation('a'), aSnapshotLocation('b')] });
    world.start();
    await world.create('b', { ...ofShop });
    expect((await world.until('b', 'FailedValidation')).status?.validationErrors).toEqual([
      'provider model has more than one possible volume snapshot location, and none were specified explicitly or as a default',
    ]);
    await world.create('c', { ...ofShop, volumeSnapshotLocations: ['b'] });
    await world.until('c', 'Completed');
    expect((await world.stored.files.getVolumeSnapshots('c')).map(({ spec }) => spec.location)).toEqual(['b', 'b']);
    expect(world.cluster.all(volumeSnapshotLocationType)).toHaveLength(2);
  });
});
