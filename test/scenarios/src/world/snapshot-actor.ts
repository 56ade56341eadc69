import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

const snapshotFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
const contentFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';

/**
 * The snapshot controller and the CSI snapshotter: bind, and delete by the content's policy. The finalizers come with
 * the binding, as in the real one, so what is deleted before that leaves its handle behind.
 */
export class SnapshotActor {
  readonly #cluster: FakeCluster;
  /** Snapshots on the storage. */
  readonly handles = new Set<string>();
  hold = false;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  react(): boolean {
    return [
      ...this.#cluster.look(volumeSnapshotType).map((each) => this.#bind(each) || this.#removeSnapshot(each)),
      ...this.#cluster.look(volumeSnapshotContentType).map((each) => this.#removeContent(each)),
    ].includes(true);
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
    if (content.metadata.deletionTimestamp === undefined) return false;
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
    this.handles.delete(content.status?.snapshotHandle ?? content.spec.source.snapshotHandle ?? '');
    this.#cluster.remove(volumeSnapshotContentType, keyOf(content));
  }
}
