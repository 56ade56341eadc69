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

describe('what is done with the data of a claim that is there', () => {
  const policy = (spec: object, onRestore: Record<string, string> = {}, onClaim: Record<string, string> = {}) => {
    const { restore } = aRestoreContext({ restore: spec });
    const annotated = { ...restore, metadata: { ...restore.metadata, annotations: onRestore } };
    return existingPolicy(annotated, aPersistentVolumeClaim({ annotations: onClaim }));
  };
  const single = (text: string) => ({ 'lateen.dev/existing-volumes': text });
  it.each([
    ['none is said', {}, {}, {}, 'none'],
    ['none', { existingVolumeDataPolicy: 'none' }, {}, {}, 'none'],
    ['full', { existingVolumeDataPolicy: 'full' }, {}, {}, 'full'],
    ['incremental', { existingVolumeDataPolicy: 'incremental' }, {}, {}, 'incremental'],
    ['a word that nobody knows', { existingVolumeDataPolicy: 'all' }, {}, {}, 'none'],
    ['this claim alone', {}, single('app/data=full'), {}, 'full'],
    ['another claim alone', {}, single('app/logs=full,other/data=full'), {}, 'none'],
    ['all but this', { existingVolumeDataPolicy: 'full' }, single('app/logs=full, app/data = none'), {}, 'none'],
    ['this otherwise', { existingVolumeDataPolicy: 'full' }, single('app/data=incremental'), {}, 'incremental'],
    [
      'the claim says none',
      { existingVolumeDataPolicy: 'full' },
      single('app/data=full'),
      { 'lateen.dev/existing-volume-data': 'none' },
      'none',
    ],
    [
      'one of them is not understood',
      { existingVolumeDataPolicy: 'full' },
      single('app/data=full,app/logs'),
      {},
      'none',
    ],
    ['a claim cannot ask for it', {}, {}, { 'lateen.dev/existing-volume-data': 'full' }, 'none'],
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
  ])('refuses %j', (text, problem) => {
    expect(parseClaimPolicies(text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('before data is written into a volume', () => {
  const fit: ExistingSeen = { claim, volume, users: [], stored, storedVolume: aPersistentVolume(), isMapped: false };
  const ofSize = (storage: string) => aPersistentVolume({ claim: ofClaim, spec: { capacity: { storage } } });
  it.each<[string, Partial<ExistingSeen>, string | undefined]>([
    ['it is fit', {}, undefined],
    ['it is larger', { volume: ofSize('2Gi') }, undefined],
    ['it is as large in other words', { volume: ofSize('1073741824') }, undefined],
    ['the volume is gone', { volume: undefined }, 'it has no volume'],
    [
      'the volume is of another',
      { volume: aPersistentVolume({ claim: { ...ofClaim, uid: 'x' } }) },
      'it has no volume',
    ],
    [
      'it is another volume',
      { stored: aPersistentVolumeClaim({ volumeName: 'pv-old' }) },
      'it has volume pv-data, and had pv-old',
    ],
    [
      'it is another volume, in another namespace',
      { stored: aPersistentVolumeClaim({ volumeName: 'pv-old' }), isMapped: true },
      undefined,
    ],
    ['it is smaller', { volume: ofSize('1Mi') }, 'its volume has 1Mi, and had 1Gi'],
    [
      'it is smaller than the claim said',
      { volume: ofSize('1Mi'), storedVolume: undefined },
      'its volume has 1Mi, and had 1Gi',
    ],
    [
      'it is of another mode',
      { stored: { ...stored, spec: { ...stored.spec, volumeMode: 'Block' } } },
      'its volumeMode is Filesystem, and was Block',
    ],
    ['it is used', { users: [user()] }, 'pod db-0 uses it'],
    [
      'it is used by many',
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

describe('data into the volume of a claim', () => {
  it('is written when what it has is snapshotted, and what uses it comes after', async () => {
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

  it.each(['incremental', 'none'])('leaves the label of the backup off the claim that is there: %s', async (policy) => {
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { 'velero.io/volume-snapshot-name': 's' } } };
    const given = world({ restore: { existingVolumeDataPolicy: policy } });
    const { updatedItem } = await given.run(labelled);
    expect(updatedItem?.metadata.labels).toEqual({});
  });

  it('is written once, whatever the restore has come to before', async () => {
    const given = world();
    const first = await given.run();
    expect(await given.run()).toEqual(first);
    expect(given.events).toEqual(['snapshots', 'downloads']);
  });

  it('is written without a snapshot when that is said', async () => {
    const given = world({ annotations: { 'lateen.dev/keep-old-data': 'false' } });
    await given.run();
    expect(given.events).toEqual(['downloads']);
  });

  it('that did not come whole is an error that names the way back', async () => {
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
    ['no class can snapshot it', { objects: [{ ...snapshotClass, metadata: { name: 'other' } }, snapshotClass] }],
    [
      'the restore would scale up what it scales down',
      {
        annotations: { 'lateen.dev/scale-workloads': 'true' },
        restore: { existingVolumeDataPolicy: 'full', existingResourcePolicy: 'update' },
      },
    ],
    [
      'a pod uses it that nobody can scale',
      { annotations: { 'lateen.dev/scale-workloads': 'true' }, objects: [user()] },
    ],
  ])('is not written when %s', async (_title, parts) => {
    const given = world(parts);
    await expect(given.run()).rejects.toMatchObject({ code: expect.any(String), nextStep: expect.any(String) });
    expect(given.events).toEqual([]);
    expect(downloadsOf(given)).toEqual([]);
  });

  it('in a plan is only checked', async () => {
    const given = world({ dryRun: true });
    expect(await given.run()).not.toHaveProperty('operationId');
    expect(given.events).toEqual([]);
    await expect(world({ dryRun: true, objects: [user()] }).run()).rejects.toMatchObject({
      code: 'EXISTING_VOLUME_UNFIT',
    });
  });

  it('waits until the workload that uses it is scaled down, which comes up again with what it had', async () => {
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
