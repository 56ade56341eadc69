/** Reasons of the Events by which a node-agent tells what happens to a movement; Velero has none of these. */
export const movementReasons = {
  /** An attempt was lost for a reason outside the data; the next one begins. */
  attemptLost: 'Data-Movement-Attempt-Lost',
  /** Another node-agent takes it over, because its own is gone. */
  takenOver: 'Data-Movement-Taken-Over',
  /** The resources that the workload's claim asks for do not count, or not all of them. */
  podResources: 'Data-Movement-Pod-Resources',
  /** It has ended, and something of it cannot be removed: its deletion waits for that. */
  cleanUpIncomplete: 'Data-Movement-Clean-Up-Incomplete',
  /** It is Completed because its mover said so, and the end of its pod says otherwise. */
  contradicted: 'Data-Movement-Contradicted',
} as const;

export type MovementReason = (typeof movementReasons)[keyof typeof movementReasons];
