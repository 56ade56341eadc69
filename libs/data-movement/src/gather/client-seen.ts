import type { Pod } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import type { NamedPod } from '../kinds/client-of.ts';

/**
 * What this node shows of a client pod. `absent`: it is elsewhere, or gone, or another one has its name. `ended`: kubelet takes its volumes
 * away, or will soon. `waits`: its init container waits for its volumes to be restored. `there`: anything else.
 */
export type ClientState = 'absent' | 'ended' | 'waits' | 'there';

export function clientSeen(pod: Pod | undefined, named: NamedPod): ClientState {
  if (pod === undefined || pod.metadata.uid !== named.uid) return 'absent';
  if (hasEnded(pod)) return 'ended';
  return restoreWaits(pod) ? 'waits' : 'there';
}

const hasEnded = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';

const restoreWaits = ({ status }: Pod): boolean =>
  status?.initContainerStatuses?.some(({ name, state }) => isRestoreWait({ name }) && state?.running !== undefined) ===
  true;

/** All that is looked at of a pod of this node: a node has many, and most are nobody's client. */
export function clientPod(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = pod.metadata;
  const known = { name, namespace, uid, resourceVersion, deletionTimestamp };
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
