import type { BackoffLimits } from '@lateen/kernel';

const KiB = 1024;
const MiB = 1024 * KiB;

export interface PluginLimits {
  /** Time from the start of a process until it reports its address. */
  startMs: number;
  /** Time of one call; operations run in the background, and each query of their state is a call. */
  callMs: number;
  /**
   * Running calls of actions in one process; further ones wait. For programs that do not say how many they accept. One, because Velero makes no
   * second one: its restores work object by object, and programs were written for that.
   */
  actionCallsInFlightMax: number;
  /** The same for a snapshotter or a store. More than one, because one object may be stored while another is read. */
  callsInFlightMax: number;
  /** Calls that wait for one of these slots. */
  callsWaitingMax: number;
  /** Size of an answer: an item with everything that belongs to it. */
  replyBytesMax: number;
  /** Nested levels of JSON in an answer. */
  replyLevelsMax: number;
  /** Time from the request to end to the kill, as in Velero. */
  endMs: number;
  /** A process without calls for so long is ended, although its run continues: runs end their own processes. */
  idleMs: number;
  /** Interval of the checks for idle processes. */
  idleCheckMs: number;
  /** Delay before a process is started in place of one that ended without an answer. */
  restart: BackoffLimits;
  /** After this many successive processes without an answer, a run does not start the program again. */
  uselessStartsMax: number;
  /** Lines of one process in the log, per second: one limit for warn and error, and one for the other levels. */
  logLinesPerSecond: number;
  /** Programs that are asked for their plugins in parallel. */
  discoveriesAtOnce: number;
  /** Interval of the checks of a process's memory, where no cgroup limits it. */
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

/** Programs on Go's gRPC accept no larger request. */
export const requestBytesOfGo = 4 * MiB;
