import {
  annotations,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeType,
  type Unstructured,
} from '@lateen/api-types';
import type { BackupVolumeInfo, RestoreVolumeInfo } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import type { RestoreVolumeFacts } from '@lateen/item-actions';
import { readObject } from '@lateen/kube';
import type { RestoreEnginePorts, RestoreEngineRequest } from '../engine/contract.ts';
import type { VolumeDecision, VolumeRestores } from '../engine/item-run.ts';
import { backedUpAs, decideVolume, type VolumeBackedUp } from './decide-volume.ts';
import { unboundVolume, withoutBindingMarks } from './unbound-volume.ts';
import { volumeSettled } from './volume-in-cluster.ts';
import { restoreVolumeInfo } from './volume-info.ts';

/** Makes a new volume of a native snapshot; the action of a VolumeSnapshotter, which may name it anew. */
export type NativeSnapshots = (
  volume: PersistentVolume,
  info: BackupVolumeInfo | undefined,
  signal: AbortSignal,
) => Promise<PersistentVolume>;

export interface RestoreVolumesOptions {
  ports: Pick<RestoreEnginePorts, 'kube' | 'clock' | 'random' | 'log' | 'limits' | 'dryRun'>;
  request: Pick<RestoreEngineRequest, 'restore' | 'volumes'>;
  /** The namespace that one of the backup is restored into. */
  mapped(namespace: string): string;
  /** Of a backup without a volume info: what its other files say of a volume. */
  legacy?: (volume: PersistentVolume) => VolumeBackedUp;
  nativeSnapshots?: NativeSnapshots;
}

/** The volumes of one restore: how each comes back, what its claim says then, and what is told of it. Holds a few facts per volume. */
export class RestoreVolumes implements VolumeRestores {
  readonly #options: RestoreVolumesOptions;
  readonly #infos: ReadonlyMap<string, BackupVolumeInfo>;
  readonly #decisions = new Map<string, VolumeDecision>();
  readonly #noted = new Map<string, RestoreVolumeInfo>();

  constructor(options: RestoreVolumesOptions) {
    this.#options = options;
    this.#infos = new Map(options.request.volumes.map((info) => [info.pvName ?? '', info]));
  }

  async decide(volume: PersistentVolume, signal: AbortSignal): Promise<VolumeDecision> {
    const name = volume.metadata.name ?? '';
    const info = this.#infos.get(name);
    const way = decideVolume(volume, backedUpAs(info) ?? this.#options.legacy?.(volume));
    const decision = await this.#decided(volume, way, signal);
    this.#decisions.set(name, decision);
    return decision;
  }

  async prepareClaim(claim: Unstructured, _signal: AbortSignal): Promise<Unstructured> {
    const { volumeName = '' } = (claim as unknown as PersistentVolumeClaim).spec;
    if (volumeName === '') return claim;
    const unmarked = withoutBindingMarks(claim);
    const { volumeName: _, ...spec } = unmarked.spec as PersistentVolumeClaim['spec'];
    const decision = this.#decisions.get(volumeName);
    // A volume that is not among the restored ones is not decided about; what is known of it says whether another comes in its place.
    if (decision === undefined) return isProvisioned(this.#infos.get(volumeName)) ? { ...unmarked, spec } : unmarked;
    if (!decision.restore) return decision.provisionAnew ? { ...unmarked, spec } : unmarked;
    return decision.name === undefined ? unmarked : { ...unmarked, spec: { ...spec, volumeName: decision.name } };
  }

  note(claim: { namespace: string; name: string } | undefined, facts: RestoreVolumeFacts): void {
    const { namespace = '', pod = '', volume = '' } = facts.podVolume ?? {};
    // No claim has a name with a slash in it.
    const key = claim === undefined ? `${namespace}/${pod}/${volume}` : `${claim.namespace}/${claim.name}`;
    this.#noted.set(key, restoreVolumeInfo(claim, facts));
  }

  /** By claim; a volume of a pod without one by its pod. */
  infos(): RestoreVolumeInfo[] {
    return [...this.#noted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, info]) => info);
  }

  async #decided(
    volume: PersistentVolume,
    way: ReturnType<typeof decideVolume>,
    signal: AbortSignal,
  ): Promise<VolumeDecision> {
    switch (way.way) {
      case 'provision':
        return { restore: false, reason: way.reason, provisionAnew: true };
      case 'as-is':
        return { restore: true, volume: unboundVolume(volume, this.#options.mapped) };
      case 'native-snapshot':
        return await this.#fromNativeSnapshot(volume, signal);
      default:
        return way satisfies never;
    }
  }

  async #fromNativeSnapshot(volume: PersistentVolume, signal: AbortSignal): Promise<VolumeDecision> {
    const { ports, request, mapped, nativeSnapshots } = this.#options;
    const name = volume.metadata.name ?? '';
    if (request.restore.spec.restorePVs === false) return { restore: true, volume: unboundVolume(volume, mapped) };
    if (nativeSnapshots === undefined) throw noSnapshotter(name);
    const isRenamed = await this.#isTakenByAnother(volume, signal);
    if (!isRenamed) {
      const { terminatingTimeoutMs: timeoutMs } = ports.limits;
      if ((await volumeSettled(ports, name, { timeoutMs, signal })) === 'in-use')
        return { restore: false, reason: 'a volume of its name is in use', provisionAnew: false };
    }
    const unbound = unboundVolume(volume, mapped);
    if (ports.dryRun) return { restore: true, volume: unbound };
    const made = await nativeSnapshots(unbound, this.#infos.get(name), signal);
    const madeName = made.metadata.name ?? name;
    if (!isRenamed && madeName === name) return { restore: true, volume: made };
    return renamed(made, name, madeName === name ? `velero-clone-${ports.random.uuid()}` : madeName);
  }

  /** Its claim goes to another namespace, and the volume that the claim has where it was is still there. */
  async #isTakenByAnother({ metadata, spec }: PersistentVolume, signal: AbortSignal): Promise<boolean> {
    const { namespace } = spec.claimRef ?? {};
    if (namespace === undefined || this.#options.mapped(namespace) === namespace) return false;
    const present = await readObject(
      this.#options.ports.kube,
      persistentVolumeType,
      { name: metadata.name ?? '' },
      signal,
    );
    return present !== undefined;
  }
}

const isProvisioned = (info: BackupVolumeInfo | undefined): boolean =>
  info?.backupMethod === 'PodVolumeBackup' || info?.backupMethod === 'CSISnapshot';

function renamed(volume: PersistentVolume, from: string, name: string): VolumeDecision {
  const { metadata } = volume;
  const noted = { ...metadata.annotations, [annotations.originalPvName]: from };
  return { restore: true, volume: { ...volume, metadata: { ...metadata, name, annotations: noted } }, name };
}

function noSnapshotter(name: string): AppError {
  return new AppError(
    'NO_VOLUME_SNAPSHOTTER',
    `the data of PersistentVolume ${name} is in a native snapshot, and there is no VolumeSnapshotter to restore it`,
    { nextStep: 'Restore it on the storage by hand, or set restorePVs to false to restore the objects alone.' },
  );
}
