import type { PodLogs } from '@lateen/kube';
import { type LogFormat, repeatPodLog, type Sink } from '@lateen/logging';
import type { LogRepeater } from '@lateen/watcher';

/** Copies hosting pods' logs from the API server into this process's own log (design "Log Collection"). */
export function podLogRepeater(logs: PodLogs, { sink, format }: { sink: Sink; format: LogFormat }): LogRepeater {
  return {
    repeat: async (pod, container, fields, { signal }) => {
      const chunks = logs.stream(pod, { container, signal });
      const marks = { ...fields, pod: `${pod.namespace}/${pod.name}`, container };
      await repeatPodLog({ chunks, sink, fields: marks, format, signal });
    },
  };
}
