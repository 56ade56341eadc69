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

/** A renewal that comes later than this is another claim. */
const renewDeadlineMs = 25_000;

/**
 * Renews the Lease of this manager while `signal` lives, and gives it back then. One that is lost (the API server was away) is claimed again:
 * the loops go on meanwhile, since every write of theirs is guarded. The holder is the node, so that a pod which is made anew has its Lease at
 * once.
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
      log.warn({ err: error }, 'the lease of this manager is lost: others may take over what it looks after');
    }
  }
}
