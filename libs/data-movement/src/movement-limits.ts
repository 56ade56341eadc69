import type { BackoffLimits } from '@lateen/kernel';

/** Bounds of the node-agent's loops; ms. */
export interface MovementLimits {
  /** From acceptedTimestamp to Prepared (`--data-mover-prepare-timeout`). */
  prepareTimeoutMs: number;
  /** Data paths of this node that run at the same time (loadConcurrency; data-movement.md section 8). */
  slots: number;
  /** Movements of the whole cluster that are Accepted or Prepared at the same time; 0 is no limit (data-movement.md section 8). */
  prepareQueueLength: number;
  /** Exposures that this process works on at the same time; each is a few watches. */
  exposuresMax: number;
  /** Attempts of one movement; a next one begins when a hosting pod was lost for a reason outside the data. 1 is Velero's way. */
  attempts: number;
  /** From the loss of one attempt to the exposure of the next. */
  attemptBackoff: BackoffLimits;
  /**
   * From the loss of an attempt whose mover may still write the volume to the exposure of the next; longer than such a mover goes
   * on (`fenceLimits` of @lateen/datapath; docs/adr/0018).
   */
  nextWriterAfterMs: number;
  /** A hosting pod that is not seen this long after its exposure was made and taken away again. */
  podSeenWithinMs: number;
  /** Accepted for so long, a movement says in status.message what it waits for … */
  explainAfterMs: number;
  /** … and looks again at most this often. */
  explainEveryMs: number;
  /** A data path that has reported nothing new for so long says in status.message why, as far as that can be seen. */
  stalledAfterMs: number;
  /** How long an InProgress data path may take to end after it was canceled, until its pod is taken away under it. */
  forceCancelMs: number;
  /** Cancelling what another node prepares or runs is left to that node this long; it may be gone for good. */
  cancelForAnotherMs: number;
  /** Everything else that is another node's to do is left to it this much longer than it should take. */
  anotherNodeGraceMs: number;
  /** What belongs to a node whose node-agent has not been ready for this long may be taken over by any other. */
  agentLostMs: number;
  /** Progress is written to status at most this often. */
  progressIntervalMs: number;
}

/**
 * A canceled data path has 15 s to end by itself (the mover's grace for its engine); with both cancel limits below, Canceled
 * is reached within 30 s whoever is alive. Velero waits 1 h and 5 min (data-movement.md section 7, ADR 0012).
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
