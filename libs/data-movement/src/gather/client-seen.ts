import { annotations, type Pod, pickKeys } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import type { NamedPod } from '../kinds/client-of.ts';

/**
 * What this node shows of a client pod. `absent`: it is elsewhere, or gone, or another one has its name. `ended`: kubelet takes its volumes
 * away, or will soon. `waits`: its init container waits for its volumes to be restored. `begun`: it has waited for them, and its own containers
 * use them. `begun-without`: the same, but somebody has told it to wait no longer. `there`: anything else.
 */
export type ClientState = 'absent' | 'ended' | 'waits' | 'begun' | 'begun-without' | 'there';

export function clientSeen(pod: Pod | undefined, named: NamedPod): ClientState {
  if (pod === undefined || pod.metadata.uid !== named.uid) return 'absent';
  if (hasEnded(pod)) return 'ended';
  if (restoreWaits(pod)) return 'waits';
  if (!hasWaited(pod)) return 'there';
  return isToldToStart(pod) ? 'begun-without' : 'begun';
}

const hasEnded = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';

const restoreWaits = ({ status }: Pod): boolean =>
  status?.initContainerStatuses?.some(({ name, state }) => isRestoreWait({ name }) && state?.running !== undefined) ===
  true;

/** Its init container has ended well. One that fails is begun again. */
export const hasWaited = ({ status }: Pod): boolean =>
  status?.initContainerStatuses?.some(
    ({ name, state }) => isRestoreWait({ name }) && state?.terminated?.exitCode === 0,
  ) === true;

/** Whether there is data for its volumes or not. */
export const isToldToStart = ({ metadata }: Pod): boolean =>
  (metadata.annotations?.[annotations.startWithoutData] ?? '') !== '';

/** All that is looked at of a pod of this node: a node has many, and most are nobody's client. */
export function clientPod(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = pod.metadata;
  const told = pickKeys(pod.metadata.annotations, [annotations.startWithoutData]);
  const kept = Object.keys(told).length === 0 ? undefined : told;
  const known = { name, namespace, uid, resourceVersion, deletionTimestamp, annotations: kept };
  const waiters = pod.status?.initContainerStatuses?.filter((each) => isRestoreWait(each)) ?? [];
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    spec: { containers: [] },
    status: {
      ...(pod.status?.phase === undefined ? {} : { phase: pod.status.phase }),
      initContainerStatuses: waiters.map(({ name: waiter, state }) => ({
        name: waiter,
        ...(state === undefined ? {} : { state }),
      })),
    },
  };
}
