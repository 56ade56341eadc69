import {
  type BackupSpec,
  builtInDataMover,
  claimNameOf,
  type PersistentVolume,
  type Pod,
  type PodVolumeBackup,
} from '@lateen/api-types';
import type { VolumeChoices, VolumeFacts } from '@lateen/item-actions';
import type { BackupFilters, VolumePolicy } from '@lateen/item-filters';
import { type FsBackupChoice, podVolumesForFsBackup, shouldSnapshot } from '@lateen/volume-policies';
import type { Item } from '../items/item.ts';
import { asClaim, asPod, asVolume, ClaimIndex } from './claim-index.ts';
import { type NativeNote, VolumeBook } from './volume-book.ts';

export interface VolumesParts {
  spec: BackupSpec;
  policies: readonly VolumePolicy[];
  filters: Pick<BackupFilters, 'excludesResource'>;
}

/** Decides how the volumes of a backup are backed up, and records it for the volume info. */
export class Volumes implements VolumeChoices {
  readonly index = new ClaimIndex();
  readonly #book: VolumeBook;
  readonly #parts: VolumesParts;

  constructor(parts: VolumesParts) {
    this.#parts = parts;
    this.#book = new VolumeBook(parts.spec.datamover || builtInDataMover);
  }

  readonly shouldSnapshot: VolumeChoices['shouldSnapshot'] = async (claim, volume) => {
    const { spec, policies } = this.#parts;
    const { namespace = '', name = '' } = claim.metadata;
    const podsUsing = this.index.podsInBackup(namespace, name);
    const choice = shouldSnapshot({ claim, volume, podsUsing, spec, policies });
    if (!choice.snapshot) this.#book.addReason(namespace, name, 'volumeSnapshot', choice.reason);
    return choice;
  };

  readonly podsUsing: VolumeChoices['podsUsing'] = async ({ metadata: { namespace = '', name = '' } }) =>
    this.index
      .podsOf(namespace, name)
      .flatMap(({ metadata, status }) =>
        status?.phase === 'Running' && metadata.name !== undefined ? [metadata.name] : [],
      );

  readonly noteVolume = (volume: { namespace: string; name: string }, facts: VolumeFacts): void =>
    this.#book.addFacts(volume, facts);

  /** Whether a volume of the backup gets a snapshot, by the facts of its claim; the volume info says why not. */
  choiceOfVolume(volume: PersistentVolume): boolean {
    const { spec, policies } = this.#parts;
    const { namespace = '', name = '' } = volume.spec.claimRef ?? {};
    const claim = this.index.claim(namespace, name);
    const podsUsing = this.index.podsInBackup(namespace, name);
    const choice = shouldSnapshot({ claim, volume, podsUsing, spec, policies });
    if (!choice.snapshot) this.noteNative(volume.metadata.name ?? '', { reason: choice.reason });
    return choice.snapshot;
  }

  /** Records the result of a volume's native snapshot. */
  noteNative(volume: string, note: NativeNote): void {
    this.#book.addNative(volume, note);
  }

  /** Called for each item of the backup before its actions run. */
  noteItem(item: Item): void {
    if (item.type.groupResource === 'persistentvolumes') this.#book.addVolume(asVolume(item.object));
    else if (item.type.groupResource === 'persistentvolumeclaims') this.#noteClaim(item);
    else if (item.type.groupResource === 'pods') this.#notePod(item);
  }

  /** Decides which volumes of a pod are read through the file system. Pure except for the index. */
  choiceOf(item: Item): FsBackupChoice {
    const pod = asPod(item.object);
    const nothing = item.type.groupResource !== 'pods' || (pod.spec?.volumes ?? []).length === 0;
    if (nothing) return { fsBackup: [], refused: [], skipped: [] };
    const { spec, policies, filters } = this.#parts;
    const { namespace = '' } = pod.metadata;
    return podVolumesForFsBackup({
      pod,
      spec,
      policies,
      claimed: (name) => this.#claimed(namespace, name),
      claimsExcluded: filters.excludesResource('persistentvolumeclaims', true),
    });
  }

  /** Records at the claim, if there is one, why a pod volume is not read through the file system. */
  noteRefused({ metadata, spec }: Pod, volumeName: string, reason: string): void {
    const volume = spec.volumes?.find(({ name }) => name === volumeName);
    const claim = volume && claimNameOf(metadata.name ?? '', volume);
    if (claim !== undefined) this.#book.addReason(metadata.namespace ?? '', claim, 'podvolume', reason);
  }

  infos(podVolumes: readonly PodVolumeBackup[]) {
    return this.#book.infos(podVolumes);
  }

  get csiSnapshotsAttempted(): number {
    return this.#book.csiSnapshotsAttempted;
  }

  /** Whether policies need PersistentVolumes before pods are decided on. */
  get needsVolumes(): boolean {
    return this.#parts.policies.length > 0;
  }

  #noteClaim({ object }: Item): void {
    const claim = asClaim(object);
    const { namespace = '', name = '' } = claim.metadata;
    this.#book.addClaim(claim);
    const { spec, policies } = this.#parts;
    const volumeName = claim.spec?.volumeName ?? '';
    const volume = volumeName === '' ? undefined : (this.index.volume(volumeName) ?? unread(volumeName));
    // Actions pass the volume that they have read; this is for claims that no action handles.
    const podsUsing = this.index.podsInBackup(namespace, name);
    const choice = shouldSnapshot({ claim, volume, podsUsing, spec, policies });
    if (!choice.snapshot) this.#book.addReason(namespace, name, 'volumeSnapshot', choice.reason);
  }

  #notePod(item: Item): void {
    for (const { volume, reason } of this.choiceOf(item).skipped) this.noteRefused(asPod(item.object), volume, reason);
  }

  #claimed(namespace: string, name: string) {
    const pvc = this.index.claim(namespace, name);
    if (pvc === undefined) return undefined;
    return { pvc, pv: this.index.volume(pvc.spec.volumeName ?? '') };
  }
}

/** Without policies only the existence of a volume matters. */
const unread = (name: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {},
});
