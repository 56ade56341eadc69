/** Bounds of one watch; ms. */
export interface WatchLimits {
  /** After the pod's end, when only an Event can still tell the result. Velero waits up to a minute each. */
  eventsAfterPodEndMs: number;
  /** For the pod's end after its mover has reported completion; it only has to exit. */
  podEndAfterCompletionMs: number;
  /**
   * From the end of a terminating pod's grace period (its deletionTimestamp) until its node counts as lost; also for a
   * pod of phase Unknown. The kubelet kills at the end of the grace period and needs seconds to say so.
   */
  terminatingMs: number;
  /** For the rest of the pod's log, counted from the container's end. */
  logRepeatMs: number;
}

/**
 * The mover does not exit before its last Event is stored, so what is missing after ten seconds of a working watch was
 * never written; a broken watch is back within that time too.
 */
export const watchLimits: WatchLimits = {
  eventsAfterPodEndMs: 10_000,
  podEndAfterCompletionMs: 60_000,
  terminatingMs: 60_000,
  logRepeatMs: 60_000,
};
