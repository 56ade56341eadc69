import type { Unstructured } from '@lateen/api-types';
import { itemPaths } from '@lateen/archive';
import type { BackupOperation, ResourceIdentifier } from '@lateen/backup-store';
import { isAppError } from '@lateen/errors';
import { groupResourceText, isNotFound, stringify } from '@lateen/kube';
import type { BackupPorts } from '../backup-ports.ts';

export interface ReadAgain {
  /** Bodies by their path in the archive. */
  changes: Map<string, string>;
  items: Unstructured[];
  /** Objects that were deleted since, or whose kind is not served any more. */
  missing: ResourceIdentifier[];
}

/** How many objects are read at the same time. */
const atOnce = 16;

/** Reads the current state of objects that operations have changed. Each once, however many operations name it. */
export async function readAgain(
  { kube, discovery }: Pick<BackupPorts, 'kube' | 'discovery'>,
  operations: readonly BackupOperation[],
  signal: AbortSignal,
): Promise<ReadAgain> {
  const named = new Map<string, ResourceIdentifier>();
  for (const { spec } of operations)
    for (const item of spec.postOperationItems ?? []) named.set(Object.values(item).join('/'), item);
  const result: ReadAgain = { changes: new Map(), items: [], missing: [] };
  const all = [...named.values()];
  for (let at = 0; at < all.length; at += atOnce)
    await Promise.all(all.slice(at, at + atOnce).map((item) => readOne({ kube, discovery }, item, result, signal)));
  return result;
}

async function readOne(
  { kube, discovery }: Pick<BackupPorts, 'kube' | 'discovery'>,
  identifier: ResourceIdentifier,
  result: ReadAgain,
  signal: AbortSignal,
): Promise<void> {
  const { Group, Resource, Namespace, Name } = identifier;
  try {
    const type = await discovery.findResourceType(Group === '' ? Resource : `${Resource}.${Group}`, { signal });
    const key = type.namespaced ? { namespace: Namespace, name: Name } : { name: Name };
    const item = (await kube.get(type, key, { numbers: 'exact', signal })) as Unstructured;
    const place = {
      groupResource: groupResourceText(type),
      ...(type.namespaced ? { namespace: Namespace } : {}),
      name: Name,
      version: type.version,
      preferred: type.preferred,
    };
    const body = stringify(item);
    for (const path of itemPaths(place)) result.changes.set(path, body);
    result.items.push(item);
  } catch (error) {
    if (!isNotFound(error) && !isAppError(error, 'KUBE_RESOURCE_UNKNOWN')) throw error;
    result.missing.push(identifier);
  }
}
