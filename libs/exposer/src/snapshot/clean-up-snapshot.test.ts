import {
  type KubeObject,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  type ResourceType,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import {
  aDataUpload,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPod,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { ownerReferenceTo } from '../owner.ts';
import { backupSnapshot, backupSnapshotContent } from '../specs/backup-volume.ts';
import { takenOverFromAnnotation } from '../specs/exposed-for.ts';
import { cleanUpSnapshot } from './clean-up-snapshot.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', namespace: 'velero', name: 'upload', uid: 'u-1' };
const source = { namespace: 'app', name: 'snapshot' };
const signal = AbortSignal.any([]);

/** Everything that an exposure creates, and the source before it was deleted. */
function exposed() {
  const sourceContent = aVolumeSnapshotContent({ spec: { deletionPolicy: 'Retain' } });
  const owned = { name: 'upload', namespace: 'velero', metadata: { ownerReferences: [ownerReferenceTo(owner)] } };
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [
      aDataUpload({ uid: 'u-1' }),
      aPod(owned),
      aPersistentVolumeClaim({ ...owned, uid: 'claim', volumeName: 'pv-copy' }),
      aPersistentVolume({
        name: 'pv-copy',
        claim: { namespace: 'velero', name: 'upload', uid: 'claim' },
        spec: { persistentVolumeReclaimPolicy: 'Retain' },
      }),
      aVolumeSnapshot(),
      sourceContent,
      backupSnapshot(owner, aVolumeSnapshot()),
      backupSnapshotContent(owner, { snapshot: aVolumeSnapshot(), content: sourceContent }),
    ],
  });
  const ports = { kube: cluster, clock, random: seededRandom(), log: recordingLog() };
  return { cluster, cleanUp: () => cleanUpSnapshot(ports, owner, source, { signal }) };
}

const kinds: ResourceType[] = [podType, persistentVolumeClaimType, volumeSnapshotType, volumeSnapshotContentType];
type Cluster = ReturnType<typeof exposed>['cluster'];
const there = (cluster: Cluster) =>
  kinds.flatMap((type) =>
    cluster.all<KubeObject>(type).map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
  );

describe('the clean-up of an exposed snapshot', () => {
  it('deletes everything, and the volume together with its claim', async () => {
    const { cluster, cleanUp } = exposed();
    await cleanUp();
    expect(there(cluster)).toEqual([]);
    expect(cluster.find(persistentVolumeType, { name: 'pv-copy' })).toMatchObject({
      spec: { persistentVolumeReclaimPolicy: 'Delete' },
    });
  });

  /** What remains after a refused deletion: the object itself, and the objects through which it is found. */
  const refused: [string, ResourceType, string, string[]][] = [
    ['the pod', podType, 'upload', ['Pod velero/upload']],
    ['the claim', persistentVolumeClaimType, 'upload', ['PersistentVolumeClaim velero/upload']],
    ['the source snapshot', volumeSnapshotType, 'snapshot', ['VolumeSnapshot app/snapshot']],
    [
      'the content of the source',
      volumeSnapshotContentType,
      'content',
      ['VolumeSnapshot velero/upload', 'VolumeSnapshotContent /content', 'VolumeSnapshotContent /upload'],
    ],
    ['our snapshot', volumeSnapshotType, 'upload', ['VolumeSnapshot velero/upload', 'VolumeSnapshotContent /upload']],
    ['our content', volumeSnapshotContentType, 'upload', ['VolumeSnapshotContent /upload']],
  ];
  it.each(refused)('continues when the deletion of %s is refused, reports it, and completes later', async (...row) => {
    const [, type, name, kept] = row;
    const { cluster, cleanUp } = exposed();
    const why = 'admission webhook "no.deletes.example" denied the request';
    cluster.failTimes(
      1,
      'delete',
      (call) => call.type === type && call.key.name === name,
      kubeError('KUBE_BAD_REQUEST', why),
    );
    await expect(cleanUp()).rejects.toMatchObject({
      code: 'CLEAN_UP_INCOMPLETE',
      // The cause is outside of this process and may disappear without a change that this process sees.
      retry: 'later',
      message: expect.stringContaining('denied the request. Do what admission webhook no.deletes.example asks for'),
    });
    expect(there(cluster)).toEqual(kept);
    await cleanUp();
    expect(there(cluster)).toEqual([]);
  });

  it('names each refused deletion, and retries soon when the cause may pass by itself', async () => {
    const { cluster, cleanUp } = exposed();
    cluster.failTimes(9, 'delete', () => true, 'KUBE_UNAVAILABLE');
    await expect(cleanUp()).rejects.toMatchObject({
      retry: 'soon',
      message: expect.stringMatching(
        /the hosting pod: .*; its claim: .*; VolumeSnapshot app\/snapshot: .*; the snapshot that/,
      ),
    });
  });

  const created = (second: number) => ({ creationTimestamp: `2030-01-01T00:00:0${second}Z` });
  const upload = { ...owner, createdAt: created(5).creationTimestamp };
  const noted = { snapshot: aVolumeSnapshot(), content: aVolumeSnapshotContent() };
  /** The content in the form that an earlier version left. */
  function withoutUids(): VolumeSnapshotContent {
    const content = backupSnapshotContent(owner, noted);
    return { ...content, metadata: { ...content.metadata, annotations: { [takenOverFromAnnotation]: 'content' } } };
  }
  const retained = { spec: { deletionPolicy: 'Retain' as const } };
  const identities: [string, KubeObject[], string[]][] = [
    ['the source, not taken over yet', [aVolumeSnapshot({ metadata: created(4) })], []],
    ['the source, made in the same second', [aVolumeSnapshot({ metadata: created(5) })], []],
    [
      "somebody else's, made after the upload, which has taken nothing over",
      [aVolumeSnapshot({ metadata: created(6) })],
      ['VolumeSnapshot app/snapshot'],
    ],
    [
      'the source that was taken over, however young it is',
      [backupSnapshotContent(owner, noted), aVolumeSnapshot({ metadata: created(6) })],
      [],
    ],
    [
      "somebody else's under the name of one that was taken over, however old it is",
      [
        backupSnapshotContent(owner, noted),
        aVolumeSnapshot({ uid: 'other', metadata: created(4) }),
        aVolumeSnapshotContent({ uid: 'other', ...retained }),
      ],
      ['VolumeSnapshot app/snapshot', 'VolumeSnapshotContent /content'],
    ],
    [
      'the source of what was taken over without its uids',
      [
        withoutUids(),
        aVolumeSnapshot({ metadata: created(4) }),
        aVolumeSnapshotContent({ ...retained, metadata: created(4) }),
      ],
      [],
    ],
    [
      "somebody else's under the name of what was taken over without its uids",
      [
        withoutUids(),
        aVolumeSnapshot({ metadata: created(6) }),
        aVolumeSnapshotContent({ ...retained, metadata: created(6) }),
      ],
      ['VolumeSnapshot app/snapshot', 'VolumeSnapshotContent /content'],
    ],
    [
      'what bears our name and is of an earlier upload',
      [
        backupSnapshot({ ...owner, uid: 'u-0' }, aVolumeSnapshot()),
        backupSnapshotContent({ ...owner, uid: 'u-0' }, noted),
      ],
      ['VolumeSnapshot velero/upload', 'VolumeSnapshotContent /upload'],
    ],
  ];
  it.each(identities)('identifies its objects by more than their name: %s', async (_, objects, kept) => {
    const cluster = fakeCluster({ objects });
    const ports = { kube: cluster, clock: cluster.clock, random: seededRandom(), log: recordingLog() };
    await cleanUpSnapshot(ports, upload, source, { signal });
    expect(there(cluster)).toEqual(kept);
    const deletions = cluster.calls.filter(({ verb }) => verb === 'delete');
    for (const { options } of deletions) expect(options).toMatchObject({ preconditions: { uid: expect.any(String) } });
  });

  it('stops when it is aborted, with the reason', async () => {
    const { cluster } = exposed();
    const stop = new AbortController();
    cluster.intercept(async (_, next) => {
      stop.abort(new Error('the process ends'));
      return await next();
    });
    const ports = { kube: cluster, clock: cluster.clock, random: seededRandom(), log: recordingLog() };
    await expect(cleanUpSnapshot(ports, owner, source, { signal: stop.signal })).rejects.toThrow('the process ends');
    expect(cluster.calls).toHaveLength(1);
  });
});
