import { configMapType } from '@lateen/api-types';
import { type Clock, eachAtOnce } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

const key = { namespace: 'default', name: 'other-client' };
const loops = 4;
const pauseMs = 10;

/** Another client of the same API server, which reads and writes an object repeatedly, over a few connections. */
export interface OtherClient {
  /** Times of the calls since the last read, in ms; the maximum when there are few. */
  p99Ms(): number;
  stop(): Promise<void>;
}

export async function otherClient(kube: KubeApi, clock: Clock): Promise<OtherClient> {
  await kube.create(configMapType, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { at: '0' } });
  let times: number[] = [];
  const stopping = new AbortController();
  const call = async (at: number) => {
    const startedMs = clock.monotonicMs();
    if (at % 2 === 0) await kube.get(configMapType, key);
    else await kube.patch(configMapType, key, { type: 'merge', body: { data: { at: String(at) } } });
    times.push(clock.monotonicMs() - startedMs);
  };
  const calling = eachAtOnce(Array.from({ length: loops }).keys(), loops, async (loop) => {
    for (let at = loop; !stopping.signal.aborted; at++) {
      await call(at);
      await clock.sleep(pauseMs, stopping.signal).catch(() => {});
    }
  });
  return {
    p99Ms: () => {
      const sorted = times.sort((one, other) => one - other);
      times = [];
      return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
    },
    stop: async () => {
      stopping.abort();
      await calling;
    },
  };
}
