import type { ObjectKey } from '@lateen/kube';
import { keyText } from '@lateen/kube';
import { apiTime, type ServerState } from './server-state.ts';
import { exactCopy } from './store.ts';

/** Status of a pod as a kubelet (or scheduler) reports it. */
export interface PodEnd {
  nodeName?: string;
  /** Termination message of each container that ends. */
  terminationMessage?: string;
  /** Default: 0 when Succeeded, 1 when Failed. */
  exitCode?: number;
  /** Reason of the ended containers: `OOMKilled`, `Error`, `Completed` … */
  containerReason?: string;
  /** Reason of the pod: `Evicted` … */
  reason?: string;
  message?: string;
  /** Why containers do not start: `ImagePullBackOff` … (phase Pending). */
  waiting?: { reason: string; message?: string };
  /** Extra conditions: `{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '…' }`. */
  conditions?: readonly Record<string, string>[];
}

interface PodShape {
  spec?: { nodeName?: string; containers?: { name: string; image?: string }[] };
  status?: Record<string, unknown>;
}

export function setPodPhase(state: ServerState, key: ObjectKey, phase: string, end: PodEnd): void {
  const entry = state.store.get('/Pod', key);
  if (entry === undefined) throw new Error(`there is no Pod ${keyText(key)} to move to ${phase}`);
  const pod = exactCopy(entry) as ReturnType<typeof exactCopy> & PodShape;
  const at = apiTime(state.clock);
  if (end.nodeName !== undefined) pod.spec = { ...pod.spec, nodeName: end.nodeName };
  const names = (pod.spec?.containers ?? [{ name: 'main' }]).map((container) => container.name);
  pod.status = {
    ...pod.status,
    phase,
    ...(phase === 'Pending' ? {} : { startTime: pod.status?.startTime ?? at }),
    ...(end.reason === undefined ? {} : { reason: end.reason }),
    ...(end.message === undefined ? {} : { message: end.message }),
    conditions: end.conditions ?? [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }],
    containerStatuses: names.map((name) => ({
      name,
      ready: phase === 'Running',
      restartCount: 0,
      state: containerState(phase, end, at),
    })),
  };
  state.store.put('/Pod', key, pod);
}

function containerState(phase: string, end: PodEnd, at: string): object {
  if (phase === 'Running') return { running: { startedAt: at } };
  if (phase !== 'Succeeded' && phase !== 'Failed') {
    return { waiting: end.waiting ?? { reason: 'ContainerCreating' } };
  }
  const failed = phase === 'Failed';
  return {
    terminated: {
      exitCode: end.exitCode ?? (failed ? 1 : 0),
      reason: end.containerReason ?? (failed ? 'Error' : 'Completed'),
      finishedAt: at,
      ...(end.terminationMessage === undefined ? {} : { message: end.terminationMessage }),
    },
  };
}
