import {
  type Backup,
  type DataUpload,
  dataUploadType,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type Unstructured,
  type VolumeGroupSnapshotClass,
  type VolumeSnapshotClass,
  volumeGroupSnapshotContentType,
  volumeGroupSnapshotType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import {
  type ActionContext,
  type BackupItemAction,
  type BackupItemResult,
  builtInActions,
  type VolumeFacts,
} from '@lateen/item-actions';
import type { KubeObject } from '@lateen/kube';
import {
  aPersistentVolume,
  aPersistentVolumeClaim,
  aStorageClass,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  letTimePass,
  type RecordingLog,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { GroupSnapshotActor } from '../world/group-snapshot-actor.ts';
import { SnapshotActor } from '../world/snapshot-actor.ts';

const actionsMax = 10_000;

/** A cluster in memory with a CSI driver that takes snapshots, and the actions of one backup. */
export class CsiWorld {
  readonly clock = new FakeClock();
  readonly log: RecordingLog = recordingLog();
  readonly cluster: FakeCluster;
  readonly snapshots: SnapshotActor;
  readonly groups: GroupSnapshotActor;
  readonly backup: Backup;
  readonly context: ActionContext;
  /** Volume infos by claim. */
  readonly noted = new Map<string, VolumeFacts>();
  readonly actions = builtInActions({ csi: true }).backup;
  readonly stop = new AbortController();
  /** The decision whether the volume of a claim is snapshotted. */
  choice: Awaited<ReturnType<ActionContext['volumes']['shouldSnapshot']>> = { snapshot: true };

  constructor(spec: Backup['spec'] = {}, objects: readonly KubeObject[] = []) {
    this.backup = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'nightly', namespace: 'velero', uid: 'f3b8a2c4-0000-4000-8000-000000000001' },
      spec: { storageLocation: 'default', csiSnapshotTimeout: '10m0s', ...spec },
      status: { phase: 'InProgress' },
    };
    this.cluster = fakeCluster({ clock: this.clock, objects: [aStorageClass(), aSnapshotClass(), ...objects] });
    this.snapshots = new SnapshotActor(this.cluster);
    this.snapshots.takesSnapshots = true;
    this.groups = new GroupSnapshotActor(this.cluster, this.snapshots.handles);
    this.cluster.intercept(async (call, next) => {
      try {
        return await next();
      } finally {
        if (!['get', 'list', 'watch'].includes(call.verb)) this.react();
      }
    });
    this.context = {
      backup: this.backup,
      kube: this.cluster,
      clock: this.clock,
      random: seededRandom(11),
      log: this.log,
      veleroNamespace: 'velero',
      volumes: { shouldSnapshot: async () => this.choice, podsUsing: async () => [] },
      noteVolume: ({ namespace, name }, facts) => this.noted.set(`${namespace}/${name}`, facts),
    };
  }

  react(): void {
    for (let actions = 0; actions < actionsMax; actions++) {
      if (![this.snapshots.react(), this.groups.react()].includes(true)) return;
    }
    throw new Error('the actors of the world do not come to rest');
  }

  /** A bound claim of the CSI driver, in `app`. */
  addClaim(name: string, parts: Parameters<typeof aPersistentVolumeClaim>[0] = {}): PersistentVolumeClaim {
    const claim = aPersistentVolumeClaim({ name, volumeName: `pv-${name}`, ...parts });
    const { namespace = '', uid = '' } = claim.metadata;
    this.cluster.put(claim, aPersistentVolume({ name: `pv-${name}`, claim: { namespace, name, uid } }));
    return claim;
  }

  action(name: string): BackupItemAction {
    const found = this.actions.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no action ${name}`);
    return found;
  }

  /** Runs the action that takes snapshots on the claim. */
  start(claim: PersistentVolumeClaim, signal = this.stop.signal): Promise<BackupItemResult> {
    return this.action('velero.io/csi-pvc-backupper').execute(asItem(claim), this.context, signal);
  }

  run(claim: PersistentVolumeClaim): Promise<BackupItemResult> {
    return letTimePass(this.start(claim), this.clock);
  }

  async endItems(): Promise<void> {
    for (const action of this.actions)
      await letTimePass(action.endItems?.(this.context, new AbortController().signal) ?? Promise.resolve(), this.clock);
  }

  claims(): PersistentVolumeClaim[] {
    return this.cluster.all(persistentVolumeClaimType, 'app');
  }

  uploads(): DataUpload[] {
    return this.cluster.all(dataUploadType);
  }

  /** Everything that snapshots have left: objects by kind, and the data on the storage. */
  leftovers(): string[] {
    const types = [
      volumeSnapshotType,
      volumeSnapshotContentType,
      volumeGroupSnapshotType,
      volumeGroupSnapshotContentType,
    ];
    const objects = types.flatMap((type) =>
      this.cluster.all<KubeObject>(type).map(({ metadata }) => `${type.kind} ${metadata.name}`),
    );
    return [...objects, ...[...this.snapshots.handles].map((handle) => `data ${handle}`)];
  }
}

export const asItem = (object: KubeObject): Unstructured => object as Unstructured;

export function aSnapshotClass(parts: Partial<VolumeSnapshotClass> = {}): VolumeSnapshotClass {
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'fast' },
    driver: 'csi.lateen.dev',
    deletionPolicy: 'Delete',
    ...parts,
  };
}

export function aGroupSnapshotClass(parts: Partial<VolumeGroupSnapshotClass> = {}): VolumeGroupSnapshotClass {
  return {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1beta2',
    kind: 'VolumeGroupSnapshotClass',
    metadata: { name: 'groups', labels: { 'velero.io/csi-volumegroupsnapshot-class': 'true' } },
    driver: 'csi.lateen.dev',
    deletionPolicy: 'Delete',
    ...parts,
  };
}
