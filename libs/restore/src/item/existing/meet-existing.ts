import type { Unstructured } from '@lateen/api-types';
import { type Logger, retry } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';
import type { ItemRun } from '../../engine/item-run.ts';
import { writeRetries } from '../../engine/write-retries.ts';
import { failureEnd } from '../failure-kind.ts';
import { type ItemEnd, restoreLabels } from '../item-target.ts';
import type { ReadyObject } from '../ready-object.ts';
import { resetObject } from '../reset-object.ts';
import { asBeforeScaling } from './before-scaling.ts';
import { desiredState } from './desired-state.ts';
import { differingFields, mergeDifference } from './merge-difference.ts';
import { mergeServiceAccount } from './merge-service-account.ts';

/** How many changed fields are named: enough to see the kind of difference, because a plan has thousands of lines. */
const fieldsNamedMax = 5;

/**
 * Handles an object that is in the cluster already (backup-and-restore.md section 14): nothing is done when it equals the backup; a
 * ServiceAccount gets what it lacks; others are changed only by the policy `update`. @throws only the signal's reason
 */
export async function meetExisting(
  run: ItemRun,
  ready: ReadyObject,
  existing: Unstructured,
  log: Logger,
  signal: AbortSignal,
): Promise<ItemEnd> {
  const inCluster = asBeforeScaling(run.request.restore, comparable(run, existing), ready.wanted);
  const desired = desiredState(inCluster, ready);
  const difference = mergeDifference(inCluster, desired);
  const policy = run.request.restore.spec.existingResourcePolicy ?? '';
  if (difference === undefined) {
    log.info({}, 'object is in the cluster as the backup has it');
    if (policy === 'update') await writeLabels(run, ready, existing, log, signal);
    return { act: 'unchanged' };
  }
  if (ready.target.item.groupResource === 'serviceaccounts') {
    const missing = mergeDifference(inCluster, mergeServiceAccount(inCluster, desired));
    return missing === undefined ? { act: 'unchanged' } : await change(run, ready, missing, log, signal);
  }
  const reason = `it differs in ${fieldsText(difference)}`;
  if (policy !== 'update') {
    log.warn({ reason }, existsText(policy, existing));
    return { act: 'conflict', reason };
  }
  const end = await change(run, ready, withLabels(run, difference), log, signal);
  if (end.act !== 'update') await writeLabels(run, ready, existing, log, signal);
  return end.act === 'update' ? { ...end, reason } : end;
}

/** The object without fields that the server writes, and with the labels that the restore would add. */
function comparable(run: ItemRun, existing: Unstructured): Unstructured {
  const { managedFields: _, ...metadata } = resetObject(existing).metadata;
  return {
    ...resetObject(existing),
    metadata: { ...metadata, labels: { ...metadata.labels, ...restoreLabels(run.request) } },
  };
}

/** Velero's texts, which differ with and without a policy. */
function existsText(policy: string, { kind, metadata: { name } }: Unstructured): string {
  const what = policy === '' ? `${kind}:${name}` : `${kind} "${name}"`;
  return `could not restore, ${what} already exists. Warning: the in-cluster version is different than the backed-up version`;
}

function fieldsText(difference: Record<string, unknown>): string {
  const fields = differingFields(difference);
  const more = fields.length - fieldsNamedMax;
  return `${fields.slice(0, fieldsNamedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const withLabels = (run: ItemRun, difference: Record<string, unknown>): Record<string, unknown> => {
  const metadata = (difference.metadata ?? {}) as Record<string, unknown>;
  const labels = (metadata.labels ?? {}) as Record<string, unknown>;
  return { ...difference, metadata: { ...metadata, labels: { ...labels, ...restoreLabels(run.request) } } };
};

/** Changes the object. When the API server refuses, a warning is logged and the object stays as it is. */
async function change(
  run: ItemRun,
  ready: ReadyObject,
  body: Record<string, unknown>,
  log: Logger,
  signal: AbortSignal,
): Promise<ItemEnd> {
  try {
    await patch(run, ready, body, signal);
    log.info({}, 'object was in the cluster and has been updated');
    return { act: 'update' };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'object is in the cluster and could not be updated');
    const end = failureEnd(error);
    return end.act === 'fail' ? { ...end, act: 'conflict' } : end;
  }
}

/** Writes the labels of the restore alone, for an object whose other changes were refused. */
async function writeLabels(
  run: ItemRun,
  ready: ReadyObject,
  { metadata }: Unstructured,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const labels = restoreLabels(run.request);
  if (Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)) return;
  try {
    await patch(run, ready, { metadata: { labels } }, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'labels of the backup and the restore could not be written');
  }
}

async function patch(
  { ports: { kube, clock, random, dryRun } }: ItemRun,
  { type, target: { namespace, name } }: ReadyObject,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<void> {
  const key = namespace === undefined ? { name } : { namespace, name };
  try {
    const write = () => kube.patch(type, key, { type: 'merge', body }, { signal, ...(dryRun ? { dryRun } : {}) });
    await retry({ clock, random }, writeRetries, write, signal);
  } catch (error) {
    // In a plan the object's namespace may not exist yet, so a dry run gets "not found".
    if (!dryRun || !isNotFound(error)) throw error;
  }
}
