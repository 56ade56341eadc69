import type { EngineSpec, TicketType, Volume, VolumeSpec, VolumeStatus } from '@lateen/storage-types';
import type { StepResult, VolumeSeen } from '../volume/volume-seen.ts';

/**
 * How far the first content of a volume is: nothing was written down about it yet, it is being brought, nobody tries to any more, or all of it is
 * there. What the status says, and nothing else.
 */
export type ContentState = 'unmarked' | 'pending' | 'failed' | 'there';

/** A source of first content other than zeros. */
export interface ContentKind {
  readonly name: 'backup' | 'clone';
  isAsked(spec: VolumeSpec): boolean;
  /** The manager's own ticket, which keeps the volume attached, without a device, until its content is complete. */
  readonly ticket: TicketType;
  stateOf(volume: Volume): ContentState;
  /** Why a pending volume cannot be used yet, as text for its user. */
  because(volume: Volume): string;
  /**
   * The status that says whether the content is still to come. It is written before a new volume has an engine, so that nobody ever takes what was
   * never filled for the data. `isFresh` is false for one that has data and has lost its status: somebody has made its objects anew.
   */
  mark(seen: VolumeSeen, o: { readonly isFresh: boolean }, nowMs: number): Partial<VolumeStatus>;
  /** What the Engine's spec has from its creation. */
  engineSpec(seen: VolumeSeen): Partial<EngineSpec>;
  /** The next step while the content is pending or has failed, each time the volume is processed. */
  next(seen: VolumeSeen, status: VolumeStatus, nowMs: number): StepResult | undefined;
}
