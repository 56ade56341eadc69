import { type PersistentVolume, persistentVolumeType, type Unstructured } from '@lateen/api-types';
import type { BackupVolumeInfo, NativeSnapshot } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import type { KubeObject } from '@lateen/kube';
import {
  aPersistentVolume,
  aPersistentVolumeClaim,
  FakeClock,
  fakeCluster,
  letTimePass,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { RestoreEngineLimits } from '../engine/contract.ts';
import { RestoreVolumes, type RestoreVolumesOptions } from './restore-volumes.ts';

const signal = new AbortController().signal;
const info = (parts: Partial<BackupVolumeInfo>): BackupVolumeInfo => ({
  pvName: 'pv-data',
  snapshotDataMoved: false,
  preserveLocalSnapshot: false,
  skipped: false,
  ...parts,
});

const entry = (status: NativeSnapshot['status']): NativeSnapshot => ({
  spec: {
    backupName: 'nightly',
    backupUID: 'u',
    location: 'ebs',
    persistentVolumeName: 'pv-data',
    providerVolumeID: 'vol-1',
    volumeType: 'gp3',
    volumeAZ: 'eu-1a',
    volumeIOPS: 3_000,
  },
  status,
});

interface Given {
  volumes?: readonly BackupVolumeInfo[];
  objects?: readonly KubeObject[];
  mapping?: Record<string, string>;
  restorePVs?: boolean;
  /** The status of the snapshot of volume `pv-data`; without an ID it failed. */
  snapshot?: NativeSnapshot['status'];
  dryRun?: boolean;
  more?: Partial<RestoreVolumesOptions>;
}

function world({
  volumes = [],
  objects = [],
  mapping = {},
  restorePVs,
  snapshot,
  dryRun = false,
  more = {},
}: Given = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const limits = { terminatingTimeoutMs: 600_000 } as RestoreEngineLimits;
  const restore = {
    metadata: { name: 'back', creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: restorePVs === undefined ? {} : { restorePVs },
  } as RestoreVolumesOptions['request']['restore'];
  const backup = { metadata: { name: 'nightly' } } as RestoreVolumesOptions['request']['backup'];
  const log = recordingLog();
  const restored = new RestoreVolumes({
    ports: { kube: cluster, clock, random: seededRandom(3), log, limits, dryRun },
    request: { restore, backup, volumes, ...(snapshot === undefined ? {} : { nativeSnapshots: [entry(snapshot)] }) },
    mapped: (namespace) => mapping[namespace] ?? namespace,
    ...more,
  });
  return { restored, cluster, clock, log };
}

const policy = (persistentVolumeReclaimPolicy: 'Delete' | 'Retain' | 'Recycle') => ({ persistentVolumeReclaimPolicy });
const bound = (parts: Parameters<typeof aPersistentVolume>[0] = {}) =>
  aPersistentVolume({
    claim: { namespace: 'app', name: 'data', uid: 'old' },
    annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes', team: 'a' },
    ...parts,
  });
const claimOf = (volumeName?: string) =>
  aPersistentVolumeClaim({
    annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    ...(volumeName === undefined ? {} : { volumeName }),
  }) as unknown as Unstructured;
const namedBy = (claim: Unstructured) => (claim.spec as { volumeName?: string }).volumeName;

describe('how a volume is restored', () => {
  it.each<[string, Given, PersistentVolume, boolean]>([
    [
      'backed up by a pod volume backup: provisioned again',
      { volumes: [info({ backupMethod: 'PodVolumeBackup' })] },
      bound({ spec: policy('Retain') }),
      true,
    ],
    [
      'snapshotted by CSI: provisioned again',
      { volumes: [info({ backupMethod: 'CSISnapshot' })] },
      bound({ spec: policy('Retain') }),
      true,
    ],
    [
      'with its data moved: provisioned again',
      { volumes: [info({ backupMethod: 'CSISnapshot', snapshotDataMoved: true })] },
      bound(),
      true,
    ],
    ['skipped, reclaim policy Delete: provisioned again', { volumes: [info({ skipped: true })] }, bound(), true],
    [
      'skipped, reclaim policy Retain: restored from its object',
      { volumes: [info({ skipped: true })] },
      bound({ spec: policy('Retain') }),
      false,
    ],
    [
      'skipped, reclaim policy Recycle: restored from its object',
      { volumes: [info({ skipped: true })] },
      bound({ spec: policy('Recycle') }),
      false,
    ],
    ['without any backup data, Delete: provisioned again', {}, bound(), true],
    ['without any backup data, Retain: restored from its object', {}, bound({ spec: policy('Retain') }), false],
    [
      'listed in the files of an old backup: provisioned again',
      { more: { legacy: () => ({ method: 'PodVolumeBackup' }) } },
      bound({ spec: policy('Retain') }),
      true,
    ],
    [
      'with a volume info, which takes precedence over old files',
      { volumes: [info({ skipped: true })], more: { legacy: () => ({ method: 'PodVolumeBackup' }) } },
      bound({ spec: policy('Retain') }),
      false,
    ],
  ])('%s', async (_title, given, volume, anew) => {
    const { restored } = world(given);
    const decision = await restored.decide(volume, signal);
    expect(decision).toMatchObject(anew ? { restore: false, provisionAnew: true } : { restore: true });
    const claim = await restored.prepareClaim(claimOf('pv-data'), signal);
    expect(namedBy(claim)).toBe(anew ? undefined : 'pv-data');
    expect(claim.metadata.annotations).toEqual({});
  });

  it('a volume restored from its object is unbound, and reserved for its claim in the target namespace', async () => {
    const { restored } = world({ mapping: { app: 'app-2' } });
    const volume = bound({ spec: policy('Retain') });
    const before = structuredClone(volume);
    const decision = await restored.decide(volume, signal);
    expect(volume).toEqual(before);
    if (!decision.restore) throw new Error('it is not restored');
    expect(decision.volume.spec).toEqual({
      ...volume.spec,
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'app-2', name: 'data' },
    });
    expect(decision.volume.metadata.annotations).toEqual({ team: 'a' });
  });

  it('a volume without a claim stays without a claim', async () => {
    const decision = await world().restored.decide(aPersistentVolume({ spec: policy('Retain') }), signal);
    expect(decision).toMatchObject({
      restore: true,
      volume: { spec: expect.not.objectContaining({ claimRef: expect.anything() }) },
    });
  });
});

describe('a claim', () => {
  it.each<[string, Given, string | undefined, string | undefined]>([
    ['without a volume name stays without one', {}, undefined, undefined],
    ['keeps the name of a volume that is not restored', {}, 'pv-data', 'pv-data'],
    [
      'loses the name of a volume that is not restored and has its data elsewhere',
      { volumes: [info({ backupMethod: 'CSISnapshot' })] },
      'pv-data',
      undefined,
    ],
    [
      'loses the name of a volume that is not restored and whose files were backed up',
      { volumes: [info({ backupMethod: 'PodVolumeBackup' })] },
      'pv-data',
      undefined,
    ],
  ])('%s', async (_title, given, named, expected) => {
    const claim = claimOf(named);
    const before = structuredClone(claim);
    expect(namedBy(await world(given).restored.prepareClaim(claim, signal))).toBe(expected);
    expect(claim).toEqual(before);
  });
});

describe('a volume with a native snapshot', () => {
  const taken: NativeSnapshot['status'] = { phase: 'Completed', providerSnapshotID: 'snap-1' };
  const native = { volumes: [info({ backupMethod: 'NativeSnapshot' })], snapshot: taken };
  const claim = aPersistentVolumeClaim({ volumeName: 'pv-data' });
  const app: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'app' } };
  /** Creates volumes, and records which snapshots were used or checked. */
  function maker(name?: string, refusal?: AppError) {
    const asked: string[] = [];
    const ask = (what: string, { status }: NativeSnapshot) => {
      asked.push(`${what} ${status.providerSnapshotID}`);
      if (refusal !== undefined) throw refusal;
    };
    const nativeVolumes: NonNullable<RestoreVolumesOptions['nativeVolumes']> = {
      check: async (snapshot) => ask('check', snapshot),
      make: async (snapshot, volume) => {
        ask('make', snapshot);
        const { metadata, spec } = volume as unknown as PersistentVolume;
        const made = {
          ...volume,
          metadata: { ...metadata, ...(name === undefined ? {} : { name }) },
          spec: { ...spec, csi: { driver: 'd', volumeHandle: 'restored' } },
        };
        return { volume: made, volumeID: 'vol-9' };
      },
    };
    return { asked, nativeVolumes };
  }
  const snapshotter = (name?: string) => ({ nativeVolumes: maker(name).nativeVolumes });

  it('is an error without a volume snapshotter, and is restored from its object with restorePVs false', async () => {
    await expect(world(native).restored.decide(bound(), signal)).rejects.toMatchObject({
      code: 'NO_VOLUME_SNAPSHOTTER',
    });
    expect(await world({ ...native, restorePVs: false }).restored.decide(bound(), signal)).toMatchObject({
      restore: true,
    });
  });

  it('is created from the snapshot under its own name when no volume has this name', async () => {
    const decision = await world({ ...native, more: snapshotter() }).restored.decide(bound(), signal);
    expect(decision).toMatchObject({
      restore: true,
      volume: { metadata: { name: 'pv-data' }, spec: { csi: { volumeHandle: 'restored' } } },
    });
    expect(decision).not.toHaveProperty('name');
    expect(decision).toMatchObject({ madeOf: { volumeID: 'vol-9', snapshot: 'snap-1' } });
  });

  it('is recorded in the volume info of the restore, with its new namespace and name', async () => {
    const given = { ...native, mapping: { app: 'app-2' }, more: snapshotter('vol-7') };
    const { restored } = world(given);
    await restored.decide(bound(), signal);
    expect(restored.infos()).toEqual([
      {
        pvcName: 'data',
        pvcNamespace: 'app-2',
        pvName: 'vol-7',
        restoreMethod: 'NativeSnapshot',
        snapshotDataMoved: false,
        nativeSnapshotInfo: {
          snapshotHandle: 'snap-1',
          volumeType: 'gp3',
          volumeAZ: 'eu-1a',
          iops: '3000',
          Phase: 'Completed',
        },
      },
    ]);
  });

  it('is an error when the backup does not say which snapshot it is', async () => {
    const { volumes } = native;
    await expect(world({ volumes, more: snapshotter() }).restored.decide(bound(), signal)).rejects.toMatchObject({
      code: 'NATIVE_SNAPSHOT_UNKNOWN',
    });
  });

  it.each([
    ['Delete', { restore: false, provisionAnew: true }],
    ['Retain', { restore: true }],
  ] as const)(
    'whose snapshot failed comes back without data by its reclaim policy %s, and that is an error',
    async (reclaim, expected) => {
      const { asked, nativeVolumes } = maker();
      const { restored, log } = world({ ...native, snapshot: { phase: 'Failed' }, more: { nativeVolumes } });
      const volume = bound({ spec: policy(reclaim) });
      expect(await restored.decide(volume, signal)).toMatchObject(expected);
      expect(asked).toEqual([]);
      expect(log.lines).toMatchObject([{ level: 'error', fields: { resource: 'persistentvolumes', name: 'pv-data' } }]);
      expect(restored.infos()).toEqual([]);
    },
  );

  it('is only checked in a dry run, which reports the planned volume', async () => {
    const { asked, nativeVolumes } = maker();
    const plan = { ...native, dryRun: true, more: { nativeVolumes } };
    const { restored } = world(plan);
    const decision = await restored.decide(bound(), signal);
    expect(decision).toMatchObject({
      restore: true,
      reason: 'a new volume is made of native snapshot snap-1 in VolumeSnapshotLocation ebs',
    });
    expect(decision).not.toHaveProperty('madeOf');
    expect([asked, restored.infos()]).toEqual([['check snap-1'], []]);
    const mapped = await world({ ...plan, mapping: { app: 'app-2' }, objects: [app, claim, bound()] }).restored.decide(
      bound(),
      signal,
    );
    expect(mapped).toMatchObject({ name: expect.stringMatching(/^velero-clone-/) });
    const refusal = new AppError('NO_VOLUME_SNAPSHOTTER', 'no plugin offers provider aws');
    const refused = world({ ...plan, more: { nativeVolumes: maker(undefined, refusal).nativeVolumes } });
    await expect(refused.restored.decide(bound(), signal)).rejects.toBe(refusal);
  });

  it.each([
    ['under its own name', { name: 'pv-data' }, undefined],
    [
      'under another name',
      { name: 'velero-clone-1', annotations: { 'velero.io/original-pv-name': 'pv-data' } },
      'velero-clone-1',
    ],
  ])('is not created a second time when the restore continues after a restart, %s', async (_, made, expected) => {
    const { asked, nativeVolumes } = maker();
    const earlier = {
      ...bound(),
      metadata: {
        ...made,
        labels: { 'velero.io/restore-name': 'back', 'velero.io/backup-name': 'nightly' },
        creationTimestamp: '2030-01-01T00:01:00Z',
      },
    };
    const { restored } = world({ ...native, objects: [earlier], mapping: { app: 'app-2' }, more: { nativeVolumes } });
    const decision = await restored.decide(bound(), signal);
    expect(decision).toMatchObject({ restore: true, volume: { metadata: made } });
    expect(decision.restore && decision.name).toBe(expected);
    expect(asked).toEqual([]);
    expect(restored.infos()).toMatchObject([{ pvName: made.name, pvcNamespace: 'app-2' }]);
  });

  it('of another restore is not reused', async () => {
    const { asked, nativeVolumes } = maker();
    const labels = { 'velero.io/restore-name': 'back', 'velero.io/backup-name': 'nightly' };
    const older = aPersistentVolume({ name: 'pv-data' });
    const before = { ...older, metadata: { ...older.metadata, labels, creationTimestamp: '2029-12-31T00:00:00Z' } };
    const { restored } = world({ ...native, objects: [before], more: { nativeVolumes } });
    expect(await restored.decide(bound(), signal)).toMatchObject({ restore: false });
    expect(asked).toEqual([]);
  });

  it.each<[string, readonly KubeObject[]]>([
    ['bound to a claim', [app, claim, bound()]],
    ['free', [aPersistentVolume()]],
  ])('is not created when a volume of that name is %s', async (_how, objects) => {
    const { restored } = world({ ...native, objects, more: snapshotter() });
    expect(await restored.decide(bound(), signal)).toMatchObject({ restore: false, provisionAnew: false });
    expect(namedBy(await restored.prepareClaim(claimOf('pv-data'), signal))).toBe('pv-data');
  });

  it.each<[string, readonly KubeObject[]]>([
    ['is released', [app, bound({ status: { phase: 'Released' } })]],
    ['has lost its claim', [app, bound()]],
    [
      'is deleted',
      [
        app,
        claim,
        {
          ...bound(),
          metadata: {
            ...bound().metadata,
            finalizers: ['kubernetes.io/pv-protection'],
            deletionTimestamp: '2030-01-01T00:00:00Z',
          },
        },
      ],
    ],
    [
      'has a claim that is deleted',
      [
        app,
        {
          ...claim,
          metadata: {
            ...claim.metadata,
            finalizers: ['kubernetes.io/pvc-protection'],
            deletionTimestamp: '2030-01-01T00:00:00Z',
          },
        },
        bound(),
      ],
    ],
  ])('waits while the volume of that name %s', async (_how, objects) => {
    const { restored, cluster, clock } = world({ ...native, objects, more: snapshotter() });
    let decision: unknown;
    const deciding = restored.decide(bound(), signal).then((made) => {
      decision = made;
    });
    await clock.advance(60_000);
    expect(decision).toBeUndefined();
    cluster.remove(persistentVolumeType, { name: 'pv-data' });
    await letTimePass(deciding, clock);
    expect(decision).toMatchObject({ restore: true });
  });

  it('is an error when the volume of that name does not disappear', async () => {
    const { restored, clock } = world({
      ...native,
      objects: [bound({ status: { phase: 'Released' } })],
      more: snapshotter(),
    });
    await expect(letTimePass(restored.decide(bound(), signal), clock)).rejects.toMatchObject({
      code: 'VOLUME_STILL_THERE',
    });
  });

  it('gets another name when its claim in the original namespace still uses the old one', async () => {
    const given = { ...native, mapping: { app: 'app-2' }, objects: [app, claim, bound()], more: snapshotter() };
    const { restored } = world(given);
    const decision = await restored.decide(bound(), signal);
    if (!decision.restore) throw new Error('it is not restored');
    expect(decision.name).toMatch(/^velero-clone-[0-9a-f-]{36}$/);
    expect(decision.volume.metadata).toMatchObject({
      name: decision.name,
      annotations: { 'velero.io/original-pv-name': 'pv-data' },
    });
    expect(decision.volume.spec.claimRef?.namespace).toBe('app-2');
    expect(namedBy(await restored.prepareClaim(claimOf('pv-data'), signal))).toBe(decision.name);
  });

  it('has the name that its snapshotter returns', async () => {
    const { restored } = world({ ...native, more: snapshotter('vol-7') });
    expect(await restored.decide(bound(), signal)).toMatchObject({ name: 'vol-7' });
    expect(namedBy(await restored.prepareClaim(claimOf('pv-data'), signal))).toBe('vol-7');
  });
});

it('reports how each volume is restored, by claim, with the latest state', () => {
  const { restored } = world();
  restored.note(
    { namespace: 'b', name: 'logs' },
    { method: 'CSISnapshot', dataMoved: false, snapshotHandle: 'h', driver: 'd', contentName: 'c', sizeBytes: 5 },
  );
  restored.note({ namespace: 'a', name: 'data' }, { method: 'CSISnapshot', dataMoved: true });
  restored.note(
    { namespace: 'a', name: 'data' },
    { method: 'CSISnapshot', dataMoved: true, operationId: 'dd-1', snapshotHandle: 's', sizeBytes: 7 },
  );
  expect(restored.infos()).toEqual([
    {
      pvcName: 'data',
      pvcNamespace: 'a',
      restoreMethod: 'CSISnapshot',
      snapshotDataMoved: true,
      snapshotDataMovementInfo: {
        dataMover: 'velero',
        uploaderType: 'kopia',
        snapshotHandle: 's',
        operationID: 'dd-1',
        size: 7,
        Phase: 'New',
      },
    },
    {
      pvcName: 'logs',
      pvcNamespace: 'b',
      restoreMethod: 'CSISnapshot',
      snapshotDataMoved: false,
      csiSnapshotInfo: { snapshotHandle: 'h', size: 5, driver: 'd', vscName: 'c' },
    },
  ]);
});
