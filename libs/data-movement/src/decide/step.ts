/** The one thing to do next about a movement. */
export type Step =
  | { do: 'nothing'; why: string }
  /** `note` is for status.message. */
  | { do: 'wait'; on: string; againMs?: number; note?: string }
  /** Terminal, and our finalizer is still there: take everything away, then the finalizer. */
  | { do: 'conclude' }
  /** Deleted while it runs: ask the data path to stop. */
  | { do: 'request-cancel'; message: string }
  | { do: 'accept' }
  /** It does not begin for want of its pod: see to that, and say why or end it. */
  | { do: 'look-for-client' }
  /** The pod whose volume it is has gone, as far as the watch shows. */
  | { do: 'end-without-client' }
  /** `withinMs` is left until the prepare timeout. */
  | { do: 'expose'; withinMs?: number }
  /** It waits for long: say why. */
  | { do: 'explain' }
  | { do: 'mark-prepared' }
  | { do: 'start' }
  | { do: 'attach' }
  /** This process watches a data path that is no longer its own. */
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
