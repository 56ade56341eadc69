import { annotations, type Pod, pickKeys } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import type { NamedPod } from '../kinds/client-of.ts';

/**
 * State of a client pod as this node sees it. `absent`: it is on another node, or gone, or another pod has its name. `ended`: the
 * kubelet removes its volumes, or will soon. `waits`: its init container waits until its volumes are restored. `begun`: that wait
 * has ended, and its own containers use the volumes. `begun-without`: the same, but a person told it to stop waiting. `there`:
 * anything else.
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

/** Its init container has succeeded. Kubernetes restarts one that fails. */
export const hasWaited = ({ status }: Pod): boolean =>
  status?.initContainerStatuses?.some(
    ({ name, state }) => isRestoreWait({ name }) && state?.terminated?.exitCode === 0,
  ) === true;

/** An annotation tells the pod to start, whether or not its volumes have data. */
export const isToldToStart = ({ metadata }: Pod): boolean =>
  (metadata.annotations?.[annotations.startWithoutData] ?? '') !== '';

/** The only fields that are read of a pod of this node: a node has many pods, and most of them are no client. */
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
