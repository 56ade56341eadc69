/** Bounds of data movements; all in ms unless the name says otherwise. */
export interface MovementLimits {
  /** From Accepted until the hosting pod runs. `--data-mover-prepare-timeout`. */
  prepareTimeoutMs: number;
  /** A second chance for the node that accepted: others act on its behalf only this much later. */
  otherNodeGraceMs: number;
  /** Cancelling an object that another node prepares: that node may be gone. */
  cancelPreparingByOthersMs: number;
  /** Cancelling an object in progress: from then on nobody waits for the data mover any more. */
  cancelInProgressMs: number;
  /** Least time between two writes of status.progress. */
  progressEveryMs: number;
  /** Data paths at the same time on one node, uploads and downloads together. */
  slotsPerNode: number;
}

/** data-movement.md sections 3, 7 and 8. */
export const movementLimits: MovementLimits = {
  prepareTimeoutMs: 30 * 60_000,
  otherNodeGraceMs: 60_000,
  cancelPreparingByOthersMs: 5 * 60_000,
  cancelInProgressMs: 60 * 60_000,
  progressEveryMs: 1_000,
  slotsPerNode: 1,
};
