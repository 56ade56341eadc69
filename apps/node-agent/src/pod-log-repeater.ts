import type { PodLogs } from '@lateen/kube';
import { type LogFormat, repeatPodLog, type Sink } from '@lateen/logging';
import type { LogRepeater } from '@lateen/watcher';

/** Copies hosting pods' logs from the API server into this process's own log (design "Log Collection"). */
export function podLogRepeater(logs: PodLogs, { sink, format }: { sink: Sink; format: LogFormat }): LogRepeater {
  return {
    repeat: async (pod, container, fields, { signal, ended }) => {
      await Promise.race([aborted(signal), aborted(ended)]);
      const chunks = logs.stream(pod, { container, signal });
      // The reference's marks name pod and container alone; dashboards look for that form.
      const marks = { ...fields, namespace: pod.namespace ?? '', pod: pod.name, container };
      await repeatPodLog({ chunks, sink, fields: marks, format, signal });
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
