import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

const snapshotFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
const contentFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';

/**
 * The snapshot controller and the CSI snapshotter: take snapshots of claims, bind them, and delete them by the content's policy. As in the
 * real one, finalizers are set with the binding, so an object that is deleted before leaves its handle behind. The snapshots of a group are
 * deleted on the storage only with the group (status.volumeGroupSnapshotHandle).
 */
export class SnapshotActor {
  readonly #cluster: FakeCluster;
  /** Snapshots on the storage. */
  readonly handles = new Set<string>();
  hold = false;
  /** Takes snapshots of claims; otherwise only those exist that a test creates. */
  takesSnapshots = false;
  /** The error of the driver by claim, as long as it is set; no snapshot of that claim is taken. */
  readonly complaints = new Map<string, string>();
  /** Snapshots get their handle, but are not ready to use while set. */
  holdReady = false;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  react(): boolean {
    return [
      ...this.#cluster
        .look(volumeSnapshotType)
        .map((each) => this.#provision(each) || this.#take(each) || this.#bind(each) || this.#removeSnapshot(each)),
      ...this.#cluster.look(volumeSnapshotContentType).map((each) => this.#pickUp(each) || this.#removeContent(each)),
    ].includes(true);
  }

  /** The snapshot controller creates a content for a snapshot of a claim. */
  #provision(snapshot: VolumeSnapshot): boolean {
    const claim = snapshot.spec.source.persistentVolumeClaimName;
    if (!this.takesSnapshots || this.hold || claim === undefined) return false;
    if (snapshot.status?.boundVolumeSnapshotContentName !== undefined) return false;
    if (snapshot.metadata.deletionTimestamp !== undefined) return false;
    const { namespace = '', name = '', uid = '' } = snapshot.metadata;
    const className = snapshot.spec.volumeSnapshotClassName ?? '';
    const snapshotClass = this.#cluster.find(volumeSnapshotClassType, { name: className });
    if (snapshotClass === undefined) return this.#complain(snapshot, `VolumeSnapshotClass ${className} not found`);
    const contentName = `snapcontent-${uid}`;
    this.#cluster.put({
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: contentName, finalizers: [contentFinalizer] },
      spec: {
        deletionPolicy: snapshotClass.deletionPolicy,
        driver: snapshotClass.driver,
        source: { volumeHandle: `handle-of-${claim}` },
        volumeSnapshotClassName: className,
        volumeSnapshotRef: { namespace, name, uid },
      },
    } as VolumeSnapshotContent);
    this.#cluster.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) => {
      object.metadata.finalizers = [snapshotFinalizer];
      object.status = { boundVolumeSnapshotContentName: contentName, readyToUse: false };
    });
    return true;
  }

  /** The driver takes the snapshot, and the controller writes the result to the VolumeSnapshot. */
  #take(snapshot: VolumeSnapshot): boolean {
    const { boundVolumeSnapshotContentName: name = '', creationTime, readyToUse } = snapshot.status ?? {};
    const claim = snapshot.spec.source.persistentVolumeClaimName;
    if (!this.takesSnapshots || this.hold || claim === undefined) return false;
    if (snapshot.metadata.deletionTimestamp !== undefined) return false;
    const content = this.#cluster.find(volumeSnapshotContentType, { name });
    if (content?.spec.source.volumeHandle === undefined) return false;
    const complaint = this.complaints.get(claim);
    if (complaint !== undefined && creationTime === undefined) return this.#complain(snapshot, complaint);
    if (creationTime !== undefined && (readyToUse === true || this.holdReady)) return false;
    const handle = content.status?.snapshotHandle ?? `snapshot-${snapshot.metadata.uid}`;
    this.handles.add(handle);
    this.#cluster.change<VolumeSnapshotContent>(volumeSnapshotContentType, { name }, (object) => {
      object.status = { ...object.status, snapshotHandle: handle, readyToUse: !this.holdReady };
    });
    this.#cluster.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) => {
      const { error: _, ...status } = object.status ?? {};
      const size = this.holdReady ? {} : { restoreSize: '1Gi' };
      object.status = { ...status, creationTime: '2030-01-01T00:00:00Z', readyToUse: !this.holdReady, ...size };
    });
    return true;
  }

  /**
   * The snapshotter checks whether the storage has the snapshot that a content names. If not, it can write nothing: its patch replaces a
   * status that does not exist.
   */
  #pickUp(content: VolumeSnapshotContent): boolean {
    const handle = content.spec.source.snapshotHandle ?? '';
    if (!this.takesSnapshots || this.hold || !this.handles.has(handle) || content.status !== undefined) return false;
    if (content.metadata.deletionTimestamp !== undefined) return false;
    this.#cluster.change<VolumeSnapshotContent>(volumeSnapshotContentType, keyOf(content), (object) => {
      object.metadata.finalizers = [contentFinalizer];
      object.status = { snapshotHandle: handle, readyToUse: true };
    });
    return true;
  }

  #complain(snapshot: VolumeSnapshot, message: string): boolean {
    if (snapshot.status?.error?.message === message) return false;
    const time = new Date(this.#cluster.clock.now()).toISOString();
    this.#cluster.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) => {
      object.status = { ...object.status, error: { message, time } };
    });
    return true;
  }

  #bind(snapshot: VolumeSnapshot): boolean {
    const name = snapshot.spec.source.volumeSnapshotContentName;
    if (this.hold || name === undefined || snapshot.status?.readyToUse === true) return false;
    if (snapshot.metadata.deletionTimestamp !== undefined) return false;
    const content = this.#cluster.find(volumeSnapshotContentType, { name });
    const reference = content?.spec.volumeSnapshotRef;
    if (reference?.name !== snapshot.metadata.name || reference?.namespace !== snapshot.metadata.namespace)
      return false;
    this.#cluster.change<VolumeSnapshotContent>(volumeSnapshotContentType, { name }, (object) => {
      object.metadata.finalizers = [contentFinalizer];
      object.spec.volumeSnapshotRef = { ...reference, uid: snapshot.metadata.uid ?? '' };
      object.status = { readyToUse: true, snapshotHandle: object.spec.source.snapshotHandle ?? '' };
    });
    this.#cluster.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) => {
      object.metadata.finalizers = [snapshotFinalizer];
      object.status = { boundVolumeSnapshotContentName: name, readyToUse: true, restoreSize: '1Gi' };
    });
    return true;
  }

  #removeSnapshot(snapshot: VolumeSnapshot): boolean {
    if (snapshot.metadata.deletionTimestamp === undefined) return false;
    const name = snapshot.status?.boundVolumeSnapshotContentName ?? '';
    const content = this.#cluster.find(volumeSnapshotContentType, { name });
    if (content?.spec.deletionPolicy === 'Delete') this.#drop(content);
    this.#cluster.remove(volumeSnapshotType, keyOf(snapshot));
    return true;
  }

  #removeContent(content: VolumeSnapshotContent): boolean {
    if (content.metadata.deletionTimestamp === undefined || (this.takesSnapshots && this.hold)) return false;
    const { namespace, name = '' } = content.spec.volumeSnapshotRef;
    const bound = this.#cluster.find(volumeSnapshotType, { namespace, name }) !== undefined;
    if (content.spec.deletionPolicy === 'Delete') {
      if (bound) return false;
      this.#drop(content);
    } else {
      this.#cluster.remove(volumeSnapshotContentType, keyOf(content));
    }
    return true;
  }

  #drop(content: VolumeSnapshotContent): void {
    // The snapshotter has the driver delete only what status names.
    const named =
      content.status?.snapshotHandle ?? (this.takesSnapshots ? undefined : content.spec.source.snapshotHandle);
    if (content.status?.volumeGroupSnapshotHandle === undefined) this.handles.delete(named ?? '');
    this.#cluster.remove(volumeSnapshotContentType, keyOf(content));
  }
}
