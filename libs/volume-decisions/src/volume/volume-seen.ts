import type { Engine, Replica, Snapshot, Volume, VolumeStatus } from '@lateen/storage-types';
import type { RestoreSeen, StoredJobsSeen } from '../content/restore-seen.ts';
import type { EventWish } from '../decision/decision.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';
import type { Settings } from '../settings/read-settings.ts';
import type { ReplicaTicket } from './offline-work.ts';
import type { VolumeEffect } from './volume-effect.ts';

/** Everything that is read about one volume before a decision is made about it. */
export interface VolumeSeen {
  readonly volume: Volume;
  readonly engine?: Engine;
  readonly replicas: readonly Replica[];
  readonly snapshots: readonly Snapshot[];
  /** Whether the VolumeAttachment of the volume exists. */
  readonly hasAttachment: boolean;
  /** Only the manager itself has attached the volume, by a ticket of this type, to work on its replicas. */
  readonly offlineFor?: ReplicaTicket;
  readonly cluster: ClusterFacts;
  /** Nodes that have been unreachable long enough to count as down. A node that is missing in `cluster` is permanently gone. */
  readonly downNodes: ReadonlySet<string>;
  /** Nodes whose instance manager answers now: a pending request there is slow, not lost. Absent means none. */
  readonly answering?: ReadonlySet<string>;
  /**
   * How long ago the host of a node was last seen to start a replica, of any volume; by the monotonic clock. Absent means none.
   */
  readonly startedAgoMs?: ReadonlyMap<string, number>;
  readonly settings: Settings;
  /** For a volume whose content is still to be restored from a backup. */
  readonly restore?: RestoreSeen;
  /** For a volume whose recurring jobs are to be restored with it. */
  readonly storedJobs?: StoredJobsSeen;
  /** Rebuilds that run or are requested, of all volumes, by the node of the new replica. */
  readonly rebuildsOn: Pick<ReadonlyMap<string, number>, 'get'>;
  /** By this manager's monotonic clock; a restart of the manager resets them, which only makes it wait longer. */
  readonly start: {
    /** How long it has seen the present generation of the engine. */
    readonly sinceGenerationMs: number;
    /** How long it has seen the first replica that has promised it; undefined while none has. */
    readonly sinceFirstPromiseMs?: number;
  };
  /**
   * 20 UUIDs for the names of new replicas. They are the same for the same objects, so that a decision on stale data creates
   * no object twice.
   */
  readonly uuids: readonly string[];
}

/** What one step adds to the decision. */
export interface StepResult {
  readonly status?: Partial<VolumeStatus>;
  readonly effects?: readonly VolumeEffect[];
  readonly events?: readonly EventWish<VolumeEffect>[];
  readonly again?: { readonly afterMs: number; readonly reason: string };
  readonly waitsFor?: string;
  /** The later steps wait until this has been done and the objects have been read again. */
  readonly ends?: boolean;
}

/** `status` is the result of the earlier steps; the state of the volume is read from `seen`, so it moves at most once. */
export type VolumeStep = (seen: VolumeSeen, status: VolumeStatus, nowMs: number) => StepResult | undefined;
