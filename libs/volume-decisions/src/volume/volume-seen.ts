import type { Engine, Replica, Snapshot, Volume, VolumeStatus } from '@lateen/storage-types';
import type { RestoreSeen, StoredJobsSeen } from '../content/restore-seen.ts';
import type { EventWish } from '../decision/decision.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';
import type { Settings } from '../settings/read-settings.ts';
import type { ReplicaTicket } from './offline-work.ts';
import type { VolumeEffect } from './volume-effect.ts';

/** All that is read of one volume before anything is decided about it. */
export interface VolumeSeen {
  readonly volume: Volume;
  readonly engine?: Engine;
  readonly replicas: readonly Replica[];
  readonly snapshots: readonly Snapshot[];
  /** Whether the VolumeAttachment of the volume exists. */
  readonly hasAttachment: boolean;
  /** Nobody asks for the volume but the manager itself, by a ticket of this type, for the sake of its replicas. */
  readonly offlineFor?: ReplicaTicket;
  readonly cluster: ClusterFacts;
  /** Nodes that are down, for so long that it is called so. A node that is missing in `cluster` is gone for good. */
  readonly downNodes: ReadonlySet<string>;
  /** Nodes whose instance manager answers now: what it is asked for takes its time, and is not silence. None, when absent. */
  readonly answering?: ReadonlySet<string>;
  /** How long ago the host of a node was last seen to have started a replica, of any volume; by the clock that does not jump. None, when absent. */
  readonly startedAgoMs?: ReadonlyMap<string, number>;
  readonly settings: Settings;
  /** Of a volume whose content is still to come from a backup. */
  readonly restore?: RestoreSeen;
  /** Of a volume whose recurring jobs are to come back with it. */
  readonly storedJobs?: StoredJobsSeen;
  /** Rebuilds that run or are asked for, of all volumes, by the node of the new replica. */
  readonly rebuildsOn: Pick<ReadonlyMap<string, number>, 'get'>;
  /** Of this manager's own clock, which does not jump; a restart of the manager begins them anew, and so only waits longer. */
  readonly start: {
    /** How long it has seen the present generation of the engine. */
    readonly sinceGenerationMs: number;
    /** How long it has seen the first replica that has promised it; undefined while none has. */
    readonly sinceFirstPromiseMs?: number;
  };
  /** For the names of new replicas, 20 of them. The same ones for the same objects: what was read too early then makes nothing twice. */
  readonly uuids: readonly string[];
}

/** What one step of the decision adds to it. */
export interface StepResult {
  readonly status?: Partial<VolumeStatus>;
  readonly effects?: readonly VolumeEffect[];
  readonly events?: readonly EventWish<VolumeEffect>[];
  readonly again?: { readonly afterMs: number; readonly reason: string };
  readonly waitsFor?: string;
  /** The steps after it wait until this has been done and read again. */
  readonly ends?: boolean;
}

/** `status` is what the steps before have made of it; the state of the volume is read from `seen`: it moves once at most. */
export type VolumeStep = (seen: VolumeSeen, status: VolumeStatus, nowMs: number) => StepResult | undefined;
