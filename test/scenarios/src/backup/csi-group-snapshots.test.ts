import {
  type PersistentVolumeClaim,
  volumeGroupSnapshotType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import type { BackupItemResult } from '@lateen/item-actions';
import type { KubeObject } from '@lateen/kube';
import { aStorageClass, letTimePass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aGroupSnapshotClass, aSnapshotClass, CsiWorld } from './csi-world.ts';

const group = { 'velero.io/volume-group': 'DB_main' };

function world(spec: ConstructorParameters<typeof CsiWorld>[0] = {}, ...objects: KubeObject[]) {
  const made = new CsiWorld(spec, [aGroupSnapshotClass(), ...objects]);
  const claims = ['data', 'wal', 'logs'].map((name) => made.addClaim(name, { labels: { app: 'db', ...group } }));
  return { made, claims };
}

const runAll = (made: CsiWorld, claims: readonly PersistentVolumeClaim[]): Promise<BackupItemResult[]> =>
  letTimePass(Promise.all(claims.map((claim) => made.start(claim))), made.clock);

describe('claims of one volume group', () => {
  it('share one group snapshot when they are processed at the same time, and no group object stays', async () => {
    const { made, claims } = world({ snapshotMoveData: true });
    const results = await runAll(made, claims);
    await made.endItems();
    expect(made.groups.taken).toEqual([expect.stringMatching(/^velero-db-main-.{5}$/)]);
    expect(results.map(({ operationId }) => operationId?.startsWith('du-'))).toEqual([true, true, true]);
    const snapshots = made.cluster.all(volumeSnapshotType);
    const contents = made.cluster.all(volumeSnapshotContentType);
    expect(snapshots).toHaveLength(3);
    expect(contents).toHaveLength(3);
    for (const upload of made.uploads()) {
      const snapshot = snapshots.find(({ metadata }) => metadata.name === upload.spec.csiSnapshot?.volumeSnapshot);
      expect(snapshot?.metadata).toMatchObject({
        name: expect.stringMatching(new RegExp(`^velero-${upload.spec.sourcePVC}-.{5}$`)),
        labels: { app: 'db', 'velero.io/backup-name': 'nightly' },
        annotations: {
          'velero.io/csi-volumegroupsnapshot-handle': expect.stringMatching(/^group-/),
          'velero.io/pvc-name': upload.spec.sourcePVC,
        },
      });
      expect(snapshot?.metadata.ownerReferences).toBeUndefined();
      expect(snapshot?.status?.readyToUse).toBe(true);
      const content = contents.find(({ spec }) => spec.volumeSnapshotRef.name === snapshot?.metadata.name);
      expect(content?.spec).toMatchObject({
        deletionPolicy: 'Delete',
        source: { snapshotHandle: expect.stringMatching(`-${upload.spec.sourcePVC}$`) },
      });
      expect(upload.spec.csiSnapshot).not.toHaveProperty('snapshotClass');
    }
    expect(made.snapshots.handles.size).toBe(3);
    expect(made.leftovers().filter((each) => each.includes('Group'))).toEqual([]);
    expect(made.noted.get('app/wal')).toMatchObject({ groupSnapshotHandle: expect.stringMatching(/^group-/) });
    await made.cluster.settle();
    expect(made.cluster.openWatches).toBe(0);
  });

  it('share one group snapshot when the last claim is processed an hour after the first', async () => {
    const { made, claims } = world();
    const [first, ...rest] = claims as [PersistentVolumeClaim, ...PersistentVolumeClaim[]];
    await made.run(first);
    await made.clock.advance(3_600_000);
    await runAll(made, rest);
    expect(made.groups.taken).toHaveLength(1);
    expect(made.cluster.all(volumeSnapshotType)).toHaveLength(3);
  });

  it('have one group per namespace', async () => {
    const { made, claims } = world();
    const far = made.addClaim('far', { namespace: 'other', labels: group });
    await runAll(made, [...claims, far]);
    expect(made.groups.taken).toHaveLength(2);
  });

  it('have their snapshot deleted when the backup does not include them', async () => {
    const { made, claims } = world();
    await runAll(made, claims.slice(0, 1));
    expect(made.snapshots.handles.size).toBe(3);
    await made.endItems();
    expect(
      made.cluster.all(volumeSnapshotType).map(({ metadata }) => metadata.annotations?.['velero.io/pvc-name']),
    ).toEqual(['data']);
    expect([...made.snapshots.handles]).toEqual([expect.stringMatching(/-data$/)]);
  });

  it('are found by the label key of the backup', async () => {
    const { made, claims } = world({ volumeGroupSnapshotLabelKey: 'set' }, aSnapshotClass());
    await runAll(made, claims);
    expect(made.groups.taken).toEqual([]);
    await runAll(made, [made.addClaim('a', { labels: { set: 'x' } }), made.addClaim('b', { labels: { set: 'x' } })]);
    expect(made.groups.taken).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, string]>([
    ['the claim', { 'velero.io/csi-volume-group-snapshot-class': 'mine' }, 'mine'],
    ['the backup', {}, 'backups'],
  ])('are snapshotted with the class that %s names', async (_title, annotations, expected) => {
    const { made } = world(
      {},
      aGroupSnapshotClass({ metadata: { name: 'mine' } }),
      aGroupSnapshotClass({ metadata: { name: 'backups' } }),
    );
    made.backup.metadata.annotations = { 'velero.io/csi-volumegroupsnapshot-class_csi.lateen.dev': 'backups' };
    const created: unknown[] = [];
    made.cluster.intercept(async (call, next) => {
      if (call.verb === 'create' && call.type.kind === 'VolumeGroupSnapshot') created.push(call.body);
      return await next();
    });
    await made.run(made.addClaim('x', { labels: { 'velero.io/volume-group': 'other' }, annotations }));
    expect(created).toMatchObject([
      {
        spec: {
          volumeGroupSnapshotClassName: expected,
          source: { selector: { matchLabels: { 'velero.io/volume-group': 'other' } } },
        },
      },
    ]);
  });
});

describe('a group snapshot that fails', () => {
  const errorsOf = async (made: CsiWorld, claims: readonly PersistentVolumeClaim[]) => {
    const endings = await letTimePass(Promise.allSettled(claims.map((claim) => made.start(claim))), made.clock);
    await made.endItems();
    expect(made.leftovers()).toEqual([]);
    expect(made.uploads()).toEqual([]);
    return endings.map((ending) => (ending.status === 'rejected' ? (ending.reason as Error).message : 'done'));
  };

  it('fails each of its claims at the time limit, with the error of the driver', async () => {
    const { made, claims } = world({ csiSnapshotTimeout: '2m' });
    made.groups.complaint = 'rpc error: Unimplemented: no groups';
    const words =
      'the snapshot of the volume group velero.io/volume-group=DB_main in app was not taken after 2m0s: rpc error: Unimplemented: no groups';
    expect(await errorsOf(made, claims)).toEqual([words, words, words]);
  });

  it('fails when the claims have different drivers', async () => {
    const { made, claims } = world({}, aStorageClass({ name: 'theirs', provisioner: 'csi.other.dev' }));
    const other = made.addClaim('other', { labels: group, spec: { storageClassName: 'theirs' } });
    expect((await errorsOf(made, [...claims, other]))[0]).toBe(
      'the claims of the volume group velero.io/volume-group=DB_main in app are of different drivers: csi.lateen.dev, csi.other.dev',
    );
  });

  it('fails without a VolumeGroupSnapshotClass', async () => {
    const made = new CsiWorld();
    expect(await errorsOf(made, [made.addClaim('data', { labels: group })])).toEqual([
      'no VolumeGroupSnapshotClass has the driver csi.lateen.dev',
    ]);
  });

  it('fails with a clear error when the cluster does not serve group snapshots', async () => {
    const { made, claims } = world();
    made.cluster.failTimes(9, 'list', ({ type }) => type.kind === 'VolumeGroupSnapshotClass', 'KUBE_NOT_FOUND');
    expect((await errorsOf(made, claims))[0]).toContain(
      'this cluster does not serve groupsnapshot.storage.k8s.io/v1beta2',
    );
  });

  it('leaves nothing when the backup is interrupted at any write', async () => {
    const writes: string[] = [];
    for (let at = 0; at === 0 || at < writes.length; at++) {
      writes.length = 0;
      const { made, claims } = world({ snapshotMoveData: true });
      made.cluster.intercept(async (call, next) => {
        const answer = await next();
        if (['get', 'list', 'watch'].includes(call.verb)) return answer;
        if (writes.length === at) made.stop.abort(new Error('cancelled'));
        writes.push(`${call.verb} ${call.type.kind}`);
        return answer;
      });
      const endings = await letTimePass(Promise.allSettled(claims.map((claim) => made.start(claim))), made.clock);
      await made.endItems();
      if (endings.some(({ status }) => status === 'fulfilled')) break;
      expect({ at, last: writes[at], left: made.leftovers() }).toEqual({ at, last: writes[at], left: [] });
    }
    expect(writes.length).toBeGreaterThan(8);
  });

  it('logs an error and fails no claim when only the group objects cannot be deleted', async () => {
    const { made, claims } = world({ csiSnapshotTimeout: '1m' });
    made.cluster.failTimes(99, 'delete', volumeGroupSnapshotType, 'KUBE_FORBIDDEN');
    const results = await runAll(made, claims);
    expect(results).toHaveLength(3);
    expect(made.log.messages('error')).toEqual([
      'the snapshots of a volume group were taken, but its objects cannot be deleted',
    ]);
    expect(made.cluster.all(volumeGroupSnapshotType)).toHaveLength(1);
  });
});
