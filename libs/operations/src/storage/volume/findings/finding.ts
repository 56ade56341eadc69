import type { ReplicaStanding } from '../replica-standing.ts';
import type { VolumeSight } from '../volume-sight.ts';
import type { VolumeSpace } from '../volume-space.ts';

/** Something about a volume that is not as it should be, or has yet to happen. */
export interface Finding {
  /** One word for programs. */
  readonly reason: string;
  /** `trouble`: somebody may have to act. `waits`: it comes by itself. */
  readonly weight: 'trouble' | 'waits';
  /** One sentence without a full stop. */
  readonly text: string;
  /** What it consists of, a line each. */
  readonly details?: readonly string[];
  /** What a person can do. */
  readonly next?: string;
}

/** What findings are made of, computed once. */
export interface Looked extends VolumeSight {
  readonly standings: readonly ReplicaStanding[];
  readonly space: VolumeSpace;
  readonly nowMs: number;
}

export type FindIn = (looked: Looked) => readonly Finding[];
