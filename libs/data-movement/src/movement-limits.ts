import type { BackoffLimits } from '@lateen/kernel';

/** Bounds of the node-agent's loops; ms. */
export interface MovementLimits {
  /** From acceptedTimestamp to Prepared (`--data-mover-prepare-timeout`). */
  prepareTimeoutMs: number;
  /** Data paths of this node that run at the same time (loadConcurrency; data-movement.md section 8). */
  slots: number;
  /**
   * Movements of the whole cluster that are Accepted or Prepared at the same time; 0 means no limit (data-movement.md section 8).
   */
  prepareQueueLength: number;
  /** Exposures that this process works on at the same time; each is a few watches. */
  exposuresMax: number;
  /**
   * Attempts of one movement; the next one starts when a hosting pod was lost for a reason outside the data. 1 is Velero's
   * behaviour.
   */
  attempts: number;
  /** From the loss of one attempt to the exposure of the next. */
  attemptBackoff: BackoffLimits;
  /**
   * From the loss of an attempt whose mover may still write the volume to the exposure of the next; longer than such a mover
   * keeps running (`fenceLimits` of @lateen/datapath; docs/adr/0018).
   */
  nextWriterAfterMs: number;
  /** A hosting pod that does not appear within this time after its exposure was created and deleted again. */
  podSeenWithinMs: number;
  /** After this time in Accepted, a movement writes to status.message what it waits for … */
  explainAfterMs: number;
  /** … and updates that at most this often. */
  explainEveryMs: number;
  /** A data path without new progress for this long writes the cause to status.message, if it can be found. */
  stalledAfterMs: number;
  /** How long a canceled InProgress data path may take to end; after that its pod is deleted. */
  forceCancelMs: number;
  /** How long the cancellation is left to the node that prepares or runs the movement, which may be gone for good. */
  cancelForAnotherMs: number;
  /** For everything else that another node has to do: the time beyond the usual duration that it gets. */
  anotherNodeGraceMs: number;
  /** When the node-agent of a node has not been ready for this long, any other node may take over its movements. */
  agentLostMs: number;
  /** Progress is written to status at most this often. */
  progressIntervalMs: number;
}

/**
 * A canceled data path has 15 s to end by itself (the mover's grace for its engine); with both cancel limits below, Canceled
 * is reached within 30 s, whichever processes are running. Velero waits 1 h and 5 min (data-movement.md section 7, ADR 0012).
 */
export const movementLimits: MovementLimits = {
  prepareTimeoutMs: 30 * 60_000,
  slots: 1,
  prepareQueueLength: 0,
  exposuresMax: 32,
  attempts: 3,
  attemptBackoff: { firstMs: 5_000, maxMs: 60_000, factor: 3, jitter: 0.2 },
  nextWriterAfterMs: 200_000,
  podSeenWithinMs: 10_000,
  explainAfterMs: 30_000,
  explainEveryMs: 60_000,
  stalledAfterMs: 60_000,
  forceCancelMs: 20_000,
  cancelForAnotherMs: 25_000,
  anotherNodeGraceMs: 60_000,
  agentLostMs: 2 * 60_000,
  progressIntervalMs: 1_000,
};
