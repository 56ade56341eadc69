import { type Backup, labels, type RestoreSpec } from '@lateen/api-types';
import { completeRestoreFilters } from '@lateen/item-filters';
import { parseDurationMs } from '@lateen/kernel';
import type { RestoreSettings } from '../restore-settings.ts';

/** Facts that the server writes into a restore. */
export interface RestoreFacts {
  settings: Pick<RestoreSettings, 'defaultItemOperationTimeout'>;
  /** The name of its backup, once that is known. */
  backupName: string | undefined;
  /** That backup, if it exists. */
  backup: Backup | undefined;
  /** The ConfigMap with the owner reference rules for it. */
  ownerRefConfigMap: string | undefined;
}

/** The spec that the server writes before a restore starts; the same for valid and invalid restores. Pure. */
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
