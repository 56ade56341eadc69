import { isDeepStrictEqual } from 'node:util';
import { AppError, describeError } from '@lateen/errors';
import { type Clock, systemClock } from '@lateen/kernel';
import { type KubeApi, keyOf, readObject, type Unstructured } from '@lateen/kube';
import { isWorkload, type Workload } from '../render/pod-template.ts';
import { changedFields } from './changed-fields.ts';
import { inApplyOrder, isDefinition, titleOf, typeOf } from './manifest-kinds.ts';
import { waitForDefinition } from './wait-for-definition.ts';
import { waitForRollout } from './wait-for-rollout.ts';

export type ApplyChange = 'created' | 'configured' | 'unchanged';

export type ApplyEvent =
  /**
   * `fields`: what a configured object now has differently, see {@link changedFields}. `keepsPods`: it is a workload that was there with the same pods,
   * which go on as they are.
   */
  | {
      kind: 'applied';
      object: string;
      change: ApplyChange;
      fields: string[];
      keepsPods: boolean;
      done: number;
      total: number;
    }
  /** Repeated when what is missing changes. */
  | { kind: 'waiting'; object: string; missing?: string }
  | { kind: 'ready'; object: string };

export interface ApplyOptions {
  signal: AbortSignal;
  clock?: Clock;
  onProgress?: (event: ApplyEvent) => void;
  /** Wait for the workloads too; default true. Definitions are always waited for: their objects come next. */
  waitForWorkloads?: boolean;
  /** How long definitions and workloads may take to become ready; default {@link applyLimits}. */
  readyTimeoutMs?: number;
  /** How long a pod that cannot start is watched before giving up on it. */
  hopelessAfterMs?: number;
}

/** Who owns the fields that our manifests set; the name that the first versions used, so that they own them still. */
const fieldManager = 'lateen-deploy';

/** Three minutes: a pod from a local image is ready in a second, but a machine that also builds may be slow. */
export const applyLimits = { readyTimeoutMs: 180_000, hopelessAfterMs: 8_000 } as const;

/**
 * Brings the cluster to the given objects by server-side apply, definitions first, workloads last, and waits until
 * every workload is rolled out. Fields that another client changed are reset; fields that the manifests leave open
 * are left alone. May be repeated at any time; when it fails or is aborted, what is applied stays.
 * @throws DEPLOY_APPLY_FAILED naming the object and how far it came; ROLLOUT_FAILED or ROLLOUT_TIMED_OUT with the reason
 * of the pod
 */
export async function applyManifests(
  kube: KubeApi,
  objects: readonly Unstructured[],
  options: ApplyOptions,
): Promise<void> {
  const { signal, onProgress = () => {}, clock = systemClock, waitForWorkloads = true } = options;
  const limits = { ...applyLimits, ...options, clock, signal };
  const ordered = inApplyOrder(objects);
  const [definitions, others] = [ordered.filter(isDefinition), ordered.filter((object) => !isDefinition(object))];
  let done = 0;
  const applyAll = async (stage: readonly Unstructured[]): Promise<void> => {
    for (const object of stage) {
      const applied = await applyOne(kube, object, { signal, done, total: ordered.length });
      done += 1;
      onProgress({ kind: 'applied', object: titleOf(object), ...applied, done, total: ordered.length });
    }
  };
  await applyAll(definitions);
  for (const definition of definitions) await waitForDefinition(kube, definition, limits);
  await applyAll(others);
  if (waitForWorkloads) await waitForRollouts(kube, others, options);
}

/**
 * Resolves when every workload among the objects is rolled out. Changes nothing.
 * @throws ROLLOUT_FAILED or ROLLOUT_TIMED_OUT with the reason of the pod
 */
export async function waitForRollouts(
  kube: KubeApi,
  objects: readonly Unstructured[],
  options: Omit<ApplyOptions, 'waitForWorkloads'>,
): Promise<void> {
  const { onProgress = () => {}, clock = systemClock } = options;
  const limits = { ...applyLimits, ...options, clock };
  await Promise.all(
    objects.filter(isWorkload).map(async (workload) => {
      const object = titleOf(workload);
      onProgress({ kind: 'waiting', object });
      const onWaiting = (missing: string): void => onProgress({ kind: 'waiting', object, missing });
      await waitForRollout(kube, workload, { ...limits, timeoutMs: limits.readyTimeoutMs, onWaiting });
      onProgress({ kind: 'ready', object });
    }),
  );
}

/** The fields whose change makes a workload restart its pods. */
const podsOf = ({ spec }: Workload): object => spec.template;

async function applyOne(
  kube: KubeApi,
  object: Unstructured,
  { signal, done, total }: { signal: AbortSignal; done: number; total: number },
): Promise<{ change: ApplyChange; fields: string[]; keepsPods: boolean }> {
  try {
    const before = await readObject(kube, typeOf(object), keyOf(object), signal);
    const patch = { type: 'apply', body: object, force: true } as const;
    const after = await kube.patch(typeOf(object), keyOf(object), patch, { fieldManager, signal });
    if (before === undefined) return { change: 'created', fields: [], keepsPods: false };
    const fields = changedFields(before, after);
    const keepsPods = isWorkload(before) && isWorkload(after) && isDeepStrictEqual(podsOf(before), podsOf(after));
    return { change: fields.length === 0 ? 'unchanged' : 'configured', fields, keepsPods };
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('DEPLOY_APPLY_FAILED', `${titleOf(object)} was not accepted: ${describeError(error)}`, {
      cause: error,
      nextStep: `${done} of ${total} objects are in place and stay; correct the cause and run the same command again.`,
    });
  }
}
