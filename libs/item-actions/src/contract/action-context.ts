import type { Backup, KubeObject, PersistentVolume, PersistentVolumeClaim } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** What an action gets besides the item. */
export interface ActionContext {
  /** The same object for every item of one run: an action uses it as the key for what it reads once for all items. */
  readonly backup: Backup;
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Writes to the log of the backup; lines at warn and error are counted there. Bound to the item. */
  readonly log: Logger;
  /** The same log, not bound to an item: for work on several items. Absent when `log` is not bound to an item either. */
  readonly runLog?: Logger;
  /** Namespace of the installation, in which DataUploads are created. */
  readonly veleroNamespace: string;
  /** The decisions about volumes: the engine knows pods and policies, an action does not. */
  readonly volumes: VolumeChoices;
  /**
   * Records how a volume is being backed up: an entry of the backup's volume info. Later facts overwrite earlier ones of the same
   * volume.
   */
  noteVolume(volume: { namespace: string; name: string }, facts: VolumeFacts): void;
}

export interface VolumeChoices {
  /**
   * Whether the volume of a claim is to be snapshotted: if not, with the reason; if so, with the parameters of the volume policy.
   */
  shouldSnapshot(
    claim: PersistentVolumeClaim,
    volume: PersistentVolume | undefined,
    signal: AbortSignal,
  ): Promise<{ snapshot: true; dataMover?: string; snapshotClass?: string } | { snapshot: false; reason: string }>;
  /** Names of the running pods in the claim's namespace that mount it. */
  podsUsing(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<readonly string[]>;
}

/** Facts that an action found about a volume with a CSI snapshot. */
export interface VolumeFacts {
  method: 'CSISnapshot';
  dataMoved: boolean;
  driver?: string;
  snapshotHandle?: string;
  contentName?: string;
  /** Name of the VolumeSnapshot; a DataUpload may have taken its data over since. */
  snapshotName?: string;
  /** Set when the snapshot is one of a group. */
  groupSnapshotHandle?: string;
  readyToUse?: boolean;
  sizeBytes?: number;
  operationId?: string;
  /** The VolumeSnapshot, or the DataUpload when data is moved. */
  object?: KubeObject;
  startedAt?: string;
  failed?: string;
}
