import {
  annotations,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PodVolumeBackup,
} from '@lateen/api-types';
import type { BackupVolumeInfo, NativeSnapshot } from '@lateen/backup-store';
import type { VolumeFacts } from '@lateen/item-actions';
import { nativeVolumeInfo } from '@lateen/native-snapshots';
import { type BackupApproach, skippedReason } from '@lateen/volume-policies';
import { podVolumeInfo } from './pod-volume-info.ts';
import { snapshotInfo } from './snapshot-info.ts';

interface ClaimEntry {
  namespace: string;
  name: string;
  /** Facts of the claim object; absent while only other objects have named the claim. */
  claim?: { volumeName: string };
  facts?: VolumeFacts;
  reasons: Map<BackupApproach, string>;
}

/** The result of a volume's native snapshot: its entry, or the reason why there is none. */
export type NativeNote =
  | { entry: NativeSnapshot; startedAt: string; endedAt: string; reason?: undefined }
  | { entry?: undefined; reason: string };

/** Velero's text for a volume that nothing can snapshot. */
const noSnapshotter = 'no applicable volumesnapshotter found';

/** Records how each volume of a backup is backed up, or why it is not: the entries of the volume info. Keeps a few facts per volume. */
export class VolumeBook {
  readonly #claims = new Map<string, ClaimEntry>();
  readonly #volumes = new Map<string, PersistentVolume>();
  readonly #native = new Map<string, NativeNote>();
  readonly #dataMover: string;

  constructor(dataMover: string) {
    this.#dataMover = dataMover;
  }

  /** Call it when the claim is in the backup. */
  addClaim(claim: PersistentVolumeClaim): void {
    const { namespace = '', name = '' } = claim.metadata;
    this.#entry(namespace, name).claim = { volumeName: claim.spec?.volumeName ?? '' };
  }

  /** Call it when the volume is in the backup. */
  addVolume(volume: PersistentVolume): void {
    const { persistentVolumeReclaimPolicy, claimRef, csi } = volume.spec;
    this.#volumes.set(volume.metadata.name ?? '', {
      apiVersion: volume.apiVersion,
      kind: volume.kind,
      metadata: { ...(volume.metadata.labels === undefined ? {} : { labels: volume.metadata.labels }) },
      spec: {
        ...(persistentVolumeReclaimPolicy === undefined ? {} : { persistentVolumeReclaimPolicy }),
        ...(claimRef === undefined ? {} : { claimRef }),
        ...(csi === undefined ? {} : { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } }),
      },
    });
  }

  /** Later facts overwrite earlier ones. */
  addFacts(volume: { namespace: string; name: string }, facts: VolumeFacts): void {
    const entry = this.#entry(volume.namespace, volume.name);
    entry.facts = { ...entry.facts, ...facts };
  }

  /** Records why one approach is not used for the claim. */
  addReason(namespace: string, claim: string, approach: BackupApproach, reason: string): void {
    this.#entry(namespace, claim).reasons.set(approach, reason);
  }

  /** Records the native snapshot of a volume, by the name of the volume. */
  addNative(volume: string, note: NativeNote): void {
    this.#native.set(volume, note);
  }

  get csiSnapshotsAttempted(): number {
    return [...this.#claims.values()].filter(({ facts }) => facts?.method === 'CSISnapshot').length;
  }

  /** One entry for each claim and volume of the backup and for each pod volume that was read, sorted by claim and volume. */
  infos(podVolumes: readonly PodVolumeBackup[]): BackupVolumeInfo[] {
    const known = [...this.#claims.values()].filter((entry) => entry.claim !== undefined || entry.facts !== undefined);
    const bound = new Set(known.map(({ claim }) => claim?.volumeName ?? ''));
    const alone = [...this.#volumes].filter(([name]) => !bound.has(name));
    const read = new Set(podVolumes.map(claimKeyOf));
    const others = known.filter(
      ({ namespace, name, facts }) => facts !== undefined || !read.has(`${namespace}/${name}`),
    );
    const infos = [
      ...others.map((entry) => this.#infoOfClaim(entry)),
      ...alone.map((each) => this.#infoOfVolume(each)),
      ...podVolumes.map((each) => this.#infoOfPodVolume(each)),
    ];
    return infos.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  #infoOfPodVolume(podVolume: PodVolumeBackup): BackupVolumeInfo {
    const pvName = this.#claims.get(claimKeyOf(podVolume))?.claim?.volumeName ?? '';
    const volume = this.#volumes.get(pvName);
    return {
      ...podVolumeInfo(podVolume),
      ...(pvName === '' ? {} : { pvName }),
      ...(volume === undefined ? {} : { pvInfo: persistentInfo(volume) }),
    };
  }

  #infoOfClaim({ namespace, name, claim, facts, reasons }: ClaimEntry): BackupVolumeInfo {
    const volumeName = claim?.volumeName ?? '';
    const volume = this.#volumes.get(volumeName);
    const place = {
      pvcName: name,
      pvcNamespace: namespace,
      ...(volumeName === '' ? {} : { pvName: volumeName }),
    };
    const pvInfo = volume === undefined ? {} : { pvInfo: persistentInfo(volume) };
    if (facts !== undefined) return { ...place, ...snapshotInfo(facts, this.#dataMover), ...pvInfo };
    const native = this.#native.get(volumeName);
    if (native?.entry !== undefined) return { ...place, ...nativeInfo(native), ...pvInfo };
    const told = new Map(reasons);
    const why = native?.reason ?? (told.size === 0 ? noSnapshotter : undefined);
    if (why !== undefined && !told.has('volumeSnapshot')) told.set('volumeSnapshot', why);
    const all = [...told].sort().map(([approach, reason]) => ({ approach, reason }));
    return { ...place, ...skipped, skippedReason: skippedReason(all), ...pvInfo };
  }

  /** The entry of a volume whose claim is not in the backup. */
  #infoOfVolume([name, volume]: [string, PersistentVolume]): BackupVolumeInfo {
    const { claimRef } = volume.spec;
    const native = this.#native.get(name);
    const place = {
      ...(claimRef?.name === undefined ? {} : { pvcName: claimRef.name }),
      ...(claimRef?.namespace === undefined ? {} : { pvcNamespace: claimRef.namespace }),
      pvName: name,
    };
    const pvInfo = persistentInfo(volume);
    if (native?.entry !== undefined) return { ...place, ...nativeInfo(native), pvInfo };
    const reason = native?.reason ?? (claimRef === undefined ? noSnapshotter : 'its claim is not in the backup');
    return {
      ...place,
      ...skipped,
      skippedReason: skippedReason([{ approach: 'volumeSnapshot', reason }]),
      pvInfo,
    };
  }

  #entry(namespace: string, name: string): ClaimEntry {
    const key = `${namespace}/${name}`;
    const known = this.#claims.get(key) ?? { namespace, name, reasons: new Map() };
    this.#claims.set(key, known);
    return known;
  }
}

const skipped = { snapshotDataMoved: false, preserveLocalSnapshot: false, skipped: true } as const;

const nativeInfo = ({
  entry,
  startedAt,
  endedAt,
}: Extract<NativeNote, { entry: NativeSnapshot }>): BackupVolumeInfo => ({
  ...nativeVolumeInfo(entry),
  startTimestamp: startedAt,
  completionTimestamp: endedAt,
});

/** Delete is the default of Kubernetes. */
const persistentInfo = ({ metadata, spec }: PersistentVolume) => ({
  reclaimPolicy: spec.persistentVolumeReclaimPolicy ?? 'Delete',
  labels: metadata.labels ?? null,
});

const claimKeyOf = ({ metadata, spec }: PodVolumeBackup): string =>
  `${spec.pod.namespace}/${metadata.annotations?.[annotations.pvcName] ?? ''}`;

const keyOf = ({ pvcNamespace = '', pvcName = '', pvName = '', pvbInfo }: BackupVolumeInfo): string =>
  [pvcNamespace, pvcName, pvName, pvbInfo?.podNamespace, pvbInfo?.podName, pvbInfo?.volumeName].join('/');
