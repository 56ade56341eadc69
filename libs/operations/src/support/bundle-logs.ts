import type { Pod } from '@lateen/api-types';
import { TailText } from '@lateen/kernel';
import { type KubeApi, keyOf, type PodLogs } from '@lateen/kube';
import type { BundlePart } from './bundle-file.ts';
import { bundleLimits } from './bundle-limits.ts';
import { podsOfInterest } from './bundle-objects.ts';
import type { Redactor } from './redactor.ts';

interface LogsOf {
  kube: KubeApi & PodLogs;
  redactor: Redactor;
  namespace: string;
  signal: AbortSignal;
}

/** The last lines of each container of our pods, and those before its last restart: `logs/NAMESPACE/POD/CONTAINER.log`. */
export async function* logParts(of: LogsOf): AsyncGenerator<BundlePart> {
  let pods: Pod[];
  try {
    pods = await podsOfInterest(of.kube, of.namespace, of.signal);
  } catch (error) {
    of.signal.throwIfAborted();
    return yield { path: `logs/${of.namespace}`, error };
  }
  for (const pod of pods.slice(0, bundleLimits.podsMax))
    for (const { container, previous } of runsOf(pod)) yield await logOf(of, pod, container, previous);
  const left = pods.length - bundleLimits.podsMax;
  if (left > 0) yield { path: `logs/${of.namespace}`, error: new Error(`logs of ${left} more pods were not read`) };
}

/** Runs of containers that have written a log. */
function runsOf({ spec, status }: Pod): { container: string; previous: boolean }[] {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const names = [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name);
  return names.flatMap((container) => {
    const restarts = statuses.find(({ name }) => name === container)?.restartCount ?? 0;
    return restarts > 0 ? [true, false].map((previous) => ({ container, previous })) : [{ container, previous: false }];
  });
}

async function logOf(of: LogsOf, pod: Pod, container: string, previous: boolean): Promise<BundlePart> {
  const { kube, redactor, namespace, signal } = of;
  const path = `logs/${namespace}/${pod.metadata.name}/${container}${previous ? '.previous' : ''}.log`;
  try {
    const options = { container, previous, tailLines: bundleLimits.logLinesMax, timestamps: true, signal };
    const text = await redactedTail(kube.stream(keyOf(pod), options), redactor);
    return { path, text, about: previous ? 'before the last restart' : 'log' };
  } catch (error) {
    signal.throwIfAborted();
    return { path, error };
  }
}

/** The end of a text, at most `logCharsMax` characters, with secrets redacted. @throws what `pieces` throws */
export async function redactedTail(pieces: AsyncIterable<Uint8Array>, redactor: Redactor): Promise<string> {
  const decoder = new TextDecoder();
  const tail = new TailText(bundleLimits.logCharsMax);
  for await (const piece of pieces) tail.push(decoder.decode(piece, { stream: true }));
  tail.push(decoder.decode());
  return redactor.text(tail.text());
}
