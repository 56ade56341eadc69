import type { CoreEvent } from '@lateen/api-types';
import type { Engine, LonghornNode, Replica, Snapshot, Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import type { ClusterFacts, Settings } from '@lateen/volume-decisions';

/** All that can be read of one volume at one moment. */
export interface VolumeSight {
  readonly volume: Volume;
  /** The one that serves it; absent until it is made. */
  readonly engine?: Engine | undefined;
  /** By name. */
  readonly replicas: readonly Replica[];
  readonly attachment?: VolumeAttachmentObject | undefined;
  readonly snapshots: readonly Snapshot[];
  /** About the volume itself. */
  readonly events: readonly CoreEvent[];
  readonly surroundings: Surroundings;
}

/** What all volumes have in common. */
export interface Surroundings {
  readonly nodes: ReadonlyMap<string, LonghornNode>;
  /** The same nodes as the scheduler sees them. */
  readonly cluster: ClusterFacts;
  readonly settings: Settings;
  /** Rebuilds that run or are asked for, by the node of the new replica. */
  readonly rebuildsOn: ReadonlyMap<string, number>;
}

export const nameOf = ({ metadata }: { readonly metadata: { readonly name?: string } }): string => metadata.name ?? '';
