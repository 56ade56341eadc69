import { labels, type VolumeSnapshot, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { baseNotes, readBase } from '@lateen/changed-blocks/base';
import type { KubeObject } from '@lateen/kube';
import {
  aDataUpload,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupSnapshot, backupSnapshotContent } from '../specs/backup-volume.ts';
import { cleanUpSnapshot } from './clean-up-snapshot.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', namespace: 'velero', name: 'upload', uid: 'u-1' };
const source = { namespace: 'app', name: 'snapshot' };
const base = {
  claim: { namespace: 'app', name: 'data' },
  upload: { snapshotID: 'm1', backupStorageLocation: 'default' },
};
const noted = {
  claim: { ...base.claim, uid: 'claim-1' },
  driver: 'csi.lateen.dev',
  volumeHandle: 'handle-pv-data',
  snapshotHandle: 'snapshot-handle',
  snapshotID: 'm0',
  backupStorageLocation: 'default',
};
const claim = aPersistentVolumeClaim({ namespace: 'app', name: 'data', uid: 'claim-1', volumeName: 'pv-data' });
const volume = (volumeHandle: string, driver = 'csi.lateen.dev') =>
  aPersistentVolume({ name: 'pv-data', spec: { csi: { driver, volumeHandle } } });

/** The state after a completed upload; `more` is what else the cluster contains. */
function uploaded(more: readonly KubeObject[]) {
  const taken = {
    snapshot: aVolumeSnapshot(),
    content: aVolumeSnapshotContent({ spec: { deletionPolicy: 'Retain' } }),
  };
  const ours: VolumeSnapshot = { ...backupSnapshot(owner, taken.snapshot), status: { readyToUse: true } };
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [aDataUpload({ uid: 'u-1' }), ours, backupSnapshotContent(owner, taken), ...more],
  });
  const ports = { kube: cluster, clock, random: seededRandom(), log: recordingLog() };
  const cleanUp = () => cleanUpSnapshot(ports, owner, source, { signal: new AbortController().signal, base });
  const bases = () => cluster.all(volumeSnapshotType).flatMap((snapshot) => readBase(snapshot) ?? []);
  const names = () => [
    ...cluster.all<KubeObject>(volumeSnapshotType).map(({ metadata }) => metadata.name),
    ...cluster.all<KubeObject>(volumeSnapshotContentType).map(({ metadata }) => metadata.name),
  ];
  return { cluster, clock, cleanUp, bases, names };
}

/** The base snapshot of an earlier upload. */
const earlier = (name: string, changes: Partial<typeof noted> = {}) =>
  aVolumeSnapshot({
    namespace: 'velero',
    name,
    uid: `uid-of-${name}`,
    metadata: { ...baseNotes({ ...noted, ...changes }), creationTimestamp: '2029-12-31T00:00:00Z' },
  });

describe('a base snapshot for the next upload', () => {
  it('is labelled with all that a comparison needs, is owned by its DataUpload, and survives repeated cleanups', async () => {
    const { cluster, cleanUp, bases, names } = uploaded([claim, volume('handle-pv-data')]);
    await cleanUp();
    await cleanUp();
    expect(bases()).toEqual([
      expect.objectContaining({ ...noted, snapshotID: 'm1', namespace: 'velero', name: 'upload', isReady: true }),
    ]);
    const { metadata } = cluster.find(volumeSnapshotType, { namespace: 'velero', name: 'upload' }) ?? {};
    expect(metadata?.ownerReferences).toMatchObject([{ kind: 'DataUpload', name: 'upload', uid: 'u-1' }]);
    expect(metadata?.labels?.[labels.exposedFor]).toBe('u-1');
    expect(names()).toEqual(['upload', 'upload']);
  });

  it('replaces the previous base of the same claim and location only', async () => {
    const { cleanUp, names } = uploaded([
      claim,
      volume('handle-pv-data'),
      earlier('before'),
      earlier('elsewhere', { backupStorageLocation: 'other' }),
      earlier('of-another', { claim: { ...base.claim, uid: 'claim-2' } }),
    ]);
    await cleanUp();
    expect(names().sort()).toEqual(['elsewhere', 'of-another', 'upload', 'upload']);
  });

  it('is deleted with its DataUpload, and so with the backup', async () => {
    const { cluster, cleanUp, bases } = uploaded([claim, volume('handle-pv-data')]);
    await cleanUp();
    const [upload] = cluster.everything().filter(({ kind }) => kind === 'DataUpload');
    await cluster.delete(
      { group: 'velero.io', version: 'v2alpha1', kind: 'DataUpload', resource: 'datauploads', namespaced: true },
      { namespace: 'velero', name: upload?.metadata.name ?? '' },
    );
    expect(bases()).toEqual([]);
  });

  it.each([
    ['the claim is gone', []],
    ['the claim has another volume', [claim, volume('another')]],
    ['the volume is of another driver', [claim, volume('handle-pv-data', 'other')]],
    ['the claim is not bound', [aPersistentVolumeClaim({ namespace: 'app', name: 'data', uid: 'claim-1' })]],
  ])('is not kept when %s', async (_, objects) => {
    const { cleanUp, names } = uploaded([...objects, earlier('before')]);
    await cleanUp();
    expect(names()).toEqual(['before']);
  });
});
