import type { BackoffLimits } from '@lateen/kernel';

const KiB = 1024;
const MiB = 1024 * KiB;

export interface PluginLimits {
  /** From the start of a process to its address. */
  startMs: number;
  /** One call; operations go on by their own, each question about them is a call. */
  callMs: number;
  /**
   * Calls of actions under way in one process; more wait. One, because the reference makes no second one: its restores go object by object, and
   * programs were written for that.
   */
  actionCallsInFlightMax: number;
  /** The same for a snapshotter or a store. More than one, since an object is stored while another is read. */
  callsInFlightMax: number;
  /** Calls that wait for one of these places. */
  callsWaitingMax: number;
  /** An answer: an item with all that belongs to it. */
  replyBytesMax: number;
  /** Nested levels of JSON in an answer. */
  replyLevelsMax: number;
  /** From the request to end to the kill, as in the reference. */
  endMs: number;
  /** A process that nobody calls is ended, though its run goes on: runs end theirs themselves. */
  idleMs: number;
  /** Between two looks for such processes. */
  idleCheckMs: number;
  /** Before a process takes the place of one that ended without an answer. */
  restart: BackoffLimits;
  /** Processes in succession that answer nothing, until a run gives its program up. */
  uselessStartsMax: number;
  /** Lines of one process in the log, per second: those at warn and error, and the others. */
  logLinesPerSecond: number;
  /** Programs that are asked at the same time what they offer. */
  discoveriesAtOnce: number;
  /** Between two looks at the memory of a process, where no cgroup limits it. */
  memoryCheckMs: number;
}

export const pluginLimitsDefault: PluginLimits = {
  startMs: 60_000,
  callMs: 5 * 60_000,
  actionCallsInFlightMax: 1,
  callsInFlightMax: 32,
  callsWaitingMax: 10_000,
  replyBytesMax: 32 * MiB,
  replyLevelsMax: 200,
  endMs: 2_000,
  idleMs: 5 * 60_000,
  idleCheckMs: 10_000,
  restart: { firstMs: 200, maxMs: 10_000, factor: 2, jitter: 0.2 },
  uselessStartsMax: 6,
  logLinesPerSecond: 200,
  discoveriesAtOnce: 4,
  memoryCheckMs: 1_000,
};

/** Programs on Go's gRPC take no larger request. */
export const requestBytesOfGo = 4 * MiB;
