import { isAppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { lead } from '@lateen/kube-runtime';
import { managerLease, managerLeaseName } from '@lateen/volume-decisions';

export interface HoldLeaseOptions {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A renewal later than this counts as a new claim. */
const renewDeadlineMs = 25_000;

/**
 * Renews the Lease of this manager until `signal` aborts, then releases it. A lost Lease (the API server was down) is claimed again: the loops
 * continue meanwhile, because all their writes are guarded. The holder is the node, so that a recreated pod has its Lease at once.
 */
export async function holdManagerLease(options: HoldLeaseOptions, signal: AbortSignal): Promise<void> {
  const { kube, node, log } = options;
  const lease = {
    ...options,
    api: kube,
    name: managerLeaseName(node),
    identity: node,
    leaseDurationMs: managerLease.durationMs,
    renewDeadlineMs,
    retryPeriodMs: managerLease.renewMs,
  };
  const untilLost = (lost: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (lost.aborted) resolve();
      else lost.addEventListener('abort', () => resolve(), { once: true });
    });
  while (!signal.aborted) {
    try {
      await lead(lease, untilLost, signal);
    } catch (error) {
      if (!isAppError(error, 'LEADERSHIP_LOST')) throw error;
      log.warn({ err: error }, 'the lease of this manager is lost: other managers may take over its objects');
    }
  }
}
