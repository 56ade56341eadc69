import type { CoreEvent } from '@lateen/api-types';
import type { Engine, LonghornNode, Replica, Snapshot, Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import type { ClusterFacts, Settings } from '@lateen/volume-decisions';

/** The observed state of one volume at one moment. */
export interface VolumeSight {
  readonly volume: Volume;
  /** The engine that serves it; absent until it is created. */
  readonly engine?: Engine | undefined;
  /** Sorted by name. */
  readonly replicas: readonly Replica[];
  readonly attachment?: VolumeAttachmentObject | undefined;
  readonly snapshots: readonly Snapshot[];
  /** The Events about the volume itself. */
  readonly events: readonly CoreEvent[];
  readonly surroundings: Surroundings;
}

/** Facts that all volumes share. */
export interface Surroundings {
  readonly nodes: ReadonlyMap<string, LonghornNode>;
  /** The same nodes as the scheduler sees them. */
  readonly cluster: ClusterFacts;
  readonly settings: Settings;
  /** The number of running or requested rebuilds, by the node of the new replica. */
  readonly rebuildsOn: ReadonlyMap<string, number>;
}

export const nameOf = ({ metadata }: { readonly metadata: { readonly name?: string } }): string => metadata.name ?? '';
