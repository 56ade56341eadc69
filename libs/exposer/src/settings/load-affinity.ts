import { type NodeSelectorRequirement, nodeRequirements } from '@lateen/api-types';
import type { LoadAffinity } from './exposure-settings.ts';

/**
 * What a node must fulfil to run a hosting pod for a volume of this class: the entry of the class, else the first that
 * names no class, else nothing (api.md section 17.1). For an upload the class is that of the copy, after `backupPVC`.
 */
export function loadAffinityFor(
  entries: readonly LoadAffinity[] | undefined,
  storageClass: string,
): NodeSelectorRequirement[] {
  const entry =
    entries?.find((each) => (each.storageClass ?? '') === storageClass) ??
    entries?.find((each) => (each.storageClass ?? '') === '');
  return nodeRequirements(entry?.nodeSelector);
}
