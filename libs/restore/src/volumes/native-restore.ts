import { annotations, type PersistentVolume, persistentVolumeType, type Unstructured } from '@lateen/api-types';
import type { NativeSnapshot, RestoreVolumeInfo } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import { type MadeVolume, nativeSnapshotInfo } from '@lateen/native-snapshots';
import type { VolumeDecision } from '../engine/item-run.ts';
import { EarlierVolumes } from './earlier-volumes.ts';
import type { RestoreVolumesOptions } from './restore-volumes.ts';
import { unboundVolume } from './unbound-volume.ts';
import { volumeSettled } from './volume-in-cluster.ts';

/** Creates new volumes from native snapshots. */
export interface NativeVolumes {
  /** @throws why `make` could not create a volume; nothing is created */
  check(snapshot: NativeSnapshot, signal: AbortSignal): Promise<void>;
  /** @returns the volume, which may have another name. @throws why it cannot be created */
  make(snapshot: NativeSnapshot, volume: Unstructured, signal: AbortSignal): Promise<MadeVolume>;
}

type Restored = Extract<VolumeDecision, { restore: true }>;

/** The volumes of one restore that were backed up by native snapshots (backup-and-restore.md section 13). */
export class NativeRestore {
  readonly #options: RestoreVolumesOptions;
  readonly #snapshots: ReadonlyMap<string, NativeSnapshot>;
  readonly #earlier: EarlierVolumes;
  readonly #infos = new Map<string, RestoreVolumeInfo>();

  constructor(options: RestoreVolumesOptions) {
    const { request, ports } = options;
    this.#options = options;
    this.#snapshots = new Map((request.nativeSnapshots ?? []).map((each) => [each.spec.persistentVolumeName, each]));
    this.#earlier = new EarlierVolumes(ports.kube, request);
  }

  /** The infos of restored volumes, by claim, or by name for volumes without a claim. */
  get infos(): ReadonlyMap<string, RestoreVolumeInfo> {
    return this.#infos;
  }

  /** @returns undefined when no snapshot was taken: then it is a volume without one. @throws what makes the item fail */
  async decide(volume: PersistentVolume, signal: AbortSignal): Promise<VolumeDecision | undefined> {
    const { ports, request, mapped } = this.#options;
    const name = volume.metadata.name ?? '';
    if (request.restore.spec.restorePVs === false) return { restore: true, volume: unboundVolume(volume, mapped) };
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) throw noSnapshotOf(name);
    if (!snapshot.status.providerSnapshotID) {
      // The user must know that the data is missing; the claim is restored all the same.
      ports.log.error({ resource: persistentVolumeType.resource, name }, withoutData);
      return undefined;
    }
    const decision = (await this.#earlier.of(name, signal)) ?? (await this.#anew(volume, snapshot, signal));
    if (decision.restore && !ports.dryRun) this.#note(volume, snapshot, decision.name ?? name);
    return decision;
  }

  async #anew(volume: PersistentVolume, snapshot: NativeSnapshot, signal: AbortSignal): Promise<VolumeDecision> {
    const { ports, mapped, nativeVolumes } = this.#options;
    const name = volume.metadata.name ?? '';
    if (nativeVolumes === undefined) throw noSnapshotter(name);
    const isRenamed = await this.#isTakenByAnother(volume, signal);
    if (!isRenamed) {
      const { terminatingTimeoutMs: timeoutMs } = ports.limits;
      if ((await volumeSettled(ports, name, { timeoutMs, signal })) === 'in-use')
        return { restore: false, reason: 'a volume of its name is in use', provisionAnew: false };
    }
    const unbound = unboundVolume(volume, mapped);
    const named = (made: PersistentVolume): Restored =>
      isRenamed ? renamed(made, name, `velero-clone-${ports.random.uuid()}`) : { restore: true, volume: made };
    if (ports.dryRun) {
      await nativeVolumes.check(snapshot, signal);
      return { ...named(unbound), reason: planned(snapshot) };
    }
    const { volumeID, volume: object } = await nativeVolumes.make(snapshot, unbound as unknown as Unstructured, signal);
    const madeOf = { volumeID, snapshot: snapshot.status.providerSnapshotID ?? '' };
    const made = object as unknown as PersistentVolume;
    const { name: madeName = name } = made.metadata;
    return { ...(madeName === name ? named(made) : renamed(made, name, madeName)), madeOf };
  }

  #note({ spec }: PersistentVolume, snapshot: NativeSnapshot, pvName: string): void {
    const { namespace, name } = spec.claimRef ?? {};
    const isClaimed = namespace !== undefined && name !== undefined;
    const claim = isClaimed ? { pvcName: name, pvcNamespace: this.#options.mapped(namespace) } : {};
    this.#infos.set(isClaimed ? `${claim.pvcNamespace}/${name}` : pvName, {
      ...claim,
      pvName,
      restoreMethod: 'NativeSnapshot',
      snapshotDataMoved: false,
      nativeSnapshotInfo: nativeSnapshotInfo(snapshot),
    });
  }

  /** Whether its claim is restored into another namespace while the claim in the original namespace still has its volume. */
  async #isTakenByAnother({ metadata, spec }: PersistentVolume, signal: AbortSignal): Promise<boolean> {
    const { namespace } = spec.claimRef ?? {};
    const { ports, mapped } = this.#options;
    if (namespace === undefined || mapped(namespace) === namespace) return false;
    const present = await readObject(ports.kube, persistentVolumeType, { name: metadata.name ?? '' }, signal);
    return present !== undefined;
  }
}

const withoutData = 'the native snapshot of a volume failed when it was backed up: it is restored without its data';

const planned = ({ spec, status }: NativeSnapshot): string =>
  `a new volume is made of native snapshot ${status.providerSnapshotID} in VolumeSnapshotLocation ${spec.location}`;

function renamed(volume: PersistentVolume, from: string, name: string): Restored {
  const { metadata } = volume;
  const noted = { ...metadata.annotations, [annotations.originalPvName]: from };
  return { restore: true, volume: { ...volume, metadata: { ...metadata, name, annotations: noted } }, name };
}

const byHand = 'Restore it on the storage by hand, or set restorePVs to false to restore the objects alone.';

const noSnapshotter = (name: string): AppError =>
  new AppError(
    'NO_VOLUME_SNAPSHOTTER',
    `the data of PersistentVolume ${name} is in a native snapshot, and there is no VolumeSnapshotter to restore it`,
    { nextStep: byHand },
  );

const noSnapshotOf = (name: string): AppError =>
  new AppError(
    'NATIVE_SNAPSHOT_UNKNOWN',
    `PersistentVolume ${name} was backed up by a native snapshot, and the backup's list of them does not have it`,
    { nextStep: byHand },
  );
