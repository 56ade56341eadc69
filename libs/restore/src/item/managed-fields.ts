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

/** The longest field manager name that the API server accepts. */
const managerCharsMax = 128;

/** How the field owners are restored. */
export interface FieldOwners {
  /** Field owners that are written after the object was created. */
  patched?: readonly unknown[];
  /** The only owner: the object is created under its name, which saves a call per object (docs/adr/0037). */
  fieldManager?: string;
}

/** The field owners of an object (`metadata.managedFields`). Owners of status fields are left out when the status is not restored. */
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

/** Writes the field owners. A failure is a warning: the owners are lost, but the object exists. */
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
