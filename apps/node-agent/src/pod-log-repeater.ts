import type { Clock, LogFormat, Logger, Random } from '@lateen/kernel';
import type { PodLogs } from '@lateen/kube';
import { followPodLog } from '@lateen/kube-runtime';
import { repeatPodLog, type Sink } from '@lateen/logging';
import type { LogRepeater } from '@lateen/watcher';

export interface PodLogRepeaterOptions {
  /** The output of our own log. */
  sink: Sink;
  format: LogFormat;
  clock: Clock;
  random: Random;
  log: Logger;
}

const again =
  'this data mover was running before this node-agent was: its log is repeated from its beginning, and may stand further up too';

/**
 * Copies hosting pods' logs from the API server into this process's own log while they are written (design "Log Collection"). The
 * log of an ended container is copied in one piece; lines of a running one are copied as they arrive, and other lines may come
 * between them.
 */
export function podLogRepeater(logs: PodLogs, options: PodLogRepeaterOptions): LogRepeater {
  const { sink, format, clock, random, log } = options;
  const agentStartedMs = clock.now();
  return {
    repeat: async (pod, container, fields, { signal, ended, startedAt }) => {
      // The API has whole seconds: a container that was started in the same second counts as started later.
      const isOlder = startedAt !== undefined && Date.parse(startedAt) + 1000 <= agentStartedMs;
      await repeatPodLog({
        chunks: followPodLog({ logs, pod, container, ended, signal, clock, random, log }),
        sink,
        // Velero's marker lines name only pod and container; dashboards search for that form.
        fields: { ...fields, namespace: pod.namespace ?? '', pod: pod.name, container },
        format,
        live: !ended.aborted,
        remark: isOlder ? again : undefined,
        signal,
        clock,
      });
    },
  };
}
