import { recurringJobOfLabel, storageLabelValues, type Volume } from '@lateen/storage-types';
import { type Resource, resource } from '../../envelope/resource.ts';

/** The recurring jobs and groups that a volume's labels name. */
export function volumeJobResources({ metadata }: Volume, base: string): Resource[] {
  return Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    const named = value === storageLabelValues.enabled ? recurringJobOfLabel(key) : undefined;
    if (named === undefined) return [];
    const name = 'job' in named ? named.job : named.group;
    return [resource({ type: 'volumeRecurringJob', id: name, fields: { name, isGroup: 'group' in named } }, base)];
  });
}
