import { getValidName, labels, type Unstructured } from '@lateen/api-types';
import type { RestoreItemAct, RestoreItemOutcome } from '@lateen/backup-store';
import type { CatalogItem, RestoreEngineRequest } from '../engine/contract.ts';
import type { ItemRun } from '../engine/item-run.ts';

/** The namespace and name under which an object of the archive is restored. */
export interface ItemTarget {
  readonly item: CatalogItem;
  readonly namespace: string | undefined;
  /** Differs from the backup for a volume whose name is taken. */
  readonly name: string;
}

export const targetOf = (run: ItemRun, item: CatalogItem, name = item.name): ItemTarget => ({
  item,
  namespace: item.namespace === undefined ? undefined : run.namespaces.mapped(item.namespace),
  name,
});

/** Log fields by which the results of the restore assign a line to its object: the object's target. */
export const logFieldsOf = ({ item, namespace, name }: ItemTarget) => ({
  resource: item.groupResource,
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

/** The outcome of an item in the form of the restore's files. */
export interface ItemEnd {
  act: RestoreItemAct;
  reason?: string | undefined;
  by?: string | undefined;
}

export function outcomeOf({ item, namespace, name }: ItemTarget, { act, reason, by }: ItemEnd): RestoreItemOutcome {
  return {
    apiVersion: item.apiVersion,
    kind: item.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(item.namespace === undefined || item.namespace === namespace ? {} : { sourceNamespace: item.namespace }),
    ...(item.name === name ? {} : { sourceName: item.name }),
    act,
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
  };
}

/** Labels by which users, and a restore that continues after a restart, find restored objects (api.md section 14). */
export function restoreLabels({
  restore,
  backup,
}: Pick<RestoreEngineRequest, 'restore' | 'backup'>): Record<string, string> {
  return {
    [labels.backupName]: getValidName(backup.metadata.name ?? ''),
    [labels.restoreName]: getValidName(restore.metadata.name ?? ''),
  };
}

/** The object with its target namespace and name and the labels of the restore. */
export function placed(run: ItemRun, { namespace, name }: ItemTarget, object: Unstructured): Unstructured {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata.labels, ...restoreLabels(run.request) },
    },
  };
}
