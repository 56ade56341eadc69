import type { EngineSpec, TicketType, Volume, VolumeSpec, VolumeStatus } from '@lateen/storage-types';
import type { StepResult, VolumeSeen } from '../volume/volume-seen.ts';

/**
 * The state of a volume's first content, read from the status only: nothing is recorded yet (`unmarked`), it is being brought (`pending`), nobody
 * tries any more (`failed`), or it is complete (`there`).
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
   * The status that says whether the content is still to come. It is written before a new volume has an engine, so that a volume that was never
   * filled is never mistaken for one with data. `isFresh` is false for a volume that has data and has lost its status: somebody has recreated its
   * objects.
   */
  mark(seen: VolumeSeen, o: { readonly isFresh: boolean }, nowMs: number): Partial<VolumeStatus>;
  /** What the Engine's spec has from its creation. */
  engineSpec(seen: VolumeSeen): Partial<EngineSpec>;
  /** The next step while the content is pending or has failed, each time the volume is processed. */
  next(seen: VolumeSeen, status: VolumeStatus, nowMs: number): StepResult | undefined;
}
