import type { Backup, KubeObject, PersistentVolume, PersistentVolumeClaim } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** What an action is given beside the item. */
export interface ActionContext {
  /** The same object for every item of one run: what an action reads once for all items, it keeps by it. */
  readonly backup: Backup;
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Its lines go into the log of the backup; at warn and error they count there. Bound to the item. */
  readonly log: Logger;
  /** The same log, bound to no item: for what works on several of them. Absent where `log` is that. */
  readonly runLog?: Logger;
  /** Namespace of the installation: DataUploads are made there. */
  readonly veleroNamespace: string;
  /** What was decided about volumes; the engine knows pods and policies, an action does not. */
  readonly volumes: VolumeChoices;
  /** Tells the backup how a volume is being backed up: an entry of its volume info. Later facts overwrite earlier ones of the same volume. */
  noteVolume(volume: { namespace: string; name: string }, facts: VolumeFacts): void;
}

export interface VolumeChoices {
  /** Whether the volume of a claim is to be snapshotted; with the reason if not, and with what a volume policy asks for if so. */
  shouldSnapshot(
    claim: PersistentVolumeClaim,
    volume: PersistentVolume | undefined,
    signal: AbortSignal,
  ): Promise<{ snapshot: true; dataMover?: string; snapshotClass?: string } | { snapshot: false; reason: string }>;
  /** Names of the running pods of the claim's namespace that mount it. */
  podsUsing(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<readonly string[]>;
}

/** What an action found out about a volume that is snapshotted by CSI. */
export interface VolumeFacts {
  method: 'CSISnapshot';
  dataMoved: boolean;
  driver?: string;
  snapshotHandle?: string;
  contentName?: string;
  /** Of the VolumeSnapshot; its data may since have been taken over by a DataUpload. */
  snapshotName?: string;
  /** When the snapshot is one of a group. */
  groupSnapshotHandle?: string;
  readyToUse?: boolean;
  sizeBytes?: number;
  operationId?: string;
  /** The VolumeSnapshot, or the DataUpload when data is moved. */
  object?: KubeObject;
  startedAt?: string;
  failed?: string;
}
