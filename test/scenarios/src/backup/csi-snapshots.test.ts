import { dataUploadType, type VolumeSnapshot, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { keyOf, kubeError } from '@lateen/kube';
import { aPersistentVolume, aPersistentVolumeClaim, aStorageClass, letTimePass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aSnapshotClass, asItem, CsiWorld } from './csi-world.ts';

const backupLabels = {
  'velero.io/backup-name': 'nightly',
  'velero.io/backup-uid': 'f3b8a2c4-0000-4000-8000-000000000001',
};
const moved = { snapshotMoveData: true };

describe('a claim whose data is moved', () => {
  const annotated = (value: string) => {
    const world = new CsiWorld({ ...moved, uploaderConfig: { parallelFilesUpload: 7 } });
    world.backup.metadata.annotations = { 'lateen.dev/data-mover-config': value };
    return world;
  };

  it('gets the data mover settings from an annotation of the backup', async () => {
    const world = annotated('KeepBaseSnapshot=true, SkipUnusedBlocks=false,ParallelFilesUpload=1');
    await world.run(world.addClaim('data'));
    expect(world.uploads()[0]?.spec.dataMoverConfig).toEqual({
      KeepBaseSnapshot: 'true',
      SkipUnusedBlocks: 'false',
      ParallelFilesUpload: '7',
    });
  });

  it('is not snapshotted when that annotation cannot be parsed', async () => {
    const world = annotated('KeepBaseSnapshot');
    await expect(world.run(world.addClaim('data'))).rejects.toMatchObject({
      code: 'BACKUP_ANNOTATION_INVALID',
      message: expect.stringContaining('lateen.dev/data-mover-config "KeepBaseSnapshot"'),
    });
    expect(world.cluster.all(volumeSnapshotType)).toEqual([]);
    expect(world.uploads()).toEqual([]);
  });

  it('becomes a DataUpload of its snapshot, which the stored claim names', async () => {
    const world = new CsiWorld({ ...moved, uploaderConfig: { parallelFilesUpload: 7 } });
    const claim = world.addClaim('data', { labels: { app: 'db' } });
    const result = await world.run(claim);
    const [snapshot] = world.cluster.all(volumeSnapshotType);
    const [upload] = world.uploads();
    expect(snapshot).toMatchObject({
      metadata: { namespace: 'app', generateName: 'velero-data-', labels: { app: 'db', ...backupLabels } },
      spec: { volumeSnapshotClassName: 'fast', source: { persistentVolumeClaimName: 'data' } },
    });
    const operationId = upload?.metadata.labels?.['velero.io/async-operation-id'];
    expect(operationId).toMatch(/^du-f3b8a2c4-0000-4000-8000-000000000001\./);
    expect(upload).toEqual({
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataUpload',
      metadata: expect.objectContaining({
        namespace: 'velero',
        generateName: 'nightly-',
        labels: {
          ...backupLabels,
          'velero.io/pvc-uid': claim.metadata.uid,
          'velero.io/async-operation-id': operationId,
        },
        ownerReferences: [
          {
            apiVersion: 'velero.io/v1',
            kind: 'Backup',
            name: 'nightly',
            uid: backupLabels['velero.io/backup-uid'],
            controller: true,
          },
        ],
      }),
      spec: {
        snapshotType: 'CSI',
        csiSnapshot: {
          volumeSnapshot: snapshot?.metadata.name,
          storageClass: 'lateen',
          snapshotClass: 'fast',
          driver: 'csi.lateen.dev',
        },
        sourcePVC: 'data',
        sourceNamespace: 'app',
        backupStorageLocation: 'default',
        operationTimeout: '10m0s',
        dataMoverConfig: { ParallelFilesUpload: '7' },
      },
    });
    const uploads = [{ group: 'velero.io', resource: 'datauploads', namespace: 'velero', name: upload?.metadata.name }];
    expect(result).toMatchObject({ operationId, additionalItems: uploads, postOperationItems: uploads });
    expect(result.item.metadata).toMatchObject({
      labels: {
        app: 'db',
        'velero.io/volume-snapshot-name': snapshot?.metadata.name,
        'velero.io/backup-name': 'nightly',
      },
      annotations: {
        'velero.io/volume-snapshot-name': snapshot?.metadata.name,
        'velero.io/data-upload-name': `velero/${upload?.metadata.name}`,
        'backup.velero.io/must-include-additional-items': 'true',
      },
    });
    expect(world.noted.get('app/data')).toMatchObject({
      method: 'CSISnapshot',
      dataMoved: true,
      driver: 'csi.lateen.dev',
      operationId,
      snapshotName: snapshot?.metadata.name,
      snapshotHandle: `snapshot-${snapshot?.metadata.uid}`,
      object: { kind: 'DataUpload' },
    });
  });

  it('is assigned to the data mover of the backup, or to that of its volume policy', async () => {
    const world = new CsiWorld({ ...moved, datamover: 'theirs' });
    await world.run(world.addClaim('data'));
    world.choice = { snapshot: true, dataMover: 'policys' };
    await world.run(world.addClaim('logs'));
    expect(world.uploads().map(({ spec }) => [spec.sourcePVC, spec.datamover])).toEqual(
      expect.arrayContaining([
        ['data', 'theirs'],
        ['logs', 'policys'],
      ]),
    );
  });

  it.each([
    [undefined, undefined],
    ['Full', 'none'],
    ['Incremental', 'auto'],
  ] as const)('of a backup of type %s has parentSnapshot %s', async (backupType, parentSnapshot) => {
    const world = new CsiWorld({ ...moved, ...(backupType === undefined ? {} : { backupType }) });
    await world.run(world.addClaim('data'));
    expect(world.uploads().map(({ spec }) => spec.parentSnapshot)).toEqual([parentSnapshot]);
  });

  it('with a file system is not snapshotted for data mover velero-block; the error names the right data mover', async () => {
    const world = new CsiWorld({ ...moved, datamover: 'velero-block' });
    await expect(world.run(world.addClaim('data'))).rejects.toMatchObject({
      code: 'DATA_MOVER_UNFIT',
      message: expect.stringContaining('app/data has volumeMode Filesystem'),
      nextStep: expect.stringContaining('velero-fs'),
    });
    expect(world.leftovers()).toEqual([]);
    expect(world.noted.get('app/data')?.failed).toContain('velero-block');
    await world.run(world.addClaim('device', { spec: { volumeMode: 'Block' } }));
    expect(world.uploads().map(({ spec }) => [spec.sourcePVC, spec.datamover])).toEqual([['device', 'velero-block']]);
  });

  it('is stored without data when the DataUpload cannot be created; an error is logged and the snapshot is deleted', async () => {
    const world = new CsiWorld(moved);
    const claim = world.addClaim('data');
    world.cluster.failOnce('create', dataUploadType, 'KUBE_FORBIDDEN');
    expect(await world.run(claim)).toEqual({ item: claim });
    expect(world.leftovers()).toEqual([]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        message: 'no DataUpload could be made: the claim is stored without its data',
        fields: expect.objectContaining({ resource: 'persistentvolumeclaims', namespace: 'app', name: 'data' }),
      }),
    ]);
    expect(world.noted.get('app/data')?.failed).toContain('injected');
  });

  it.each([volumeSnapshotType, dataUploadType])(
    'creates a $kind once when the answer to its creation is lost',
    async (type) => {
      const world = new CsiWorld(moved);
      let isLost = false;
      world.cluster.intercept(async (call, next) => {
        const answer = await next();
        if (isLost || call.verb !== 'create' || call.type.kind !== type.kind) return answer;
        isLost = true;
        throw kubeError('KUBE_UNAVAILABLE', 'the connection was interrupted');
      });
      const { operationId } = await world.run(world.addClaim('data'));
      expect(operationId).toBeDefined();
      expect(world.uploads()).toHaveLength(1);
      expect(world.cluster.all(volumeSnapshotType)).toHaveLength(1);
    },
  );

  it('leaves nothing when the backup is cancelled before or after the create of any object', async () => {
    const writes = ['VolumeSnapshot', 'DataUpload'];
    for (const kind of writes)
      for (const when of ['before', 'after']) {
        const world = new CsiWorld(moved);
        world.cluster.intercept(async (call, next) => {
          const isIt = call.verb === 'create' && call.type.kind === kind;
          if (isIt && when === 'before') world.stop.abort(new Error('cancelled'));
          if (isIt && when === 'before') throw world.stop.signal.reason;
          const answer = await next();
          if (!isIt) return answer;
          world.stop.abort(new Error('cancelled'));
          throw world.stop.signal.reason;
        });
        await expect(world.run(world.addClaim('data'))).rejects.toThrow('cancelled');
        expect({ kind, when, left: [...world.leftovers(), ...world.uploads()] }).toEqual({ kind, when, left: [] });
      }
  });

  it('leaves nothing when the backup is cancelled while the driver takes the snapshot', async () => {
    const world = new CsiWorld(moved);
    world.snapshots.hold = true;
    const running = world.start(world.addClaim('data'));
    const outcome = expect(running).rejects.toThrow('cancelled');
    await world.clock.advance(30_000);
    expect(world.leftovers()).toHaveLength(1);
    world.stop.abort(new Error('cancelled'));
    await outcome;
    expect(world.leftovers()).toEqual([]);
  });

  it('uses one watch of snapshots and one read of each class for 200 claims', async () => {
    const world = new CsiWorld(moved);
    const claims = Array.from({ length: 200 }, (_, at) => world.addClaim(`data-${at}`));
    const before = world.cluster.calls.length;
    const results = await letTimePass(Promise.all(claims.map((claim) => world.start(claim))), world.clock);
    expect(new Set(results.map(({ operationId }) => operationId)).size).toBe(200);
    const calls = world.cluster.calls.slice(before).map(({ verb, type }) => `${verb} ${type.kind}`);
    const count = (call: string) => calls.filter((each) => each === call).length;
    expect(count('watch VolumeSnapshot')).toBe(1);
    expect(count('list VolumeSnapshot')).toBe(1);
    expect(count('list VolumeSnapshotClass')).toBe(1);
    expect(count('get StorageClass')).toBe(1);
    expect(count('create VolumeSnapshot')).toBe(200);
    expect(calls.length).toBeLessThanOrEqual(200 * 5 + 10);
    await world.cluster.settle();
    expect(world.cluster.openWatches).toBe(0);
  });
});

describe('a claim whose snapshot stays on the storage', () => {
  it('is stored with its snapshot as an additional item that passes the filters', async () => {
    const world = new CsiWorld();
    const result = await world.run(world.addClaim('data'));
    const [snapshot] = world.cluster.all(volumeSnapshotType);
    const { group, resource } = volumeSnapshotType;
    expect(result).toEqual({
      item: expect.anything(),
      additionalItems: [{ group, resource, namespace: 'app', name: snapshot?.metadata.name }],
    });
    expect(result.item.metadata.annotations).toEqual({
      'velero.io/volume-snapshot-name': snapshot?.metadata.name,
      'backup.velero.io/must-include-additional-items': 'true',
    });
    expect(world.uploads()).toEqual([]);
    expect(world.noted.get('app/data')).toMatchObject({
      dataMoved: false,
      contentName: expect.stringMatching(/^snapcontent-/),
    });
  });
});

describe('a claim that is not snapshotted', () => {
  const claimOf = (world: CsiWorld, spec: object = {}) => world.addClaim('data', { spec });

  it('is left unchanged when the volume policy chooses no snapshot', async () => {
    const world = new CsiWorld(moved);
    world.choice = { snapshot: false, reason: 'a volume policy says skip' };
    const claim = claimOf(world);
    expect(await world.run(claim)).toEqual({ item: claim });
    expect(world.leftovers()).toEqual([]);
  });

  it('is left unchanged when it is read again in the finalizing phase', async () => {
    const world = new CsiWorld(moved);
    world.backup.status = { phase: 'FinalizingPartiallyFailed' };
    const claim = claimOf(world);
    expect(await world.run(claim)).toEqual({ item: claim });
  });

  it('is annotated for the engine when its volume is not of a CSI driver', async () => {
    const world = new CsiWorld(moved);
    const claim = claimOf(world);
    const { csi: _, ...spec } = aPersistentVolume().spec;
    world.cluster.put({
      ...aPersistentVolume({ name: 'pv-data' }),
      spec: { ...spec, nfs: { server: 'a', path: '/' } },
    } as never);
    const { item } = await world.run(claim);
    expect(item.metadata.annotations).toEqual({ 'backup.velero.io/skipped-no-csi-pv': 'true' });
  });

  it.each<[string, object, string]>([
    ['no storage class', { storageClassName: undefined }, 'Cannot snapshot PVC app/data, PVC has no storage class.'],
    ['a storage class that is gone', { storageClassName: 'gone' }, 'StorageClass "gone" does not exist'],
  ])('fails with %s', async (_title, spec, message) => {
    const world = new CsiWorld(moved);
    await expect(world.run(claimOf(world, spec))).rejects.toThrow(message);
    expect(world.leftovers()).toEqual([]);
  });

  it('logs a warning when its volume does not exist', async () => {
    const world = new CsiWorld(moved);
    world.choice = { snapshot: false, reason: 'the claim is not bound to a volume' };
    const claim = claimOf(world, { volumeName: 'gone' });
    expect(await world.run(claim)).toEqual({ item: claim });
    expect(world.log.lines).toMatchObject([
      { level: 'warn', fields: { resource: 'persistentvolumeclaims', namespace: 'app', name: 'data', volume: 'gone' } },
    ]);
  });

  it('fails while it is not bound', async () => {
    const world = new CsiWorld(moved);
    const claim = aPersistentVolumeClaim({ name: 'data' });
    await expect(world.run(claim)).rejects.toThrow('PersistentVolumeClaim app/data is not bound to a volume');
  });

  it.each<[string, readonly ReturnType<typeof aSnapshotClass>[], string]>([
    [
      'of another driver only',
      [aSnapshotClass({ driver: 'other' })],
      'no VolumeSnapshotClass has the driver csi.lateen.dev',
    ],
    [
      'in doubt',
      [aSnapshotClass(), aSnapshotClass({ metadata: { name: 'slow' } })],
      '2 VolumeSnapshotClasses have the driver csi.lateen.dev: fast, slow',
    ],
  ])('fails with snapshot classes that are %s', async (_title, classes, message) => {
    const world = new CsiWorld(moved, classes);
    await expect(world.run(claimOf(world))).rejects.toThrow(message);
    expect(world.noted.get('app/data')?.failed).toContain(message);
  });

  it('fails at the snapshot timeout of the backup with the last error of the driver, and leaves nothing', async () => {
    const world = new CsiWorld({ ...moved, csiSnapshotTimeout: '90s' });
    world.snapshots.complaints.set('data', 'rpc error: code = ResourceExhausted desc = pool is full');
    const started = world.clock.monotonicMs();
    await expect(world.run(claimOf(world))).rejects.toThrow(
      'had no handle after 1m30s: rpc error: code = ResourceExhausted desc = pool is full',
    );
    expect(world.clock.monotonicMs() - started).toBe(90_000);
    expect(world.leftovers()).toEqual([]);
  });
});

describe('the VolumeSnapshotClass of a snapshot', () => {
  const others = ['slow', 'policys', 'backups'].map((name) => aSnapshotClass({ metadata: { name } }));
  it.each<[string, Record<string, string>, string | undefined, string]>([
    ['the claim', { 'velero.io/csi-volumesnapshot-class': 'slow' }, 'policys', 'slow'],
    ['the volume policy', {}, 'policys', 'policys'],
    ['the backup', {}, undefined, 'backups'],
  ])('is the one that %s names', async (_title, annotations, byPolicy, expected) => {
    const world = new CsiWorld(moved, others);
    world.backup.metadata.annotations = { 'velero.io/csi-volumesnapshot-class_csi.lateen.dev': 'backups' };
    world.choice = { snapshot: true, ...(byPolicy === undefined ? {} : { snapshotClass: byPolicy }) };
    await world.run(world.addClaim('data', { annotations }));
    expect(world.uploads()[0]?.spec.csiSnapshot?.snapshotClass).toBe(expected);
  });

  it('is that of the driver of each claim', async () => {
    const world = new CsiWorld(moved, [
      aStorageClass({ name: 'theirs', provisioner: 'csi.other.dev' }),
      aSnapshotClass({ metadata: { name: 'other' }, driver: 'csi.other.dev' }),
    ]);
    await world.run(world.addClaim('data', { spec: { storageClassName: 'theirs' } }));
    expect(world.uploads()[0]?.spec.csiSnapshot).toMatchObject({ driver: 'csi.other.dev', snapshotClass: 'other' });
  });
});

describe('a VolumeSnapshot', () => {
  async function snapshotted(spec = {}) {
    const world = new CsiWorld(spec);
    await world.run(world.addClaim('data'));
    const [snapshot] = world.cluster.all(volumeSnapshotType);
    const run = async (item = world.cluster.all(volumeSnapshotType)[0] as VolumeSnapshot) =>
      await world
        .action('velero.io/csi-volumesnapshot-backupper')
        .execute(asItem(item), world.context, world.stop.signal);
    return { world, snapshot: snapshot as VolumeSnapshot, run };
  }
  const contents = { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshotcontents' };
  const classes = { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshotclasses' };

  it('of the backup gets the annotations that a restore needs, in the archive and in the cluster, and starts an operation', async () => {
    const { world, snapshot, run } = await snapshotted();
    const content = world.cluster.all(volumeSnapshotContentType)[0];
    const result = await run();
    const notes = {
      'velero.io/csi-volumesnapshot-handle': `snapshot-${snapshot.metadata.uid}`,
      'velero.io/csi-volumesnapshot-restore-size': '1Gi',
      'velero.io/csi-driver-name': 'csi.lateen.dev',
      'velero.io/csi-vsc-deletion-policy': 'Delete',
    };
    expect(result.item.metadata.annotations).toEqual({
      ...notes,
      'backup.velero.io/must-include-additional-items': 'true',
    });
    expect(result.additionalItems).toEqual([
      { ...contents, name: content?.metadata.name },
      { ...classes, name: 'fast' },
    ]);
    expect(result.operationId).toBe(`app/${snapshot.metadata.name}/2030-01-01T00:00:00Z`);
    expect(result.postOperationItems).toEqual([
      { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshots', namespace: 'app', name: snapshot.metadata.name },
      { ...contents, name: content?.metadata.name },
    ]);
    expect(world.cluster.find(volumeSnapshotType, keyOf(snapshot))?.metadata.annotations).toEqual(notes);
    expect(world.cluster.all(volumeSnapshotContentType)[0]?.metadata.labels).toEqual(backupLabels);
    expect(world.noted.get('app/data')).toMatchObject({ operationId: result.operationId, sizeBytes: 1_073_741_824 });
    world.backup.status = { phase: 'Finalizing' };
    expect((await run()).operationId).toBeUndefined();
  });

  it('of a user gets the same annotations in the archive, is not changed in the cluster, and starts no operation', async () => {
    const { world, snapshot, run } = await snapshotted();
    const own = { ...snapshot, metadata: { name: 'mine', namespace: 'app' } };
    world.cluster.put(own);
    const result = await run(own);
    expect(result.operationId).toBeUndefined();
    expect(result.item.metadata.annotations).toMatchObject({ 'velero.io/csi-driver-name': 'csi.lateen.dev' });
    expect(result.item.metadata.annotations).not.toHaveProperty(['backup.velero.io/must-include-additional-items']);
    expect(
      world.cluster.find(volumeSnapshotType, { namespace: 'app', name: 'mine' })?.metadata.annotations,
    ).toBeUndefined();
  });

  it('without a content is stored unchanged', async () => {
    const { run } = await snapshotted();
    const item = {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name: 'x', namespace: 'app' },
      spec: { source: {} },
    };
    expect(await run(item)).toEqual({ item });
  });

  it.each<[string, object, object]>([
    ['of this backup that is being moved', moved, {}],
    ['of another backup that runs', {}, { ...backupLabels, 'velero.io/backup-uid': 'other' }],
    ['of a movement', {}, { 'lateen.dev/exposed-for': 'upload-uid' }],
  ])('%s stays out of the archive, and its content too', async (_title, spec, labels) => {
    const { world, snapshot, run } = await snapshotted(spec);
    const own = { ...snapshot, metadata: { ...snapshot.metadata, labels: { ...snapshot.metadata.labels, ...labels } } };
    expect((await run(own)).item.metadata.annotations).toEqual({ 'velero.io/skip-from-backup': 'true' });
    const content = { ...world.cluster.all(volumeSnapshotContentType)[0] } as never as VolumeSnapshot;
    content.metadata = { ...content.metadata, labels: { ...labels } };
    const action = world.action('velero.io/csi-volumesnapshotcontent-backupper');
    const { item } = await action.execute(asItem(content), world.context, world.stop.signal);
    expect(item.metadata.annotations).toEqual({ 'velero.io/skip-from-backup': 'true' });
  });

  it('that a restore created is stored although it has the labels of its backup', async () => {
    const { snapshot, run } = await snapshotted();
    const labels = { ...backupLabels, 'velero.io/backup-uid': 'other', 'velero.io/restore-name': 'r' };
    const { item } = await run({ ...snapshot, metadata: { ...snapshot.metadata, labels } });
    expect(item.metadata.annotations).not.toHaveProperty(['velero.io/skip-from-backup']);
  });
});

describe('the Secrets of snapshots', () => {
  const world = new CsiWorld();
  const run = async (name: string, item: object) =>
    await world.action(name).execute(asItem(item as VolumeSnapshot), world.context, world.stop.signal);
  const keys = (key: string, name = 'creds', namespace = 'kube-system') => ({
    [`${key}-name`]: name,
    [`${key}-namespace`]: namespace,
  });
  const creds = [{ group: '', resource: 'secrets', namespace: 'kube-system', name: 'creds' }];
  it.each<[string, string, object, object[] | undefined]>([
    ['class', 'annotations', { metadata: { annotations: keys('csi.storage.k8s.io/snapshotter-list-secret') } }, creds],
    ['class', 'parameters', { metadata: {}, parameters: keys('csi.storage.k8s.io/snapshotter-secret') }, creds],
    [
      'class',
      'both, once',
      {
        metadata: { annotations: keys('csi.storage.k8s.io/snapshotter-secret') },
        parameters: keys('csi.storage.k8s.io/snapshotter-secret'),
      },
      creds,
    ],
    [
      'class',
      'a name that is filled in per snapshot',
      {
        metadata: {},
        parameters: keys('csi.storage.k8s.io/snapshotter-secret', 'creds', `$\{volumesnapshot.namespace}`),
      },
      undefined,
    ],
    ['class', 'nothing', { metadata: {} }, undefined],
    [
      'content',
      'annotations',
      { metadata: { annotations: keys('snapshot.storage.kubernetes.io/deletion-secret') } },
      creds,
    ],
    [
      'content',
      'half of a name',
      { metadata: { annotations: { 'csi.storage.k8s.io/snapshotter-secret-name': 'x' } } },
      undefined,
    ],
  ])('of a %s in %s are added', async (kind, _where, item, expected) => {
    const result = await run(`velero.io/csi-volumesnapshot${kind}-backupper`, item);
    expect(result.additionalItems).toEqual(expected);
    const must = result.item.metadata.annotations?.['backup.velero.io/must-include-additional-items'];
    expect(must).toBe(expected === undefined ? undefined : 'true');
  });
});
