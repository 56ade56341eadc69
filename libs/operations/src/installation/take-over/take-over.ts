import type { KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import { applyManifests, titleOf, typeOf } from '@lateen/manifests';
import { removeWorkload } from '../uninstall/remove-object.ts';
import type { Waiting } from '../uninstall/until-gone.ts';
import { endWork, waitForWork } from './end-work.ts';
import type { TakeOverPlan } from './plan-take-over.ts';
import { isOurs, type ReferenceInstallation } from './reference-installation.ts';
import { mergedRecord, recordSecret } from './replaced-record.ts';
import { titleOfWork } from './unfinished-work.ts';
import type { WideBinding } from './wide-bindings.ts';

export interface TakeOverOptions extends Waiting {
  kube: KubeApi;
  clock: Clock;
  /** End work that has not ended after the time-out. */
  force: boolean;
  /** Called after each step: `removed  Deployment velero/velero`. */
  onDone: (verb: 'ended' | 'removed' | 'narrowed' | 'saved', title: string) => void;
}

/**
 * Removes a Velero installation from its namespace, up to the point where Lateen can be installed: waits for running work, saves what is
 * replaced, deletes the workloads and removes rights that are too wide. Everything else stays. It may be interrupted at any point: the next
 * run continues from the state that it finds and the record.
 * @throws AppError TAKE_OVER_BUSY (nothing is changed), REMOVAL_STUCK
 */
export async function takeOver(
  found: ReferenceInstallation,
  plan: TakeOverPlan,
  options: TakeOverOptions,
): Promise<void> {
  const { kube, signal, onDone } = options;
  const { namespaceName } = found;
  const workloads = [...plan.replace, ...plan.remove];
  // When Lateen itself runs already and only rights are narrowed, the unfinished work is its own.
  const isTheirs = workloads.length + found.unfinished.length > 0;
  if (isTheirs) await waitForWork(namespaceName, options.force, options);
  await saveRecord(found, plan, options);
  for (const workload of workloads) {
    await removeWorkload(workload, options);
    onDone('removed', titleOf(workload));
  }
  // Includes work that has started since the first look.
  if (isTheirs) for (const work of await endWork(namespaceName, options)) onDone('ended', titleOfWork(work));
  // Rights are narrowed before any workload of ours runs as these accounts.
  for (const binding of plan.bindings) await narrow(kube, binding, options, signal);
}

async function saveRecord(found: ReferenceInstallation, plan: TakeOverPlan, options: TakeOverOptions): Promise<void> {
  const { replace, remove, bindings, carried } = plan;
  const gone: KubeObject[] = [...bindings.map(({ binding }) => binding), ...replace, ...remove];
  if (gone.length === 0) return;
  const { namespace, namespaceName, record } = found;
  const objects = [...(namespace !== undefined && hasTheirLabels(namespace, found) ? [namespace] : []), ...gone];
  const secret = recordSecret(namespaceName, mergedRecord(record, objects, carried.settings));
  const { kube, clock, signal } = options;
  await applyManifests(kube, [{ ...secret }], { clock, signal, waitForWorkloads: false });
  options.onDone('saved', titleOf(secret));
}

/** Install gives the namespace labels of ours after it was recorded: labels read later are no way back. */
const hasTheirLabels = (namespace: KubeObject, { server, agents, record }: ReferenceInstallation): boolean =>
  !isOurs(namespace) ||
  ((server !== undefined || agents.length > 0) && record?.objects.some(({ kind }) => kind === 'Namespace') !== true);

async function narrow(
  kube: KubeApi,
  { binding, others }: WideBinding,
  { onDone }: TakeOverOptions,
  signal: AbortSignal,
): Promise<void> {
  const [type, key] = [typeOf(binding), keyOf(binding)];
  const { uid = '', resourceVersion = '' } = binding.metadata;
  const title = `ClusterRoleBinding ${key.name}`;
  try {
    if (others.length === 0) await kube.delete(type, key, { signal, preconditions: { uid, resourceVersion } });
    else
      await kube.patch(
        type,
        key,
        { type: 'merge', body: { metadata: { resourceVersion }, subjects: others } },
        { signal },
      );
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError('BINDING_NOT_NARROWED', `${title} could not be changed`, {
      cause,
      nextStep: 'Run the same command again: it continues where it stopped, and reads the binding again.',
    });
  }
  onDone(others.length === 0 ? 'removed' : 'narrowed', title);
}
