import { annotations, type Unstructured } from '@lateen/api-types';
import { type Logger, parseBoolean } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import type { ReadyObject } from './ready-object.ts';

/** Whether an object's status is restored: its annotation takes precedence over `spec.restoreStatus` (backup-and-restore.md section 14). */
export function restoresStatus(run: ItemRun, groupResource: string, object: Unstructured, log: Logger): boolean {
  const bySpec = run.filters.restoresStatus(groupResource);
  const said = object.metadata.annotations?.[annotations.restoreStatus];
  if (said === undefined) return bySpec;
  const asked = parseBoolean(said);
  if (asked === undefined)
    log.warn({ value: said }, `annotation ${annotations.restoreStatus} is neither true nor false, the spec decides`);
  return asked ?? bySpec;
}

/** Replaces the status that the cluster gave the object. A failure is a warning, because the object exists. */
export async function writeStatus(
  { ports: { kube } }: ItemRun,
  { type }: ReadyObject,
  created: Unstructured,
  status: unknown,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const body = [{ op: 'add', path: '/status', value: status }] as const;
  const subresource = type.subresources.includes('status') ? { subresource: 'status' } : {};
  try {
    await kube.patch(type, keyOf(created), { type: 'json', body }, { signal, ...subresource });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'status of the object could not be restored');
  }
}
