import type { Backup, Engine, Replica, Volume, VolumeAttachmentObject } from '@lateen/storage-types';

/** What a volume's answer is made of. */
export interface VolumeSeenByApi {
  readonly volume: Volume;
  readonly engines: readonly Engine[];
  readonly replicas: readonly Replica[];
  /** Backups of this volume. */
  readonly backups: readonly Backup[];
  readonly attachment: VolumeAttachmentObject | undefined;
}

/** The engine that serves the volume: the active one, else the only one. */
export const activeEngine = (engines: readonly Engine[]): Engine | undefined =>
  engines.find(({ spec }) => spec.active === true) ?? (engines.length === 1 ? engines[0] : undefined);
