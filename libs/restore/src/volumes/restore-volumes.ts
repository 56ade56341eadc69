import type { PersistentVolume, PersistentVolumeClaim, Unstructured } from '@lateen/api-types';
import type { BackupVolumeInfo, RestoreVolumeInfo } from '@lateen/backup-store';
import type { RestoreVolumeFacts } from '@lateen/item-actions';
import type { RestoreEnginePorts, RestoreEngineRequest } from '../engine/contract.ts';
import type { VolumeDecision, VolumeRestores } from '../engine/item-run.ts';
import { backedUpAs, decideVolume, type VolumeBackedUp } from './decide-volume.ts';
import { NativeRestore, type NativeVolumes } from './native-restore.ts';
import { unboundVolume, withoutBindingMarks } from './unbound-volume.ts';
import { restoreVolumeInfo } from './volume-info.ts';

export interface RestoreVolumesOptions {
  ports: Pick<RestoreEnginePorts, 'kube' | 'clock' | 'random' | 'log' | 'limits' | 'dryRun'>;
  request: Pick<RestoreEngineRequest, 'restore' | 'backup' | 'volumes' | 'nativeSnapshots'>;
  /** The target namespace of a namespace of the backup. */
  mapped(namespace: string): string;
  /** For a backup without volume info: what its other files say about a volume. */
  legacy?: (volume: PersistentVolume) => VolumeBackedUp;
  nativeVolumes?: NativeVolumes | undefined;
}

/** The volumes of one restore: how each is restored, the changes to its claim, and its volume info. Keeps a few facts per volume. */
export class RestoreVolumes implements VolumeRestores {
  readonly #options: RestoreVolumesOptions;
  readonly #infos: ReadonlyMap<string, BackupVolumeInfo>;
  readonly #native: NativeRestore;
  readonly #decisions = new Map<string, VolumeDecision>();
  readonly #noted = new Map<string, RestoreVolumeInfo>();

  constructor(options: RestoreVolumesOptions) {
    this.#options = options;
    this.#infos = new Map(options.request.volumes.map((info) => [info.pvName ?? '', info]));
    this.#native = new NativeRestore(options);
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
    // For a volume that is not restored, its volume info says whether the claim gets a new one.
    if (decision === undefined) return isProvisioned(this.#infos.get(volumeName)) ? { ...unmarked, spec } : unmarked;
    if (!decision.restore) return decision.provisionAnew ? { ...unmarked, spec } : unmarked;
    return decision.name === undefined ? unmarked : { ...unmarked, spec: { ...spec, volumeName: decision.name } };
  }

  note(claim: { namespace: string; name: string } | undefined, facts: RestoreVolumeFacts): void {
    const { namespace = '', pod = '', volume = '' } = facts.podVolume ?? {};
    // The key cannot collide, because no claim name contains a slash.
    const key = claim === undefined ? `${namespace}/${pod}/${volume}` : `${claim.namespace}/${claim.name}`;
    this.#noted.set(key, restoreVolumeInfo(claim, facts));
  }

  /** Sorted by claim; a pod volume without a claim by its pod. */
  infos(): RestoreVolumeInfo[] {
    return [...this.#noted, ...this.#native.infos].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, info]) => info);
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
        return (
          (await this.#native.decide(volume, signal)) ?? (await this.#decided(volume, decideVolume(volume), signal))
        );
      default:
        return way satisfies never;
    }
  }
}

const isProvisioned = (info: BackupVolumeInfo | undefined): boolean =>
  info?.backupMethod === 'PodVolumeBackup' || info?.backupMethod === 'CSISnapshot';
