import { podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { keyText } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import type { LogRepeater } from '@lateen/watcher';

/** How long the copy of a log takes; a pod deleted meanwhile truncates it. */
const logMs = 100;

/** Copies logs slowly and records which were complete. */
export function logKeeper(cluster: FakeCluster, clock: Clock): LogRepeater & { whole: string[]; torn: string[] } {
  const whole: string[] = [];
  const torn: string[] = [];
  return {
    whole,
    torn,
    repeat: async (pod, _container, _fields, { signal, ended }) => {
      await aborted(AbortSignal.any([signal, ended]));
      await clock.sleep(logMs, signal);
      if (cluster.find(podType, pod) === undefined) torn.push(keyText(pod));
      else whole.push(keyText(pod));
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
