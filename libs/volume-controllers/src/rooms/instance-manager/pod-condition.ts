import type { Pod } from '@lateen/api-types';

/** The state of the pod of an instance manager. */
export type PodStanding =
  | { readonly kind: 'none' }
  /** It has ended and will not start again: evicted, refused by its kubelet, its node was shut down. */
  | { readonly kind: 'ended'; readonly reason: string; readonly message: string }
  | { readonly kind: 'starting'; readonly reason: string; readonly message: string }
  /** `ready`: it answers its kubelet. A running pod may not answer for a moment while its program restarts. */
  | { readonly kind: 'runs'; readonly ip: string; readonly ready: boolean };

export function podStanding(pod: Pod | undefined): PodStanding {
  if (pod === undefined) return { kind: 'none' };
  const { phase = 'Pending', reason = '', message = '', podIP = '', conditions = [] } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded')
    return { kind: 'ended', reason: reason || `Pod${phase}`, message: message || `the pod has ended: ${phase}` };
  const [container] = pod.status?.containerStatuses ?? [];
  if (container?.state?.running !== undefined && podIP !== '') {
    const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    return { kind: 'runs', ip: podIP, ready };
  }
  const waiting = container?.state?.waiting;
  const unmet = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const last = container?.state?.terminated ?? container?.lastState?.terminated;
  return {
    kind: 'starting',
    reason: waiting?.reason ?? unmet?.reason ?? last?.reason ?? phase,
    message: waiting?.message ?? unmet?.message ?? last?.message ?? `the pod is ${phase}`,
  };
}
