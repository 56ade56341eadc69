import { claimHasFailed, claimIsPending } from './claim-causes.ts';
import type { Check, ExposureSeen } from './exposure-seen.ts';
import { type Finding, findingText } from './finding.ts';
import { nodeIsNotReady } from './node-causes.ts';
import { containerCannotStart, podCannotMount, podCannotRun, podIsPending, sandboxCannotBeMade } from './pod-causes.ts';
import { podIsNotScheduled, podIsOverlooked } from './scheduling-causes.ts';
import { snapshotHasFailed, snapshotIsPending } from './snapshot-causes.ts';
import { targetIsMissing, targetWaitsForConsumer } from './target-causes.ts';

/**
 * First come reported problems, from cause to symptom: without its pod there is no volume, without a snapshot there is no volume,
 * without a volume the pod is not scheduled, and on a node that is not ready nothing is mounted. The kubelet creates a container
 * only when all volumes are mounted, so a container's message is newer than any problem with a volume. Then come refusals of the
 * API server. When no problem is reported, the last checks name the component that has to act next. The first finding is
 * returned.
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

/** {@link findRootCause} as text for status.message: the cause, a full stop, the next step. */
export function rootCause(seen: ExposureSeen): string | undefined {
  const finding = findRootCause(seen);
  return finding && findingText(finding);
}
