import {
  annotations,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  storageClassType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { type KubeObject, keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import { BinderActor } from './binder-actor.ts';
import { SnapshotActor } from './snapshot-actor.ts';

const protection = 'kubernetes.io/pvc-protection';
const provisionerFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';

/**
 * What a provisioner, the volume binder, the protection of claims and a CSI driver do, in one step whenever called. `volumes` and
 * `snapshots` are the real content of the storage: what is left there at the end without an owner has leaked.
 */
export class StorageActor {
  readonly #cluster: FakeCluster;
  readonly #snapshots: SnapshotActor;
  readonly volumes = new Set<string>();
  /** Provisions nothing while set. */
  holdVolumes = false;
  readonly binder: BinderActor;
  /** Lets no claim be deleted while set. */
  holdClaims = false;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    this.binder = new BinderActor(cluster);
    this.#snapshots = new SnapshotActor(cluster);
  }

  get snapshots(): Set<string> {
    return this.#snapshots.handles;
  }

  /** Makes no snapshot ready while set. */
  set holdSnapshots(hold: boolean) {
    this.#snapshots.hold = hold;
  }

  /** True when something was done. */
  react(): boolean {
    const claims = this.#cluster.look(persistentVolumeClaimType);
    return [
      this.#snapshots.react(),
      ...claims.map((claim) => this.#protect(claim) || this.#provision(claim) || this.#remove(claim)),
      this.binder.react(),
      ...this.#cluster.look(persistentVolumeType).map((volume) => this.#reclaim(volume)),
    ].includes(true);
  }

  #protect(claim: PersistentVolumeClaim): boolean {
    if (claim.metadata.finalizers?.includes(protection) || claim.metadata.deletionTimestamp !== undefined) return false;
    this.#cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(claim), (object) => {
      object.metadata.finalizers = [...(object.metadata.finalizers ?? []), protection];
    });
    return true;
  }

  #provision(claim: PersistentVolumeClaim): boolean {
    const { spec, metadata } = claim;
    const storageClass = this.#cluster.find(storageClassType, { name: spec.storageClassName ?? '' });
    const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    const node = metadata.annotations?.[annotations.selectedNode];
    if (this.holdVolumes || storageClass === undefined || spec.volumeName !== undefined || spec.selector !== undefined)
      return false;
    if (metadata.deletionTimestamp !== undefined || (waits && node === undefined)) return false;
    const source = spec.dataSource;
    if (source !== undefined) {
      const snapshot = this.#cluster.find(volumeSnapshotType, { namespace: metadata.namespace, name: source.name });
      if (snapshot?.status?.readyToUse !== true) return false;
    }
    const name = `pvc-${metadata.uid}`;
    this.volumes.add(name);
    this.#cluster.put(volumeFor(claim, name, storageClass.reclaimPolicy ?? 'Delete') as KubeObject);
    this.#cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(claim), (object) => {
      object.spec.volumeName = name;
    });
    return true;
  }

  #remove(claim: PersistentVolumeClaim): boolean {
    if (this.holdClaims || claim.metadata.deletionTimestamp === undefined) return false;
    const inUse = this.#cluster
      .look(podType, claim.metadata.namespace)
      .some((pod) => pod.spec.volumes?.some((each) => each.persistentVolumeClaim?.claimName === claim.metadata.name));
    if (inUse) return false;
    this.#cluster.remove(persistentVolumeClaimType, keyOf(claim));
    return true;
  }

  /**
   * The provisioner's part in the end of a volume: it deletes the data of a released volume with policy Delete, and then removes its
   * finalizer. A volume with policy Retain needs no work.
   */
  #reclaim(volume: PersistentVolume): boolean {
    const deletes = volume.spec.persistentVolumeReclaimPolicy === 'Delete';
    const isDeleted = volume.metadata.deletionTimestamp !== undefined;
    if (deletes ? volume.status?.phase !== 'Released' : !isDeleted) return false;
    if (deletes) this.volumes.delete(volume.spec.csi?.volumeHandle ?? '');
    this.#cluster.remove(persistentVolumeType, keyOf(volume));
    return true;
  }
}

function volumeFor(
  claim: PersistentVolumeClaim,
  name: string,
  policy: 'Delete' | 'Retain' | 'Recycle',
): PersistentVolume {
  const { namespace = '', name: claimName = '', uid = '' } = claim.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, finalizers: [provisionerFinalizer], annotations: { [annotations.boundByController]: 'yes' } },
    spec: {
      persistentVolumeReclaimPolicy: policy,
      csi: { driver: 'csi.lateen.dev', volumeHandle: name },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name: claimName,
        uid,
        resourceVersion: '1',
      },
    },
    status: { phase: 'Pending' },
  };
}
