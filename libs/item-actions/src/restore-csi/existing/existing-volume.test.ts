import {
  type DataDownload,
  dataDownloadType,
  deploymentType,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  podType,
  type VolumeSnapshot,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import {
  aDataUpload,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPod,
  aRestoreContext,
  aVolumeSnapshotContent,
  letTimePass,
  type RestoreContextParts,
  restoredBy,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { claimDataAction } from '../claim-data-action.ts';
import { existingPolicy, parseClaimPolicies } from './existing-policy.ts';
import { type ExistingSeen, whyUnfit } from './fitness.ts';
import { deleteOldData } from './old-data.ts';
import { scaleUp } from './workloads.ts';

const neverAborts = new AbortController().signal;
const ofClaim = { namespace: 'app', name: 'data', uid: 'claim-now' };
const claim = aPersistentVolumeClaim({ uid: 'claim-now', volumeName: 'pv-data' });
const volume = aPersistentVolume({ claim: ofClaim });
const stored = aPersistentVolumeClaim({
  uid: 'claim-uid',
  volumeName: 'pv-data',
  annotations: { 'velero.io/data-upload-name': 'velero/nightly-x' },
});
const upload = aDataUpload({ name: 'nightly-x', phase: 'Completed', status: { snapshotID: 'snap-1' } });
const user = (parts: Partial<Parameters<typeof aPod>[0]> = {}): Pod =>
  aPod({
    namespace: 'app',
    name: 'db-0',
    ...parts,
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
  });
const snapshotClass: KubeObject = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'lateen' },
  driver: 'csi.lateen.dev',
  deletionPolicy: 'Delete',
} as KubeObject;

describe('the policy for the data of an existing claim', () => {
  const policy = (spec: object, onRestore: Record<string, string> = {}, onClaim: Record<string, string> = {}) => {
    const { restore } = aRestoreContext({ restore: spec });
    const annotated = { ...restore, metadata: { ...restore.metadata, annotations: onRestore } };
    return existingPolicy(annotated, aPersistentVolumeClaim({ annotations: onClaim }));
  };
  const single = (text: string) => ({ 'lateen.dev/existing-volumes': text });
  it.each([
    ['no policy', {}, {}, {}, 'none'],
    ['none', { existingVolumeDataPolicy: 'none' }, {}, {}, 'none'],
    ['full', { existingVolumeDataPolicy: 'full' }, {}, {}, 'full'],
    ['incremental', { existingVolumeDataPolicy: 'incremental' }, {}, {}, 'incremental'],
    ['an unknown policy of the restore', { existingVolumeDataPolicy: 'all' }, {}, {}, 'none'],
    ['a policy for this claim only', {}, single('app/data=full'), {}, 'full'],
    ['a policy for other claims only', {}, single('app/logs=full,other/data=full'), {}, 'none'],
    ['this claim excepted', { existingVolumeDataPolicy: 'full' }, single('app/logs=full, app/data = none'), {}, 'none'],
    [
      'another policy for this claim',
      { existingVolumeDataPolicy: 'full' },
      single('app/data=incremental'),
      {},
      'incremental',
    ],
    [
      'the annotation of the claim says none',
      { existingVolumeDataPolicy: 'full' },
      single('app/data=full'),
      { 'lateen.dev/existing-volume-data': 'none' },
      'none',
    ],
    [
      'an entry of the list is invalid',
      { existingVolumeDataPolicy: 'full' },
      single('app/data=full,app/logs'),
      {},
      'none',
    ],
    [
      'the annotation of the claim says full, which has no effect',
      {},
      {},
      { 'lateen.dev/existing-volume-data': 'full' },
      'none',
    ],
  ] as const)('%s', (_title, spec, onRestore, onClaim, expected) => {
    expect(policy(spec, onRestore, onClaim)).toBe(expected);
  });
});

describe('policies of single claims', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['app/data=full', { 'app/data': 'full' }],
    [' app/data = none, shop/logs.0=incremental ', { 'app/data': 'none', 'shop/logs.0': 'incremental' }],
  ])('%j', (text, expected) => {
    expect(parseClaimPolicies(text)).toEqual({ policies: new Map(Object.entries(expected)) });
  });

  it.each([
    ['data=full', '"data=full" is not of the form namespace/claim=policy'],
    ['a/b/c=full', 'is not of the form'],
    ['a/b=full=none', 'is not of the form'],
    ['A/b=full', 'is not of the form'],
    ['*/b=full', 'is not of the form'],
    ['a/b=full,', '"" is not of the form'],
    ['a/b', '"a/b": the policy of a claim is one of none, full, incremental'],
    ['a/b=Full', 'the policy of a claim is one of'],
    ['a/b=full,a/b=none', 'claim a/b is named twice'],
  ])('rejects %j', (text, problem) => {
    expect(parseClaimPolicies(text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('the check of a volume before data is written into it', () => {
  const fit: ExistingSeen = { claim, volume, users: [], stored, storedVolume: aPersistentVolume(), isMapped: false };
  const ofSize = (storage: string) => aPersistentVolume({ claim: ofClaim, spec: { capacity: { storage } } });
  it.each<[string, Partial<ExistingSeen>, string | undefined]>([
    ['suitable', {}, undefined],
    ['larger', { volume: ofSize('2Gi') }, undefined],
    ['equally large in another unit', { volume: ofSize('1073741824') }, undefined],
    ['the volume is gone', { volume: undefined }, 'it has no volume'],
    [
      'the volume of another claim',
      { volume: aPersistentVolume({ claim: { ...ofClaim, uid: 'x' } }) },
      'it has no volume',
    ],
    [
      'another volume',
      { stored: aPersistentVolumeClaim({ volumeName: 'pv-old' }) },
      'it has volume pv-data, and had pv-old',
    ],
    [
      'another volume, in another namespace',
      { stored: aPersistentVolumeClaim({ volumeName: 'pv-old' }), isMapped: true },
      undefined,
    ],
    ['smaller', { volume: ofSize('1Mi') }, 'its volume has 1Mi, and had 1Gi'],
    [
      'smaller than the claim requested',
      { volume: ofSize('1Mi'), storedVolume: undefined },
      'its volume has 1Mi, and had 1Gi',
    ],
    [
      'another volume mode',
      { stored: { ...stored, spec: { ...stored.spec, volumeMode: 'Block' } } },
      'its volumeMode is Filesystem, and was Block',
    ],
    ['in use', { users: [user()] }, 'pod db-0 uses it'],
    [
      'in use by many pods',
      { users: [user(), user({ name: 'b' }), user({ name: 'c' })] },
      'pod db-0 and 2 more uses it',
    ],
  ])('%s', (_title, parts, expected) => {
    const message = whyUnfit({ ...fit, ...parts })?.message;
    if (expected === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(expected);
  });
});

interface Given extends RestoreContextParts {
  annotations?: Record<string, string>;
}

function world({ annotations = {}, objects = [], ...parts }: Given = {}) {
  const context = aRestoreContext({
    archive: [upload, aPersistentVolume()],
    backup: { snapshotMoveData: true },
    restore: { existingVolumeDataPolicy: 'incremental', uploaderConfig: { deleteExtraFiles: true } },
    objects: [claim, volume, snapshotClass, ...objects],
    ...parts,
  });
  const restore = { ...context.restore, metadata: { ...context.restore.metadata, annotations } };
  const { kube } = context;
  const events: string[] = [];
  kube.onChange(({ type, object }) => {
    const { kind, metadata } = object;
    if (kind === 'DataDownload' && type === 'ADDED') {
      events.push('downloads');
      end(metadata.name ?? '');
    }
    if (kind === 'VolumeSnapshot' && type === 'ADDED') {
      events.push('snapshots');
      take(object as unknown as VolumeSnapshot);
    }
  });
  let phase: 'Completed' | 'Failed' = 'Completed';
  const end = (name: string) =>
    setImmediate(() =>
      kube.change<DataDownload>(dataDownloadType, { namespace: 'velero', name }, (made) => {
        made.status = { phase, message: phase === 'Failed' ? 'the volume is full' : '' };
      }),
    );
  const take = (snapshot: VolumeSnapshot) =>
    setImmediate(() => {
      kube.put(aVolumeSnapshotContent({ name: `content-${snapshot.metadata.name}` }));
      kube.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (made) => {
        made.status = { boundVolumeSnapshotContentName: `content-${snapshot.metadata.name}`, readyToUse: true };
      });
    });
  const run = (backedUp = stored) =>
    letTimePass(restoredBy(claimDataAction(), backedUp, { ...context, restore }), context.clock);
  const fails = () => {
    phase = 'Failed';
  };
  return { context: { ...context, restore }, kube, run, fails, events };
}

const downloadsOf = ({ kube }: ReturnType<typeof world>): DataDownload[] => kube.all(dataDownloadType);

describe('data for the volume of an existing claim', () => {
  it('is written after a snapshot of the old data', async () => {
    const given = world();
    const result = await given.run();
    expect(given.events).toEqual(['snapshots', 'downloads']);
    const [made] = downloadsOf(given);
    expect(made?.spec).toMatchObject({
      targetVolume: { pvc: 'data', pv: 'pv-data', namespace: 'app' },
      restoreType: 'incremental',
      dataMoverConfig: { DeleteExtraFiles: 'true' },
    });
    expect(made?.status?.phase).toBe('Completed');
    expect(result.operationId).toBe('dd-restore-uid.claim-uid');
    expect((result.updatedItem as unknown as PersistentVolumeClaim).spec).toEqual(stored.spec);
    const [kept] = given.kube.all<VolumeSnapshot>(volumeSnapshotType);
    expect(kept?.metadata.labels).toMatchObject({
      'lateen.dev/old-data-of': 'restore-uid',
      'velero.io/pvc-uid': 'claim-now',
    });
    const { volumeName: _, ...spec } = claim.spec;
    expect(JSON.parse(kept?.metadata.annotations?.['lateen.dev/old-claim'] ?? '')).toMatchObject({
      metadata: { namespace: 'app', name: 'data' },
      spec,
    });
    await deleteOldData(given.kube, given.context.restore, neverAborts);
    expect(given.kube.all(volumeSnapshotType)).toEqual([]);
    expect(given.kube.all(volumeSnapshotContentType)).toHaveLength(1);
  });

  it.each(['incremental', 'none'])("removes the backup's label from the existing claim: %s", async (policy) => {
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { 'velero.io/volume-snapshot-name': 's' } } };
    const given = world({ restore: { existingVolumeDataPolicy: policy } });
    const { updatedItem } = await given.run(labelled);
    expect(updatedItem?.metadata.labels).toEqual({});
  });

  it('is written once when the restore is repeated', async () => {
    const given = world();
    const first = await given.run();
    expect(await given.run()).toEqual(first);
    expect(given.events).toEqual(['snapshots', 'downloads']);
  });

  it('is written without a snapshot when the annotation says so', async () => {
    const given = world({ annotations: { 'lateen.dev/keep-old-data': 'false' } });
    await given.run();
    expect(given.events).toEqual(['downloads']);
  });

  it('that is incomplete is an error that names the rollback command', async () => {
    const given = world();
    given.fails();
    await expect(given.run()).rejects.toMatchObject({
      code: 'EXISTING_VOLUME_NOT_RESTORED',
      message: expect.stringContaining('Failed: the volume is full'),
      nextStep: expect.stringContaining('lateen restore rollback back'),
    });
    expect(given.kube.all(volumeSnapshotType)).toHaveLength(1);
  });

  it.each<[string, Given]>([
    ['a pod uses it', { objects: [user()] }],
    [
      'no VolumeSnapshotClass is found',
      { objects: [{ ...snapshotClass, metadata: { name: 'other' } }, snapshotClass] },
    ],
    [
      'the restore would scale up the workload again',
      {
        annotations: { 'lateen.dev/scale-workloads': 'true' },
        restore: { existingVolumeDataPolicy: 'full', existingResourcePolicy: 'update' },
      },
    ],
    [
      'a pod uses it that has no workload to scale',
      { annotations: { 'lateen.dev/scale-workloads': 'true' }, objects: [user()] },
    ],
  ])('is not written when %s', async (_title, parts) => {
    const given = world(parts);
    await expect(given.run()).rejects.toMatchObject({ code: expect.any(String), nextStep: expect.any(String) });
    expect(given.events).toEqual([]);
    expect(downloadsOf(given)).toEqual([]);
  });

  it('is only checked in a dry run', async () => {
    const given = world({ dryRun: true });
    expect(await given.run()).not.toHaveProperty('operationId');
    expect(given.events).toEqual([]);
    await expect(world({ dryRun: true, objects: [user()] }).run()).rejects.toMatchObject({
      code: 'EXISTING_VOLUME_UNFIT',
    });
  });

  it('waits until the workload that uses it is scaled down; scaling up restores its replicas', async () => {
    const controlled = (kind: string, name: string) => [
      { apiVersion: 'apps/v1', kind, name, uid: `${kind}-uid`, controller: true },
    ];
    const set: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        namespace: 'app',
        name: 'db-1',
        uid: 'ReplicaSet-uid',
        ownerReferences: controlled('Deployment', 'db'),
      },
    };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'app', name: 'db', uid: 'Deployment-uid' },
      spec: { replicas: 3 },
    } as unknown as KubeObject;
    const pod = { ...user(), metadata: { ...user().metadata, ownerReferences: controlled('ReplicaSet', 'db-1') } };
    const ended = { ...user({ name: 'job' }), status: { phase: 'Succeeded' } } as Pod;
    const given = world({
      annotations: { 'lateen.dev/scale-workloads': 'true' },
      objects: [set, deployment, pod, ended],
    });
    const replicas = () => given.kube.find(deploymentType, { namespace: 'app', name: 'db' })?.spec.replicas;
    given.kube.onChange(({ object }) => {
      if (object.kind === 'Deployment' && replicas() === 0) setImmediate(() => given.kube.remove(podType, keyOf(pod)));
    });
    await given.run();
    expect(given.events).toEqual(['snapshots', 'downloads']);
    expect(replicas()).toBe(0);
    await scaleUp(given.kube, given.context.restore, 'app', neverAborts);
    await scaleUp(given.kube, given.context.restore, 'app', neverAborts);
    expect(replicas()).toBe(3);
    expect(given.kube.find(deploymentType, { namespace: 'app', name: 'db' })?.metadata.annotations).toEqual({});
  });
});
