import type { Labels } from '@lateen/kube';
import { type RecurringJob, recurringJobOfLabel, storageLabels, storageLabelValues } from '@lateen/storage-types';

const { enabled, defaultGroup } = storageLabelValues;

export interface JobLabels {
  readonly labels: NonNullable<Labels>;
  readonly claimLabels?: NonNullable<Labels>;
}

/**
 * Whether a job is for a volume. The labels of its claim count instead of its own where the claim says so. A volume without any label of
 * a job or group is in the group `default`.
 */
export function isForVolume(job: RecurringJob, { labels, claimLabels }: JobLabels): boolean {
  const counts = claimLabels?.[storageLabels.recurringJobSource] === enabled ? claimLabels : labels;
  const named = Object.entries(counts).flatMap(([key, value]) => {
    const found = value === enabled ? recurringJobOfLabel(key) : undefined;
    return found === undefined ? [] : [found];
  });
  const groups = job.spec.groups ?? [];
  if (named.length === 0) return groups.includes(defaultGroup);
  return named.some((each) => ('job' in each ? each.job === job.metadata.name : groups.includes(each.group)));
}
