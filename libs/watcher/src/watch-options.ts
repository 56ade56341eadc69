import type { CoreEvent, Pod } from '@lateen/api-types';
import type { DataPathCallbacks } from '@lateen/datapath';
import type { AppError } from '@lateen/errors';
import type { Clock, LogFields, Logger } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';
import type { KeyedFeed } from './keyed-feed.ts';
import type { WatchLimits } from './limits.ts';
import type { LogRepeater } from './log-repeater.ts';
import type { WatchSubject } from './subject.ts';

/** The pod that hosts the data mover, and the mover's container in it. */
export interface HostingPod extends ObjectKey {
  container: string;
}

export interface WatchHostingPodOptions {
  subject: WatchSubject;
  /** By {@link podFeedKey}. */
  pods: KeyedFeed<Pod>;
  /** By {@link eventFeedKey}. */
  events: KeyedFeed<CoreEvent>;
  /** Reads the pod from the API; asked once when the feed does not know it. Undefined when it does not exist. */
  readPod: (pod: ObjectKey, signal: AbortSignal) => Promise<Pod | undefined>;
  /**
   * Reads the subject's Events from the API; asked once, when a pod is over that has said nothing and its Events are
   * overdue: the watch may be late. Absent, the feed is all that counts.
   */
  readEvents?: (signal: AbortSignal) => Promise<readonly CoreEvent[]>;
  logs: LogRepeater;
  /** Marks the repeated log lines. */
  logFields: LogFields;
  callbacks: DataPathCallbacks;
  /** What follows a good data path needs its pod ended, and the volume free: a completion is told then, and not on the word of an Event. */
  needsPodEnd: boolean;
  /**
   * Called after `onCompleted`, at most once and before `close` resolves: a completion was told on the word of an Event, and the
   * end of the pod says otherwise. The code of the error says how.
   */
  onContradicted?(error: AppError): void;
  /**
   * Aborts when the process stops. A close after that does not repeat the log of a pod that still runs: the next process
   * watches it to its end and repeats all of it.
   */
  stop?: AbortSignal;
  clock: Clock;
  log: Logger;
  limits?: Partial<WatchLimits>;
}
