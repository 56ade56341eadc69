import { type SnapshotMetadataService, serviceAccountType, volumeSnapshotType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { type KubeObject, kubeError } from '@lateen/kube';
import { aVolumeSnapshot, fakeCluster, recordingLog, seededRandom, testCertificates } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { baseNotes, type NotedBase } from '../base/base-notes.ts';
import { blocks, serveMetadata } from '../client/metadata-server-for-tests.ts';
import { doesNotApply, type StoredSnapshot } from '../decide/decide-read.ts';
import { findChanges, type StoredVolume, type VolumeToRead } from './find-changes.ts';

const MiB = 2 ** 20;
const never = new AbortController().signal;
const driver = 'csi.example';
const volume: VolumeToRead = {
  snapshot: { namespace: 'velero', name: 'upload-2' },
  serviceAccount: { namespace: 'velero', name: 'node-agent' },
  driver,
  volumeHandle: 'vol-1',
  claimUid: 'claim-1',
  backupStorageLocation: 'default',
  parentSnapshot: 'auto',
  sizeBytes: 16 * MiB,
  isUsed: true,
  skipsUnused: true,
};
const noted: NotedBase = {
  claim: { namespace: 'shop', name: 'data', uid: 'claim-1' },
  driver,
  volumeHandle: 'vol-1',
  snapshotHandle: 'snap-1',
  snapshotID: 'm1',
  backupStorageLocation: 'default',
};
const baseOf = (change: Partial<NotedBase> = {}, { readyToUse = true, ...metadata } = {}) =>
  aVolumeSnapshot({
    namespace: 'velero',
    name: 'upload-1',
    uid: 'vs-1',
    metadata: { ...baseNotes({ ...noted, ...change }), creationTimestamp: '2030-01-01T00:00:00Z', ...metadata },
    status: { readyToUse },
  });
const m1 = { snapshotID: 'm1', isComplete: true, sizeBytes: 16 * MiB, splitter: 'FIXED-4M' };
const { ca, server: pair } = testCertificates();
const serviceAt = (port: number): SnapshotMetadataService => ({
  apiVersion: 'cbt.storage.k8s.io/v1beta1',
  kind: 'SnapshotMetadataService',
  metadata: { name: driver },
  spec: { address: `localhost:${port}`, audience: 'a', caCert: Buffer.from(ca).toString('base64') },
});

function rig(objects: readonly KubeObject[], stored: StoredVolume = { snapshots: [m1], splitter: 'FIXED-4M' }) {
  const cluster = fakeCluster({ objects });
  cluster.intercept((call, next) =>
    call.type === serviceAccountType && call.subresource === 'token'
      ? Promise.resolve({ metadata: {}, status: { token: 'token' } })
      : next(),
  );
  const log = recordingLog();
  let opened = 0;
  const ports = {
    kube: cluster,
    // No delays between attempts; what takes minutes stays.
    clock: {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms > 10_000 ? ms : 0, signal),
    },
    random: seededRandom(),
    log,
    stored: async () => {
      opened += 1;
      return stored;
    },
  };
  const find = (change: Partial<VolumeToRead> = {}, signal = never) =>
    findChanges(ports, { ...volume, ...change }, signal);
  return { cluster, ports, log, find, opened: () => opened };
}

describe('the changes of a volume', () => {
  it('are those since its base, requested by the handle that the base records', async () => {
    await using server = await serveMetadata(pair, async function* () {
      yield blocks(volume.sizeBytes, [5 * MiB, 100]);
    });
    const found = await rig([baseOf(), serviceAt(server.port)]).find();
    expect(found).toMatchObject({ kind: 'changes', baseID: 'm1', chunkBytes: 4 * MiB });
    expect(found.kind === 'changes' && [...found.changed]).toEqual([{ offset: 5 * MiB, length: 100 }]);
    expect(server.asked).toMatchObject([
      { baseSnapshotId: 'snap-1', targetSnapshotName: 'upload-2', namespace: 'velero', securityToken: 'token' },
    ]);
  });

  it.each([
    ['first backup of the volume', [], { isUsed: false }],
    ['base snapshot gone', [], {}],
    ['the claim has another volume', [baseOf()], { volumeHandle: 'vol-2' }],
  ])('are unknown for: %s; the blocks with data are requested instead', async (reason, bases, change) => {
    await using server = await serveMetadata(pair, async function* () {
      yield blocks(volume.sizeBytes, [4 * MiB, MiB]);
    });
    const found = await rig([...bases, serviceAt(server.port)]).find(change);
    expect(found).toMatchObject({ kind: 'full', reason });
    expect(found.kind === 'full' && [...(found.allocated ?? [])]).toEqual([{ offset: 4 * MiB, length: MiB }]);
    expect(server.asked).toMatchObject([{ snapshotName: 'upload-2', namespace: 'velero' }]);
    expect(server.asked[0]).not.toHaveProperty('baseSnapshotId');
  });

  it('of files are those since their base, whatever their splitter is', async () => {
    await using server = await serveMetadata(pair, async function* () {
      yield blocks(volume.sizeBytes, [5 * MiB, 100]);
    });
    const files: StoredSnapshot = { ...m1, sizeBytes: doesNotApply, splitter: doesNotApply };
    const { find } = rig([baseOf(), serviceAt(server.port)], { snapshots: [files], splitter: doesNotApply });
    const found = await find({ skipsUnused: false });
    expect(found).toMatchObject({ kind: 'changes', baseID: 'm1' });
    expect(found.kind === 'changes' && [...found.changed]).toEqual([{ offset: 5 * MiB, length: 100 }]);
  });

  it('make no request to the storage when everything is read, data or not', async () => {
    await using server = await serveMetadata(pair, async function* () {
      yield blocks(volume.sizeBytes);
    });
    const found = await rig([serviceAt(server.port)]).find({ skipsUnused: false });
    expect(found).toEqual({ kind: 'full', reason: 'base snapshot gone' });
    expect(server.asked).toEqual([]);
  });

  it('are not requested when everything is to be read', async () => {
    await using server = await serveMetadata(pair, async function* () {
      yield blocks(volume.sizeBytes);
    });
    const found = await rig([baseOf(), serviceAt(server.port)]).find({ parentSnapshot: 'none' });
    expect(found).toEqual({ kind: 'full', reason: 'parentSnapshot is none' });
    expect(server.asked).toEqual([]);
  });

  const unopened: [string, string, readonly KubeObject[], Partial<VolumeToRead>][] = [
    ['nothing of the past counts', 'parentSnapshot is none', [baseOf(), serviceAt(1)], { parentSnapshot: 'none' }],
    ['nobody names the driver', 'the DataUpload names no CSI driver', [baseOf()], { driver: undefined }],
    ['nobody knows the volume', 'the snapshot does not name its volume', [baseOf()], { volumeHandle: undefined }],
    ['the claim is gone', 'the claim is gone', [baseOf()], { claimUid: undefined }],
    [
      'the driver has no service',
      `nothing in the cluster tells changed blocks of driver ${driver}: it has no SnapshotMetadataService`,
      [baseOf()],
      {},
    ],
    ['it is the first upload', 'first backup of the volume', [serviceAt(1)], { isUsed: false }],
    ['no base is there', 'base snapshot gone', [serviceAt(1)], {}],
    ['the base is of another claim', 'base snapshot gone', [baseOf(), serviceAt(1)], { claimUid: 'claim-2' }],
    ['the base is not ready', 'base snapshot gone', [baseOf({}, { readyToUse: false }), serviceAt(1)], {}],
    [
      'the base is being deleted',
      'base snapshot gone',
      [baseOf({}, { deletionTimestamp: '2030-01-02T00:00:00Z', finalizers: ['f'] } as object), serviceAt(1)],
      {},
    ],
  ];
  it.each(unopened)(
    'are unknown when %s, and the repository is not opened for it',
    async (_, reason, objects, change) => {
      const { find, opened } = rig(objects);
      expect(await find(change)).toEqual({ kind: 'full', reason });
      expect(opened()).toBe(0);
    },
  );

  it.each([
    ['parent snapshot m2 is not in the repository', undefined, { parentSnapshot: 'm2' }],
    ['base snapshot gone', { snapshots: [{ ...m1, snapshotID: 'm2' }], splitter: 'FIXED-4M' }, {}],
    ['volume grew', undefined, { sizeBytes: 17 * MiB }],
    ['the claim has another volume', undefined, { volumeHandle: 'vol-2' }],
    ['base snapshot gone', undefined, { backupStorageLocation: 'elsewhere' }],
  ])('are unknown when the stored snapshot says: %s', async (reason, stored, change) => {
    const { find, opened } = rig([baseOf(), serviceAt(1)], stored);
    expect(await find(change)).toEqual({ kind: 'full', reason });
    expect(opened()).toBe(1);
  });

  it('are unknown when the API server denies the request, or the repository cannot be read, and the error is logged', async () => {
    const refused = rig([baseOf(), serviceAt(1)]);
    const forbidden = kubeError('KUBE_FORBIDDEN', 'no');
    refused.cluster.intercept((call, next) => (call.type === volumeSnapshotType ? Promise.reject(forbidden) : next()));
    expect(await refused.find()).toEqual({
      kind: 'full',
      reason: 'what has changed could not be found out (KUBE_FORBIDDEN)',
    });
    expect(refused.log.lines).toMatchObject([{ level: 'warn', fields: { err: forbidden } }]);

    const { ports } = rig([baseOf(), serviceAt(1)]);
    const lost = { ...ports, stored: () => Promise.reject(new AppError('REPOSITORY_SESSION_LOST', 'lost')) };
    expect(await findChanges(lost, volume, never)).toMatchObject({
      reason: 'what has changed could not be found out (REPOSITORY_SESSION_LOST)',
    });
  });

  it('are unknown when the driver does not know the base any more, with that reason', async () => {
    await using server = await serveMetadata(pair, async function* () {
      yield* [];
      throw new AppError('NOT_FOUND', 'no such snapshot');
    });
    const { find, log } = rig([baseOf(), serviceAt(server.port)]);
    expect(await find()).toEqual({ kind: 'full', reason: 'base snapshot gone' });
    expect(log.lines).toMatchObject([{ fields: { err: { code: 'DELTA_BASE_GONE' } } }]);
  });

  it('are not returned on abort: its reason is thrown', async () => {
    const stop = new AbortController();
    const { ports } = rig([baseOf(), serviceAt(1)]);
    const stored = async () => {
      stop.abort(new Error('told to stop'));
      throw new Error('the session ended');
    };
    await expect(findChanges({ ...ports, stored }, volume, stop.signal)).rejects.toThrow('told to stop');
  });
});
