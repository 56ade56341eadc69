const MiB = 1024 * 1024;

export interface ReplicaSetLimits {
  /** A replica that has requests and has not answered any of them for so long has failed (setting engine-replica-timeout). */
  replyTimeoutMs: number;
  /** How many reply timeouts one request may take on a replica that answers other requests meanwhile: its link is slow, not dead. */
  slowFactor: number;
  /** Initial limit of the bytes of writes in flight; it rises while answers are fast and falls while they are slow. */
  paceFirstBytes: number;
  paceLeastBytes: number;
  /** Limit of the bytes of reads that are also sent to a second replica because the first one is slow. */
  askedAgainBytesMax: number;
  /** Reads are answered only while every replica has answered something sent within this time. A new engine waits longer than this. */
  leaseMs: number;
  /** Limits of pending requests and of the bytes that they hold; further requests wait. */
  requestsMax: number;
  bytesMax: number;
  /** Limit of the requests that wait. A front end that keeps its own limits never reaches it. */
  waitingMax: number;
  /** Time limit for recording a replica as healthy, and for recording the failure of the last replica. */
  recordMs: number;
  /**
   * Areas that are not compared yet are read from all replicas, in pieces of this size, several at once. These bytes are not counted in `bytesMax`.
   */
  compareBytes: number;
  comparedAtOnceMax: number;
  /** Delay before an interrupted comparison begins again. */
  compareAgainFirstMs: number;
  compareAgainMaxMs: number;
  /** While requests are refused for lack of space, this is reported and logged once in this time. */
  refusedTellMs: number;
  /** Changes kept for a slow reader. */
  changesMax: number;
}

export const replicaSetLimits: ReplicaSetLimits = {
  replyTimeoutMs: 8_000,
  slowFactor: 3,
  paceFirstBytes: 16 * MiB,
  paceLeastBytes: MiB,
  askedAgainBytesMax: 16 * MiB,
  leaseMs: 8_000,
  requestsMax: 256,
  bytesMax: 64 * MiB,
  waitingMax: 1_024,
  recordMs: 10_000,
  compareBytes: MiB / 4,
  comparedAtOnceMax: 16,
  compareAgainFirstMs: 200,
  compareAgainMaxMs: 5_000,
  refusedTellMs: 60_000,
  changesMax: 256,
};

/** By default the lease is as long as the reply timeout: a replica whose lease runs out is failed at about the same time. */
export function limitsOf(given: Partial<ReplicaSetLimits> = {}): ReplicaSetLimits {
  const leaseMs = given.leaseMs ?? given.replyTimeoutMs ?? replicaSetLimits.leaseMs;
  return { ...replicaSetLimits, ...given, leaseMs };
}
