/** Bounds of the node-agent's loops; ms. */
export interface MovementLimits {
  /** From acceptedTimestamp to Prepared (`--data-mover-prepare-timeout`). */
  prepareTimeoutMs: number;
  /** Data paths of this node that run at the same time (loadConcurrency; data-movement.md section 8). */
  slots: number;
  /** Exposures that this process works on at the same time; each is a few watches. */
  exposuresMax: number;
  /** How long an InProgress data path may take to end after it was canceled, until it is given up. */
  forceCancelMs: number;
  /** Cancelling what another node prepares is left to that node this long; it may be gone for good. */
  cancelForAnotherMs: number;
  /** Everything else that is another node's to do is left to it this much longer than it should take. */
  anotherNodeGraceMs: number;
  /** Progress is written to status at most this often. */
  progressIntervalMs: number;
}

export const movementLimits: MovementLimits = {
  prepareTimeoutMs: 30 * 60_000,
  slots: 1,
  exposuresMax: 32,
  forceCancelMs: 60 * 60_000,
  cancelForAnotherMs: 5 * 60_000,
  anotherNodeGraceMs: 60_000,
  progressIntervalMs: 1_000,
};
