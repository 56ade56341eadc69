import {
  type DataUpload,
  dataUploadType,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import {
  builtInActions,
  discardBackupSnapshots,
  type OperationProgress,
  retireBackupSnapshots,
} from '@lateen/item-actions';
import { keyOf } from '@lateen/kube';
import { letTimePass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aGroupSnapshotClass, aSnapshotClass, asItem, CsiWorld } from './csi-world.ts';

const never = new AbortController().signal;

/** Takes snapshots of that many claims as the engine does: first the claims, then the VolumeSnapshots. */
async function backedUp(world: CsiWorld, ...names: string[]): Promise<void> {
  for (const name of names) await world.run(world.addClaim(name));
  const action = world.action('velero.io/csi-volumesnapshot-backupper');
  for (const snapshot of world.cluster.all(volumeSnapshotType))
    await action.execute(asItem(snapshot), world.context, never);
}

describe('the end of a backup without data movement', () => {
  const retire = (world: CsiWorld) => letTimePass(retireBackupSnapshots(world.context, never), world.clock);

  it('deletes the snapshot objects from the cluster and keeps the snapshots on the storage', async () => {
    const world = new CsiWorld();
    await backedUp(world, 'data', 'logs');
    await retire(world);
    expect(world.leftovers()).toHaveLength(2);
    expect([...world.snapshots.handles]).toHaveLength(2);
    await retire(world);
  });

  it('leaves the snapshots of other backups alone', async () => {
    const world = new CsiWorld();
    await backedUp(world, 'data');
    const [snapshot] = world.cluster.all(volumeSnapshotType);
    const own = snapshot?.metadata.labels;
    const others = [
      { ...own, 'velero.io/backup-uid': 'earlier' },
      { ...own, 'velero.io/restore-name': 'r' },
      { app: 'db' },
    ];
    others.forEach((labels, at) => {
      world.cluster.put({ ...snapshot, metadata: { name: `other-${at}`, namespace: 'app', labels } } as VolumeSnapshot);
    });
    await retire(world);
    expect(world.cluster.all(volumeSnapshotType).map(({ metadata }) => metadata.name)).toEqual([
      'other-0',
      'other-1',
      'other-2',
    ]);
  });

  it('does nothing to snapshots whose data is moved', async () => {
    const world = new CsiWorld({ snapshotMoveData: true });
    await backedUp(world, 'data');
    const before = world.leftovers();
    await retire(world);
    expect(world.leftovers()).toEqual(before);
  });

  it('continues after it was interrupted at any write', async () => {
    for (let at = 0; at < 12; at++) {
      const world = new CsiWorld();
      await backedUp(world, 'data', 'logs');
      let writes = 0;
      const end = world.cluster.intercept(async (call, next) => {
        if (!['get', 'list', 'watch'].includes(call.verb) && writes++ >= at) throw new Error('the controller is dead');
        return await next();
      });
      await retire(world).catch(() => {});
      end();
      await retire(world);
      expect({ at, left: world.leftovers().length, data: world.snapshots.handles.size }).toEqual({
        at,
        left: 2,
        data: 2,
      });
    }
  });

  it('names the snapshots that cannot be retired, and retires the others', async () => {
    const world = new CsiWorld();
    await backedUp(world, 'data', 'logs');
    const [stuck] = world.cluster.all(volumeSnapshotType) as [VolumeSnapshot];
    world.cluster.failTimes(9, 'delete', ({ key }) => key.name === stuck.metadata.name, 'KUBE_FORBIDDEN');
    await expect(retire(world)).rejects.toMatchObject({
      code: 'SNAPSHOTS_REMAIN',
      message: expect.stringContaining(
        `1 of 2 snapshots of the backup are as they were: VolumeSnapshot app/${stuck.metadata.name}: injected`,
      ),
    });
    expect(world.cluster.all(volumeSnapshotType)).toHaveLength(1);
  });

  it('deletes a snapshot that the archive does not have', async () => {
    const world = new CsiWorld();
    await backedUp(world, 'data');
    await world.run(world.addClaim('lost'));
    await retire(world);
    expect(world.leftovers()).toHaveLength(1);
  });
});

describe('a backup that is cancelled or fails', () => {
  it.each(['Delete', 'Retain'] as const)(
    'leaves no snapshot when its class has deletionPolicy %s',
    async (deletionPolicy) => {
      const world = new CsiWorld({}, [aSnapshotClass({ deletionPolicy }), aGroupSnapshotClass()]);
      await backedUp(world, 'data', 'logs');
      await world.run(world.addClaim('grouped', { labels: { 'velero.io/volume-group': 'db' } }));
      await discardBackupSnapshots(world.context, never);
      expect(world.leftovers()).toEqual([]);
      await discardBackupSnapshots(world.context, never);
    },
  );

  it('leaves no snapshot of a group when the controller dies at any write while it takes the group', async () => {
    let hasEnded = false;
    for (let at = 0; !hasEnded; at++) {
      const world = new CsiWorld({}, [aGroupSnapshotClass()]);
      const claim = world.addClaim('grouped', { labels: { 'velero.io/volume-group': 'db' } });
      let writes = 0;
      const end = world.cluster.intercept(async (call, next) => {
        if (writes > at) throw new Error('the controller is dead');
        const answer = await next();
        if (!['get', 'list', 'watch'].includes(call.verb)) writes += 1;
        return answer;
      });
      await world.run(claim).catch(() => {});
      end();
      hasEnded = writes <= at;
      await discardBackupSnapshots(world.context, never);
      expect({ at, left: world.leftovers() }).toEqual({ at, left: [] });
    }
  });

  it.each(['Delete', 'Retain'] as const)(
    'leaves no content with %s whose VolumeSnapshot is gone',
    async (deletionPolicy) => {
      const world = new CsiWorld();
      await backedUp(world, 'data');
      const [content] = world.cluster.all(volumeSnapshotContentType) as [VolumeSnapshotContent];
      world.cluster.change<VolumeSnapshotContent>(volumeSnapshotContentType, keyOf(content), (object) => {
        object.spec.deletionPolicy = deletionPolicy;
      });
      world.cluster.remove(volumeSnapshotType, keyOf(world.cluster.all(volumeSnapshotType)[0] as VolumeSnapshot));
      await discardBackupSnapshots(world.context, never);
      expect(world.leftovers()).toEqual([]);
    },
  );

  it('works without the CRDs of snapshots', async () => {
    const world = new CsiWorld();
    world.cluster.failTimes(9, 'list', () => true, 'KUBE_NOT_FOUND');
    await discardBackupSnapshots(world.context, never);
    await retireBackupSnapshots(world.context, never);
  });
});

describe('deleting a backup', () => {
  const [action] = builtInActions({ csi: true }).delete;

  async function archived(parts: { retired?: boolean } = {}) {
    const world = new CsiWorld();
    await backedUp(world, 'data');
    const [content] = world.cluster.all(volumeSnapshotContentType) as [VolumeSnapshotContent];
    if (parts.retired !== false) await letTimePass(retireBackupSnapshots(world.context, never), world.clock);
    const run = (item: VolumeSnapshotContent = content, signal = never) =>
      action?.execute(asItem(item), world.context, signal) ?? Promise.reject(new Error('no action'));
    return { world, content, run, delete: (item?: VolumeSnapshotContent) => letTimePass(run(item), world.clock) };
  }

  it('deletes the snapshot with a content created for it, and stops waiting as soon as the snapshot is gone', async () => {
    const { world, ...tested } = await archived();
    const started = world.clock.monotonicMs();
    await tested.delete();
    expect(world.leftovers()).toEqual([]);
    expect(world.clock.monotonicMs() - started).toBe(0);
    await tested.delete();
    expect(world.leftovers()).toEqual([]);
  });

  it('deletes the snapshot with the content that is still in the cluster, and its VolumeSnapshot too', async () => {
    const { world, ...tested } = await archived({ retired: false });
    await tested.delete();
    expect(world.leftovers()).toEqual([]);
    expect(
      world.cluster.calls.filter(({ verb, type }) => verb === 'create' && type.kind === 'VolumeSnapshotContent'),
    ).toEqual([]);
  });

  it('deletes the snapshot of a backup that was synced from the bucket and has another uid', async () => {
    const { world, ...tested } = await archived();
    world.backup.metadata.uid = 'known-from-the-bucket';
    await tested.delete();
    expect(world.leftovers()).toEqual([]);
  });

  it('counts a snapshot that the storage does not have as deleted', async () => {
    const { world, ...tested } = await archived();
    world.snapshots.handles.clear();
    await tested.delete();
    expect(world.leftovers()).toEqual([]);
  });

  it('needs neither a snapshot class nor a driver that lists its snapshots', async () => {
    const { world, content, ...tested } = await archived();
    world.cluster.remove(volumeSnapshotClassType, { name: 'fast' });
    const created: VolumeSnapshotContent[] = [];
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'create') created.push(call.body as VolumeSnapshotContent);
      return await next();
    });
    await tested.delete();
    expect(created.map(({ metadata }) => metadata.name)).toEqual([`vsc-${content.metadata.uid}`]);
    expect(created[0]?.spec.volumeSnapshotRef).not.toHaveProperty('uid');
    expect(world.leftovers()).toEqual([]);
  });

  it.each<[string, (content: VolumeSnapshotContent) => VolumeSnapshotContent]>([
    [
      'of another backup',
      (content) => ({ ...content, metadata: { ...content.metadata, labels: { 'velero.io/backup-name': 'other' } } }),
    ],
    [
      'somebody\u2019s by now, brought back by a restore',
      ({ metadata, ...content }) => ({
        ...content,
        metadata: { ...metadata, labels: { ...metadata.labels, 'velero.io/restore-name': 'r' } },
      }),
    ],
    ['of nobody', ({ metadata: { labels: _, ...metadata }, ...content }) => ({ ...content, metadata })],
    ['without a handle', ({ status: _, ...content }) => content],
  ])('leaves a snapshot alone that is %s', async (_title, edit) => {
    const { world, content, ...tested } = await archived();
    await tested.delete(edit(content));
    expect(world.snapshots.handles.size).toBe(1);
  });

  it('reports a snapshot that no snapshotter deletes, and leaves no content behind', async () => {
    const { world, ...tested } = await archived();
    world.snapshots.hold = true;
    await expect(tested.delete()).rejects.toMatchObject({
      code: 'SNAPSHOT_NOT_DELETED',
      message: expect.stringMatching(
        /^snapshot snapshot-\S+ of CSI driver csi.lateen.dev was not deleted by its snapshotter in 5m0s$/,
      ),
    });
    expect(world.cluster.all(volumeSnapshotContentType)).toEqual([]);
  });

  it('continues after it was interrupted at any write', async () => {
    for (let at = 0; at < 4; at++) {
      const { world, ...tested } = await archived();
      let writes = 0;
      const end = world.cluster.intercept(async (call, next) => {
        if (!['get', 'list', 'watch'].includes(call.verb) && writes++ >= at) throw new Error('the controller is dead');
        return await next();
      });
      await tested.delete().catch(() => {});
      end();
      await tested.delete();
      expect({ at, left: world.leftovers() }).toEqual({ at, left: [] });
    }
  });

  it('has the snapshotter delete the snapshot also when the action is interrupted', async () => {
    const { world, content, run } = await archived();
    world.snapshots.hold = true;
    const stop = new AbortController();
    const outcome = expect(run(content, stop.signal)).rejects.toThrow('stop');
    await world.clock.advance(1_000);
    stop.abort(new Error('stop'));
    await outcome;
    world.snapshots.hold = false;
    world.react();
    expect(world.leftovers()).toEqual([]);
  });
});

describe('operations', () => {
  const claimAction = 'velero.io/csi-pvc-backupper';
  const uploadOf = (world: CsiWorld) => world.uploads()[0] as DataUpload;
  async function uploading() {
    const world = new CsiWorld({ snapshotMoveData: true });
    const { operationId = '' } = await world.run(world.addClaim('data'));
    const change = (status: DataUpload['status']) =>
      world.cluster.change<DataUpload>(dataUploadType, keyOf(uploadOf(world)), (upload) => {
        if (status !== undefined) upload.status = status;
      });
    const progress = () => world.action(claimAction).progress?.(operationId, world.context, never);
    return { world, operationId, change, progress };
  }

  it.each<[string, DataUpload['status'], OperationProgress]>([
    ['nothing', undefined, { completed: false }],
    ['New', { phase: 'New' }, { completed: false }],
    [
      'Accepted',
      { phase: 'Accepted' },
      { completed: false, description: 'Accepted', units: 'Bytes', nCompleted: 0, nTotal: 0 },
    ],
    [
      'InProgress',
      { phase: 'InProgress', startTimestamp: '2030-01-01T00:00:05Z', progress: { bytesDone: 5, totalBytes: 9 } },
      {
        completed: false,
        description: 'InProgress',
        units: 'Bytes',
        nCompleted: 5,
        nTotal: 9,
        startedAt: '2030-01-01T00:00:05Z',
      },
    ],
    [
      'Completed',
      { phase: 'Completed', progress: { bytesDone: 9, totalBytes: 9 }, completionTimestamp: '2030-01-01T00:01:00Z' },
      {
        completed: true,
        description: 'Completed',
        units: 'Bytes',
        nCompleted: 9,
        nTotal: 9,
        updatedAt: '2030-01-01T00:01:00Z',
      },
    ],
    [
      'Failed',
      { phase: 'Failed', message: 'disk on fire' },
      { completed: true, error: 'disk on fire', description: 'Failed', units: 'Bytes', nCompleted: 0, nTotal: 0 },
    ],
    [
      'Canceled',
      { phase: 'Canceled', message: 'by somebody' },
      {
        completed: true,
        error: 'DataUpload is canceled',
        description: 'Canceled',
        units: 'Bytes',
        nCompleted: 0,
        nTotal: 0,
      },
    ],
  ])('of a DataUpload that is %s', async (_phase, status, expected) => {
    const { change, progress } = await uploading();
    change(status);
    expect(await progress()).toEqual(expected);
  });

  it('fail when their DataUpload is gone or exists twice', async () => {
    const { world, operationId, progress } = await uploading();
    const upload = uploadOf(world);
    world.cluster.put({ ...upload, metadata: { ...upload.metadata, name: 'twin', uid: 'twin' } });
    expect(await progress()).toMatchObject({
      completed: true,
      error: expect.stringContaining(`more than one DataUpload has the operation ${operationId}`),
    });
    for (const each of world.uploads()) world.cluster.remove(dataUploadType, keyOf(each));
    expect(await progress()).toEqual({
      completed: true,
      error: `there is no DataUpload with the operation ${operationId}`,
    });
  });

  it('cancel their DataUpload once', async () => {
    const { world, operationId } = await uploading();
    const action = world.action(claimAction);
    await action.cancel?.(operationId, world.context, never);
    expect(uploadOf(world).spec.cancel).toBe(true);
    const before = world.cluster.calls.length;
    await action.cancel?.(operationId, world.context, never);
    await action.cancel?.('du-unknown', world.context, never);
    expect(world.cluster.calls.slice(before).map(({ verb }) => verb)).toEqual(['list', 'list']);
  });

  it('report each change of a DataUpload over a lost watch, until the last', async () => {
    const { world, operationId, change } = await uploading();
    const told: string[] = [];
    const stop = new AbortController();
    const watching = world
      .action(claimAction)
      .watchOperations?.(
        world.context,
        (id, { description = '', error = '' }) => told.push(`${id === operationId} ${description}${error}`),
        stop.signal,
      );
    await world.clock.advance(10);
    change({ phase: 'Accepted' });
    await world.clock.advance(10);
    world.cluster.closeWatches({}).compact();
    change({ phase: 'InProgress' });
    await world.clock.advance(1_000);
    world.cluster.remove(dataUploadType, keyOf(uploadOf(world)));
    await world.clock.advance(10);
    stop.abort();
    await watching;
    expect(told).toEqual([
      'true ',
      'true Accepted',
      'true InProgress',
      expect.stringMatching(/^true InProgressDataUpload velero\/nightly-.{5} was deleted$/),
    ]);
  });

  it('of snapshots end when the snapshot is ready to use, or with an error that persists', async () => {
    const world = new CsiWorld();
    world.snapshots.holdReady = true;
    await backedUp(world, 'data');
    const action = world.action('velero.io/csi-volumesnapshot-backupper');
    const [snapshot] = world.cluster.all(volumeSnapshotType) as [VolumeSnapshot];
    const id = `app/${snapshot.metadata.name}/${snapshot.metadata.creationTimestamp}`;
    const told: [string, boolean, string | undefined][] = [];
    const stop = new AbortController();
    const watching = action.watchOperations?.(
      world.context,
      (operation, { completed, error }) => told.push([operation, completed, error]),
      stop.signal,
    );
    await world.clock.advance(10);
    const change = (status: object) =>
      world.cluster.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) =>
        Object.assign(object.status ?? {}, status),
      );
    const since = { startedAt: snapshot.metadata.creationTimestamp };
    expect(await action.progress?.(id, world.context, never)).toEqual({ completed: false, ...since });
    change({ error: { message: 'busy', time: new Date(world.clock.now()).toISOString() } });
    await world.clock.advance(10);
    expect(await action.progress?.(id, world.context, never)).toEqual({
      completed: false,
      description: 'busy',
      ...since,
    });
    await world.clock.advance(301_000);
    expect(await action.progress?.(id, world.context, never)).toEqual({ completed: true, error: 'busy', ...since });
    change({ readyToUse: true, error: undefined });
    await world.clock.advance(10);
    expect(await action.progress?.(id, world.context, never)).toEqual({ completed: true, ...since });
    stop.abort();
    await watching;
    expect(told).toEqual([
      [id, false, undefined],
      [id, false, undefined],
      [id, true, undefined],
    ]);
    world.cluster.remove(volumeSnapshotType, keyOf(snapshot));
    expect((await action.progress?.(id, world.context, never))?.error).toBe(
      `VolumeSnapshot app/${snapshot.metadata.name} does not exist`,
    );
  });
});
