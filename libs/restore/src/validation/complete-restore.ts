import { type Backup, labels, type RestoreSpec } from '@lateen/api-types';
import { completeRestoreFilters } from '@lateen/item-filters';
import { parseDurationMs } from '@lateen/kernel';
import type { RestoreSettings } from '../restore-settings.ts';

/** What the server found out that becomes part of a restore. */
export interface RestoreFacts {
  settings: Pick<RestoreSettings, 'defaultItemOperationTimeout'>;
  /** The name of its backup, once that is known. */
  backupName: string | undefined;
  /** It, if it is there. */
  backup: Backup | undefined;
  /** The ConfigMap about owner references that holds for it. */
  ownerRefConfigMap: string | undefined;
}

/** The spec as the server writes it before a restore begins; the same whether the restore is valid or not. Pure. */
export function completeRestore(
  spec: RestoreSpec,
  { settings, backupName, backup, ownerRefConfigMap }: RestoreFacts,
): RestoreSpec {
  const scheduleName = spec.scheduleName || backup?.metadata.labels?.[labels.scheduleName];
  const timeoutMs = parseDurationMs(spec.itemOperationTimeout ?? '') ?? 0;
  return {
    ...completeRestoreFilters(spec),
    itemOperationTimeout:
      timeoutMs === 0 ? settings.defaultItemOperationTimeout : (spec.itemOperationTimeout as string),
    ...(backupName === undefined ? {} : { backupName }),
    ...(scheduleName ? { scheduleName } : {}),
    ...(ownerRefConfigMap === undefined ? {} : { ownerRefConfigMap }),
  };
}
