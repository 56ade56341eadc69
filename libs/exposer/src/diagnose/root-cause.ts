import { claimHasFailed, claimIsPending } from './claim-causes.ts';
import type { Check, ExposureSeen } from './exposure-seen.ts';
import { type Finding, findingText } from './finding.ts';
import { nodeIsNotReady } from './node-causes.ts';
import { containerCannotStart, podCannotMount, podCannotRun, podIsPending, sandboxCannotBeMade } from './pod-causes.ts';
import { podIsNotScheduled, podIsOverlooked } from './scheduling-causes.ts';
import { snapshotHasFailed, snapshotIsPending } from './snapshot-causes.ts';
import { targetIsMissing, targetWaitsForConsumer } from './target-causes.ts';

/**
 * First what somebody has said is wrong, from the cause to the symptom: without its pod there is no volume, without a snapshot there is no volume, without a
 * volume the pod is not scheduled, on a node that is not ready nothing is mounted. kubelet makes a container only when all
 * volumes are mounted, so what a container says is newer than any trouble with a volume. Then what we are refused. Then whose
 * turn it is, when nobody says that anything is wrong. The first finding is the one to tell.
 */
const checks: readonly Check[] = [
  ({ lostVolume }) => lostVolume,
  snapshotHasFailed,
  claimHasFailed,
  podCannotRun,
  podIsNotScheduled,
  nodeIsNotReady,
  containerCannotStart,
  podCannotMount,
  sandboxCannotBeMade,
  ({ refused }) => refused,
  targetIsMissing,
  targetWaitsForConsumer,
  snapshotIsPending,
  claimIsPending,
  podIsOverlooked,
  podIsPending,
];

/** Why an exposure is not ready; undefined when nothing is found. Pure. */
export function findRootCause(seen: ExposureSeen): Finding | undefined {
  for (const check of checks) {
    const finding = check(seen);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** {@link findRootCause} as it stands in status.message: the cause, a full stop, the next step. */
export function rootCause(seen: ExposureSeen): string | undefined {
  const finding = findRootCause(seen);
  return finding && findingText(finding);
}
