import type { ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { isGone, type KubeApi, keyOf, keyText } from '@lateen/kube';
import type { Workload } from '../render/pod-template.ts';
import { lastWarning } from './last-warning.ts';
import { typeOf } from './manifest-kinds.ts';
import { type BlockedPod, whatBlocks } from './pod-blocker.ts';
import { type RolloutObject, whatIsMissing } from './rollout-state.ts';

export interface RolloutOptions {
  signal: AbortSignal;
  clock: Clock;
  /** How long all pods may take to become available. */
  timeoutMs: number;
  /** A pod that cannot start must stay so for this long: right after a change, pods of the old template are seen too. */
  hopelessAfterMs: number;
  /** Told what is missing, and why as far as it is known, whenever that changes. */
  onWaiting?: (missing: string) => void;
}

/** A watch ends after this long, so that pods are checked again even when their workload's status stands still. */
const watchSeconds = 2;

const pods: ResourceType<BlockedPod> = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/**
 * Resolves when every pod of the workload runs the newest template and is available. Changes nothing; may be repeated.
 * @throws ROLLOUT_FAILED as soon as a pod cannot start, ROLLOUT_TIMED_OUT; both name pod, container and reason. The
 * signal's reason when it aborts.
 */
export async function waitForRollout(kube: KubeApi, workload: Workload, options: RolloutOptions): Promise<void> {
  const type: ResourceType<RolloutObject> = typeOf(workload);
  const name = `${workload.kind} ${keyText(keyOf(workload))}`;
  const deadline = options.clock.deadline(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  let blocker: string | undefined;
  let missing: string | undefined;
  let hopelessSinceMs: number | undefined;
  let said: string | undefined;
  try {
    for (;;) {
      const object = await kube.get(type, keyOf(workload), { signal });
      missing = whatIsMissing(object);
      if (missing === undefined) return;
      const found = await firstBlocker(kube, workload, signal);
      blocker = found?.text;
      const text = blocker === undefined ? missing : `${missing}: ${blocker}`;
      if (text !== said) options.onWaiting?.(text);
      said = text;
      hopelessSinceMs = found?.hopeless ? (hopelessSinceMs ?? options.clock.monotonicMs()) : undefined;
      if (hopelessSinceMs !== undefined && options.clock.monotonicMs() - hopelessSinceMs >= options.hopelessAfterMs)
        throw new AppError('ROLLOUT_FAILED', `${name} cannot start: ${blocker}`);
      await nextChange(kube, type, object, signal);
    }
  } catch (error) {
    if (options.signal.aborted || !deadline.aborted) throw error;
    throw new AppError(
      'ROLLOUT_TIMED_OUT',
      `${name} is not ready after ${durationText(options.timeoutMs)}: ${missing}`,
      {
        cause: blocker === undefined ? error : new Error(blocker),
        retry: 'later',
      },
    );
  }
}

async function firstBlocker(kube: KubeApi, workload: Workload, signal: AbortSignal) {
  const labelSelector = Object.entries(workload.spec.selector.matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const page = await kube.list(pods, { namespace: workload.metadata.namespace, labelSelector, signal });
  const present = page.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const found = present.map(whatBlocks);
  const known = found.find((it) => it?.hopeless) ?? found.find((it) => it !== undefined);
  if (known !== undefined) return known;
  // A refused pod, or one whose volume cannot be mounted, is reported in Events only.
  const text = await lastWarning(kube, workload, present, signal);
  return text === undefined ? undefined : { text, hopeless: false };
}

/** Resolves with the object's next event, or after a bounded time without one. */
async function nextChange(
  kube: KubeApi,
  type: ResourceType<RolloutObject>,
  { metadata }: RolloutObject,
  signal: AbortSignal,
): Promise<void> {
  try {
    const events = kube.watch(type, {
      namespace: metadata.namespace,
      fieldSelector: `metadata.name=${metadata.name}`,
      resourceVersion: metadata.resourceVersion ?? '',
      timeoutSeconds: watchSeconds,
      signal,
    });
    for await (const event of events) if (event.type !== 'BOOKMARK') return;
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
