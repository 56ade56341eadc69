import { type NodeSelectorRequirement, nodeRequirements } from '@lateen/api-types';
import type { LoadAffinity } from './exposure-settings.ts';

/**
 * The node requirements of a hosting pod for a volume of this class: the entry of the class, otherwise the first entry that names
 * no class, otherwise none (api.md section 17.1). For an upload the class is that of the copy, after `backupPVC`.
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
