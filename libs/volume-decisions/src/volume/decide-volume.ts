import type { VolumeStatus } from '@lateen/storage-types';
import type { Decision } from '../decision/decision.ts';
import { attach } from './steps/attach.ts';
import { balance } from './steps/balance.ts';
import { conditions } from './steps/conditions.ts';
import { content } from './steps/content.ts';
import { lookForData } from './steps/data-missing.ts';
import { deleted } from './steps/deleted.ts';
import { detach } from './steps/detach.ts';
import { fold, healthyReplicas } from './steps/fold.ts';
import { grow } from './steps/grow.ts';
import { localReplica } from './steps/local-replica.ts';
import { lostHosts } from './steps/lost-hosts.ts';
import { rebuild } from './steps/rebuild.ts';
import { recurringJobs } from './steps/recurring-jobs.ts';
import { remount } from './steps/remount.ts';
import { replicaObjects, spareReplicas } from './steps/replica-objects.ts';
import { robustness, salvage } from './steps/safety.ts';
import { schedule } from './steps/schedule.ts';
import { unsupported } from './steps/unsupported.ts';
import type { VolumeEffect } from './volume-effect.ts';
import type { StepResult, VolumeSeen, VolumeStep } from './volume-seen.ts';

/** The order is policy: nothing starts before failures are recorded, nothing new is made before it is known what is safe. */
export const volumeSteps: readonly VolumeStep[] = [
  deleted,
  lookForData,
  unsupported,
  fold,
  healthyReplicas,
  recurringJobs,
  content,
  lostHosts,
  robustness,
  salvage,
  replicaObjects,
  schedule,
  grow,
  detach,
  attach,
  remount,
  rebuild,
  localReplica,
  balance,
  spareReplicas,
  conditions,
];

type VolumeDecision = Decision<VolumeStatus, VolumeEffect>;

/** The next step for a volume, from the gathered facts. The same objects give the same result; nothing when all is as wanted. */
export function decideVolume(
  seen: VolumeSeen,
  nowMs: number,
  steps: readonly VolumeStep[] = volumeSteps,
): VolumeDecision {
  let decision: VolumeDecision = { status: seen.volume.status ?? {}, effects: [], events: [] };
  for (const step of steps) {
    const result = step(seen, decision.status, nowMs);
    if (result === undefined) continue;
    decision = joined(decision, result);
    if (result.ends === true) break;
  }
  return decision;
}

function joined(decision: VolumeDecision, { status, effects, events, again, waitsFor }: StepResult): VolumeDecision {
  const sooner = decision.again === undefined || (again?.afterMs ?? Number.POSITIVE_INFINITY) < decision.again.afterMs;
  const waits = [decision.waitsFor, waitsFor].filter((text) => text !== undefined).join('; ');
  return {
    ...decision,
    status: { ...decision.status, ...status },
    effects: [...decision.effects, ...(effects ?? [])],
    events: [...decision.events, ...(events ?? [])],
    ...(again !== undefined && sooner ? { again } : {}),
    ...(waits === '' ? {} : { waitsFor: waits }),
  };
}
