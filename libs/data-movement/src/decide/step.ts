/** The one thing to do next about a movement. */
export type Step =
  | { do: 'nothing'; why: string }
  /** `note` is written to status.message. */
  | { do: 'wait'; on: string; againMs?: number; note?: string }
  /** The movement is terminal and still has our finalizer: clean up everything, then remove the finalizer. */
  | { do: 'conclude' }
  /** Deleted while it runs: ask the data path to stop. */
  | { do: 'request-cancel'; message: string }
  | { do: 'accept' }
  /**
   * The movement does not start because its client pod is not usable here: look at the pod, and explain that in the status or end
   * the movement.
   */
  | { do: 'look-for-client' }
  /** The pod whose volume it is has gone, as far as the watch shows. */
  | { do: 'end-without-client' }
  /** `withinMs`: time left until the prepare timeout. */
  | { do: 'expose'; withinMs?: number }
  /** It has waited for long: write the cause into the status. */
  | { do: 'explain' }
  | { do: 'mark-prepared' }
  | { do: 'start' }
  | { do: 'attach' }
  /** Stop watching a data path that belongs to another node or attempt by now. */
  | { do: 'let-go' }
  /** Expose what a lost node-agent had accepted. */
  | { do: 'take-over' }
  /** Record the end of a data path whose node-agent is lost. */
  | { do: 'adopt' }
  /** The hosting pod was lost for a reason outside the data: back to Accepted. */
  | { do: 'try-again'; cause: string }
  | { do: 'mark-canceling' }
  | { do: 'end'; phase: 'Canceled' | 'Failed'; message: string; diagnose?: boolean };

export const nothing = (why: string): Step => ({ do: 'nothing', why });
