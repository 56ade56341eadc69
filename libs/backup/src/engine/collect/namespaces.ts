import type { Namespace } from '@lateen/api-types';
import type { BackupFilters } from '@lateen/item-filters';
import type { Logger } from '@lateen/kernel';
import type { Item } from '../items/item.ts';
import type { ItemRecord } from '../items/item-record.ts';

/** The Namespace objects of a page that are stored: those that the filters choose, or that an item of the backup lives in. */
export function keptNamespaces(items: readonly Item[], filters: BackupFilters, record: ItemRecord): Item[] {
  return items.filter(
    (item) => filters.decideNamespace(item.object as unknown as Namespace, record.hasItemsIn(item.name)).included,
  );
}

/**
 * Logs namespaces that the backup should have and does not: those that were named and do not exist, and those that were deleted while it
 * ran (an error when they were named, a warning when a glob matched them).
 */
export function tellMissingNamespaces(
  filters: Pick<BackupFilters, 'namespaces' | 'missingNamespaces'>,
  included: readonly string[],
  present: ReadonlySet<string>,
  log: Logger,
): void {
  for (const namespace of filters.missingNamespaces) tellMissing(namespace, log);
  if (included.length === 0 || included.includes('*')) return;
  for (const namespace of filters.namespaces) {
    if (present.has(namespace)) continue;
    if (included.includes(namespace)) tellMissing(namespace, log);
    else log.warn({ resource: 'namespaces', name: namespace }, 'namespace was deleted while it was backed up');
  }
}

function tellMissing(namespace: string, log: Logger): void {
  const message = `fail to get the namespace ${namespace} specified in backup.Spec.IncludedNamespaces`;
  log.error({ resource: 'namespaces', name: namespace }, message);
}
