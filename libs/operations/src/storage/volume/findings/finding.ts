import type { ReplicaStanding } from '../replica-standing.ts';
import type { VolumeSight } from '../volume-sight.ts';
import type { VolumeSpace } from '../volume-space.ts';

/** A problem of a volume, or something that has yet to happen. */
export interface Finding {
  /** One word for programs. */
  readonly reason: string;
  /** `trouble`: a user may have to act. `waits`: it will happen by itself. */
  readonly weight: 'trouble' | 'waits';
  /** One sentence without a full stop. */
  readonly text: string;
  /** Details, one line each. */
  readonly details?: readonly string[];
  /** What a user can do. */
  readonly next?: string;
}

/** The facts that findings are made from, computed once. */
export interface Looked extends VolumeSight {
  readonly standings: readonly ReplicaStanding[];
  readonly space: VolumeSpace;
  readonly nowMs: number;
}

export type FindIn = (looked: Looked) => readonly Finding[];
