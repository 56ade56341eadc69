import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type VolumeGroupSnapshot,
  type VolumeGroupSnapshotContent,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeGroupSnapshotContentType,
  volumeGroupSnapshotType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { isOwnedBy, keyOf, ownerReferenceTo } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

const inGroup = 'snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection';
const groupFinalizer = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection';
const contentFinalizer = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection';

/**
 * Group snapshots as external-snapshotter 8.3 handles them: a VolumeSnapshot for each claim, owned by the group and deleted with it; one
 * that loses its owner gets it back while the group exists; only the group's content deletes the snapshots on the storage.
 */
export class GroupSnapshotActor {
  readonly #cluster: FakeCluster;
  /** Snapshots on the storage, shared with the actor for single snapshots. */
  readonly #handles: Set<string>;
  readonly taken: string[] = [];
  hold = false;
  complaint: string | undefined;

  constructor(cluster: FakeCluster, handles: Set<string>) {
    this.#cluster = cluster;
    this.#handles = handles;
  }

  react(): boolean {
    return [
      ...this.#cluster.look(volumeGroupSnapshotType).map((each) => this.#take(each) || this.#remove(each)),
      ...this.#cluster.look(volumeGroupSnapshotContentType).map((each) => this.#removeContent(each)),
      ...this.#cluster.look(volumeSnapshotType).map((each) => this.#ownAgain(each)),
    ].includes(true);
  }

  #take(group: VolumeGroupSnapshot): boolean {
    const { namespace = '', uid = '', name = '' } = group.metadata;
    if (this.hold || group.status?.readyToUse === true || group.metadata.deletionTimestamp !== undefined) return false;
    if (this.complaint !== undefined) return this.#complain(group, this.complaint);
    const [[key, value] = []] = Object.entries(group.spec.source.selector?.matchLabels ?? {});
    const claims = this.#cluster
      .all(persistentVolumeClaimType, namespace)
      .filter((claim) => claim.metadata.labels?.[key ?? ''] === value);
    const contentName = `groupsnapcontent-${uid}`;
    const handle = `group-${uid}`;
    this.taken.push(name);
    this.#cluster.put({
      apiVersion: group.apiVersion,
      kind: 'VolumeGroupSnapshotContent',
      metadata: { name: contentName, finalizers: [contentFinalizer] },
      spec: {
        deletionPolicy: 'Delete',
        driver: 'csi.lateen.dev',
        source: { volumeHandles: claims.map((claim) => handleOf(claim)) },
        volumeGroupSnapshotRef: { namespace, name, uid },
      },
      status: {
        volumeGroupSnapshotHandle: handle,
        readyToUse: true,
        volumeSnapshotInfoList: claims.map((claim) => ({
          volumeHandle: handleOf(claim),
          snapshotHandle: `${handle}-${claim.metadata.name}`,
        })),
      },
    } as VolumeGroupSnapshotContent);
    for (const claim of claims) this.#makeMember(group, claim, handle);
    this.#cluster.change<VolumeGroupSnapshot>(volumeGroupSnapshotType, keyOf(group), (object) => {
      object.metadata.finalizers = [groupFinalizer];
      object.status = { boundVolumeGroupSnapshotContentName: contentName, readyToUse: true };
    });
    return true;
  }

  #makeMember(group: VolumeGroupSnapshot, claim: PersistentVolumeClaim, groupHandle: string): void {
    const { namespace = '' } = group.metadata;
    const name = `snapshot-${group.metadata.uid}-${claim.metadata.name}`;
    const handle = `${groupHandle}-${claim.metadata.name}`;
    this.#handles.add(handle);
    this.#cluster.put(
      {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotContent',
        metadata: {
          name: `snapcontent-${name}`,
          annotations: { 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle': groupHandle },
          finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
        },
        spec: {
          deletionPolicy: 'Delete',
          driver: 'csi.lateen.dev',
          source: { volumeHandle: handleOf(claim) },
          volumeSnapshotRef: { namespace, name, uid: `uid-${name}` },
        },
        status: { snapshotHandle: handle, volumeGroupSnapshotHandle: groupHandle, readyToUse: true },
      } as VolumeSnapshotContent,
      {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        metadata: {
          namespace,
          name,
          uid: `uid-${name}`,
          finalizers: [inGroup],
          ownerReferences: [ownerReferenceTo(group)],
        },
        spec: { source: { persistentVolumeClaimName: claim.metadata.name } },
        status: {
          boundVolumeSnapshotContentName: `snapcontent-${name}`,
          creationTime: '2030-01-01T00:00:00Z',
          readyToUse: true,
          restoreSize: '1Gi',
          volumeGroupSnapshotName: group.metadata.name,
        },
      } as VolumeSnapshot,
    );
  }

  #complain(group: VolumeGroupSnapshot, message: string): boolean {
    if (group.status?.error?.message === message) return false;
    this.#cluster.change<VolumeGroupSnapshot>(volumeGroupSnapshotType, keyOf(group), (object) => {
      object.status = { error: { message } };
    });
    return true;
  }

  #remove(group: VolumeGroupSnapshot): boolean {
    if (group.metadata.deletionTimestamp === undefined) return false;
    const name = group.status?.boundVolumeGroupSnapshotContentName ?? '';
    const content = this.#cluster.find(volumeGroupSnapshotContentType, { name });
    if (content?.spec.deletionPolicy === 'Delete') this.#drop(content);
    for (const member of this.#cluster.all(volumeSnapshotType, group.metadata.namespace)) {
      if (!isOwnedBy(member, group)) continue;
      const bound = { name: member.status?.boundVolumeSnapshotContentName ?? '' };
      this.#cluster.remove(volumeSnapshotType, keyOf(member));
      if (this.#cluster.find(volumeSnapshotContentType, bound)?.spec.deletionPolicy === 'Delete')
        this.#cluster.remove(volumeSnapshotContentType, bound);
    }
    this.#cluster.remove(volumeGroupSnapshotType, keyOf(group));
    return true;
  }

  #removeContent(content: VolumeGroupSnapshotContent): boolean {
    if (content.metadata.deletionTimestamp === undefined) return false;
    if (content.spec.deletionPolicy === 'Delete') this.#drop(content);
    else this.#cluster.remove(volumeGroupSnapshotContentType, keyOf(content));
    return true;
  }

  #drop(content: VolumeGroupSnapshotContent): void {
    for (const { snapshotHandle = '' } of content.status?.volumeSnapshotInfoList ?? [])
      this.#handles.delete(snapshotHandle);
    this.#cluster.remove(volumeGroupSnapshotContentType, keyOf(content));
  }

  #ownAgain(snapshot: VolumeSnapshot): boolean {
    const name = snapshot.status?.volumeGroupSnapshotName as string | undefined;
    if (name === undefined || snapshot.metadata.ownerReferences?.length) return false;
    const group = this.#cluster.find(volumeGroupSnapshotType, { namespace: snapshot.metadata.namespace, name });
    if (group === undefined) return false;
    this.#cluster.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) => {
      object.metadata.ownerReferences = [ownerReferenceTo(group)];
    });
    return true;
  }
}

const handleOf = (claim: PersistentVolumeClaim): string => `handle-${claim.spec.volumeName}`;
