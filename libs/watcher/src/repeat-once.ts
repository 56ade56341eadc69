import type { Clock, LogFields, Logger } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';
import type { LogRepeater } from './log-repeater.ts';

export interface RepeatOnceOptions {
  logs: LogRepeater;
  pod: ObjectKey;
  container: string;
  fields: LogFields;
  timeoutMs: number;
  clock: Clock;
  log: Logger;
}

/**
 * A function that copies the pod's log at its first call and returns the same promise at each later one. The promise
 * never rejects: a log that cannot be copied is reported, and must not turn a good data path into a failed one.
 */
export function repeatOnce(options: RepeatOnceOptions): () => Promise<void> {
  const { logs, pod, container, fields, timeoutMs, clock, log } = options;
  let copy: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await logs.repeat(pod, container, fields, { signal: clock.deadline(timeoutMs) });
    } catch (error) {
      log.warn({ err: error, pod: `${pod.namespace}/${pod.name}` }, 'the log of the hosting pod could not be repeated');
    }
  };
  return () => {
    copy ??= run();
    return copy;
  };
}
