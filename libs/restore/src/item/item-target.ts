import { getValidName, labels, type Unstructured } from '@lateen/api-types';
import type { RestoreItemAct, RestoreItemOutcome } from '@lateen/backup-store';
import type { CatalogItem, RestoreEngineRequest } from '../engine/contract.ts';
import type { ItemRun } from '../engine/item-run.ts';

/** Where an object of the archive goes. */
export interface ItemTarget {
  readonly item: CatalogItem;
  readonly namespace: string | undefined;
  /** Another than in the backup for a volume whose name is taken. */
  readonly name: string;
}

export const targetOf = (run: ItemRun, item: CatalogItem, name = item.name): ItemTarget => ({
  item,
  namespace: item.namespace === undefined ? undefined : run.namespaces.mapped(item.namespace),
  name,
});

/** Fields that put a log line beside its object in the results of the restore: where it goes. */
export const logFieldsOf = ({ item, namespace, name }: ItemTarget) => ({
  resource: item.groupResource,
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

/** What became of it, as the files of a restore have it. */
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

/** By them users, and a restore that goes on after a restart, find what was restored (api.md section 14). */
export function restoreLabels({
  restore,
  backup,
}: Pick<RestoreEngineRequest, 'restore' | 'backup'>): Record<string, string> {
  return {
    [labels.backupName]: getValidName(backup.metadata.name ?? ''),
    [labels.restoreName]: getValidName(restore.metadata.name ?? ''),
  };
}

/** The object as it is wanted in the cluster: its place, and whose it is. */
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
