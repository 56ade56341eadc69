import { type CoreEvent, eventType } from '@lateen/api-types';
import type { KubeApi, KubeObject } from '@lateen/kube';

/** The newest ones are among these; a namespace with more has other troubles. */
const eventsMax = 500;

/**
 * What the newest Warning about a workload or its pods says: `pod velero/agent-x: FailedMount: …`. A Deployment's pods
 * are made by a ReplicaSet, so its Warnings count too.
 */
export async function lastWarning(
  kube: KubeApi,
  workload: KubeObject,
  pods: readonly KubeObject[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name = '', namespace } = workload.metadata;
  const { items } = await kube.list(eventType, { namespace, fieldSelector: 'type=Warning', limit: eventsMax, signal });
  const podUids = new Set(pods.map(({ metadata }) => metadata.uid));
  const concerns = ({ involvedObject }: CoreEvent): boolean => {
    if (involvedObject.kind === 'Pod') return podUids.has(involvedObject.uid);
    if (involvedObject.kind === 'ReplicaSet') return involvedObject.name?.startsWith(`${name}-`) === true;
    return involvedObject.kind === workload.kind && involvedObject.name === name;
  };
  const [newest] = items.filter(concerns).sort((a, b) => timeOf(b) - timeOf(a));
  if (newest === undefined) return undefined;
  const { kind, name: about } = newest.involvedObject;
  return `${kind} ${namespace}/${about}: ${newest.reason ?? 'Warning'}: ${newest.message?.trim() ?? 'no message'}`;
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreEvent): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '') || 0;
}
