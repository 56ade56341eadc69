import { AppError, describeError } from '@lateen/errors';
import { type Clock, systemClock } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText, type Unstructured } from '@lateen/kube';
import { inApplyOrder, isDefinition, typeOf } from './manifest-kinds.ts';
import { isWorkload } from './pod-template.ts';
import { waitForDefinition } from './wait-for-definition.ts';
import { waitForRollout } from './wait-for-rollout.ts';

export type ApplyEvent =
  | { kind: 'applied'; object: string; done: number; total: number }
  | { kind: 'waiting'; object: string }
  | { kind: 'ready'; object: string };

export interface ApplyOptions {
  signal: AbortSignal;
  clock?: Clock;
  onProgress?: (event: ApplyEvent) => void;
  /** How long definitions and workloads may take to become ready; default {@link applyLimits}. */
  readyTimeoutMs?: number;
  /** How long a pod that cannot start is watched before giving up on it. */
  hopelessAfterMs?: number;
}

/** Who owns the fields that our manifests set. */
const fieldManager = 'lateen-deploy';

/** Three minutes: a pod from a local image is ready in a second, but a machine that also builds may be slow. */
export const applyLimits = { readyTimeoutMs: 180_000, hopelessAfterMs: 8_000 } as const;

/**
 * Brings the cluster to the given objects by server-side apply, definitions first, workloads last, and waits until
 * every workload is rolled out. Fields that somebody else changed are taken back; fields that the manifests leave open
 * are left alone. May be repeated at any time; when it is aborted, what is applied stays.
 * @throws DEPLOY_APPLY_FAILED naming the object; ROLLOUT_FAILED or ROLLOUT_TIMED_OUT with the reason of the pod
 */
export async function applyManifests(
  kube: KubeApi,
  objects: readonly Unstructured[],
  options: ApplyOptions,
): Promise<void> {
  const { signal, onProgress = () => {}, clock = systemClock } = options;
  const limits = { ...applyLimits, ...options, clock, signal };
  const ordered = inApplyOrder(objects);
  const [definitions, others] = [ordered.filter(isDefinition), ordered.filter((object) => !isDefinition(object))];
  let done = 0;
  const applyAll = async (stage: readonly Unstructured[]): Promise<void> => {
    for (const object of stage) {
      await applyOne(kube, object, signal);
      done += 1;
      onProgress({ kind: 'applied', object: titleOf(object), done, total: ordered.length });
    }
  };
  await applyAll(definitions);
  for (const definition of definitions) await waitForDefinition(kube, definition, limits);
  await applyAll(others);
  await Promise.all(
    others.filter(isWorkload).map(async (workload) => {
      onProgress({ kind: 'waiting', object: titleOf(workload) });
      await waitForRollout(kube, workload, { ...limits, timeoutMs: limits.readyTimeoutMs });
      onProgress({ kind: 'ready', object: titleOf(workload) });
    }),
  );
}

async function applyOne(kube: KubeApi, object: Unstructured, signal: AbortSignal): Promise<void> {
  try {
    const patch = { type: 'apply', body: object, force: true } as const;
    await kube.patch(typeOf(object), keyOf(object), patch, { fieldManager, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('DEPLOY_APPLY_FAILED', `${titleOf(object)} was not accepted: ${describeError(error)}`, {
      cause: error,
    });
  }
}

const titleOf = (object: { kind: string; metadata: Unstructured['metadata'] }): string =>
  `${object.kind} ${keyText(keyOf(object))}`;
