const MiB = 1024 * 1024;

export interface ReplicaSetLimits {
  /** A replica that has requests and has answered none for so long has failed (setting engine-replica-timeout). */
  replyTimeoutMs: number;
  /** So many reply timeouts may one request take of a replica that answers others meanwhile: its link is slow, and not dead. */
  slowFactor: number;
  /** Bytes of writes that are sent at once at first; more while they are answered soon, less while they are not. */
  paceFirstBytes: number;
  paceLeastBytes: number;
  /** Bytes of reads that are asked of a second replica because the first one keeps them waiting. */
  askedAgainBytesMax: number;
  /** Reads are answered only while every replica has answered something sent within this time. A new engine waits longer. */
  leaseMs: number;
  /** Requests under way, and the bytes that they hold; more wait. */
  requestsMax: number;
  bytesMax: number;
  /** Requests that wait for the above. A front end that keeps to its own bounds never has so many. */
  waitingMax: number;
  /** How long the record of a replica as healthy may take, and that of the last replica's failure. */
  recordMs: number;
  /** What is not compared yet is read from all replicas, so much at a time, in so many places at once. These bytes are besides `bytesMax`. */
  compareBytes: number;
  comparedAtOnceMax: number;
  /** Waits before a comparison that could not go on begins again. */
  compareAgainFirstMs: number;
  compareAgainMaxMs: number;
  /** While requests are refused for want of room, that is told and logged once in so long. */
  refusedTellMs: number;
  /** Changes kept for a reader that is slow. */
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

/** The lease is the reply timeout where nobody says otherwise: a replica whose lease runs out is failed at about the same time. */
export function limitsOf(given: Partial<ReplicaSetLimits> = {}): ReplicaSetLimits {
  const leaseMs = given.leaseMs ?? given.replyTimeoutMs ?? replicaSetLimits.leaseMs;
  return { ...replicaSetLimits, ...given, leaseMs };
}
