import type { Unstructured } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import { isSame } from './existing/merge-difference.ts';
import type { ReadyObject } from './ready-object.ts';

interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
}

/** Longest field manager that the API server takes. */
const managerCharsMax = 128;

/** How the owners of fields come back. */
export interface FieldOwners {
  /** Written after the object is created. */
  patched?: readonly unknown[];
  /** The one owner: the object is created in its name, which saves a call per object (docs/adr/0037). */
  fieldManager?: string;
}

/** The owners of the fields of an object (`metadata.managedFields`). Those of a status that does not come back do not come back either. */
export function fieldOwnersOf(object: Unstructured, withStatus: boolean): FieldOwners {
  const { managedFields } = object.metadata;
  if (!Array.isArray(managedFields)) return {};
  const owners = (managedFields as ManagedFields[]).filter(({ subresource }) => withStatus || subresource !== 'status');
  const [only] = owners;
  if (only === undefined) return {};
  const { manager = '', operation, subresource } = only;
  const isPlain = operation === 'Update' && (subresource ?? '') === '' && /^[\x20-\x7e]+$/.test(manager);
  if (owners.length === 1 && isPlain && manager.length <= managerCharsMax) return { fieldManager: manager };
  return { patched: owners };
}

/** A failure is a warning: who owned the fields is lost, the object is there. */
export async function patchFieldOwners(
  { ports: { kube } }: ItemRun,
  { type }: ReadyObject,
  created: Unstructured,
  managedFields: readonly unknown[],
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (isSame(created.metadata.managedFields, managedFields)) return;
  try {
    await kube.patch(type, keyOf(created), { type: 'merge', body: { metadata: { managedFields } } }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'owners of fields could not be written');
  }
}
