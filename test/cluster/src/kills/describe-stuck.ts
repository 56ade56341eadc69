import { dataDownloadType, dataUploadType, eventType, podType } from '@lateen/api-types';
import { type KubeApi, keyOf, keyText } from '@lateen/kube';

/** Maximum number of events in the message; the newest ones. */
const eventsMax = 15;

/** The state of the pods and movements of a run, for the message of a round that did not end. Never throws. */
export async function describeStuck(kube: KubeApi, namespaces: readonly string[]): Promise<string> {
  const lines: string[] = [];
  try {
    for (const namespace of namespaces) {
      const [pods, events] = await Promise.all([
        kube.list(podType, { namespace }),
        kube.list(eventType, { namespace, limit: 500 }),
      ]);
      for (const pod of pods.items) {
        const waiting = pod.status?.containerStatuses?.flatMap(({ state }) => state?.waiting?.reason ?? []) ?? [];
        const where = pod.spec.nodeName ?? 'no node';
        lines.push(`pod ${keyText(keyOf(pod))} on ${where}: ${pod.status?.phase} ${waiting.join(' ')}`);
      }
      const newest = events.items.toSorted((a, b) => when(a).localeCompare(when(b))).slice(-eventsMax);
      for (const event of newest) lines.push(`${when(event)} ${event.involvedObject.name}: ${event.message}`);
      const movements = [
        ...(await kube.list(dataUploadType, { namespace })).items,
        ...(await kube.list(dataDownloadType, { namespace })).items,
      ];
      for (const { kind, metadata, status } of movements)
        lines.push(`${kind} ${metadata.name}: ${status?.phase} ${status?.message ?? ''}`);
    }
  } catch (error) {
    lines.push(`more could not be read: ${error}`);
  }
  return lines.join('\n');
}

const when = (event: { lastTimestamp?: string | null; eventTime?: string | null }): string =>
  event.lastTimestamp ?? event.eventTime ?? '';
