import type { Labels } from '@lateen/kube';
import { type RecurringJob, recurringJobOfLabel, storageLabels, storageLabelValues } from '@lateen/storage-types';

const { enabled, defaultGroup } = storageLabelValues;

export interface JobLabels {
  readonly labels: NonNullable<Labels>;
  readonly claimLabels?: NonNullable<Labels>;
}

/** The labels by which a volume takes part in a job. */
export interface PartInJob {
  /** Groups of the job that the volume is in; `default` for a volume without any label of a job or group. */
  readonly fromGroup: readonly string[];
  /** The volume names the job itself. */
  readonly fromJob: boolean;
}

/**
 * How a volume takes part in a job; undefined when the job is not for it. The labels of its claim count instead of its own where the claim says
 * so. A volume without any label of a job or group is in the group `default`.
 */
export function partInJob(job: RecurringJob, { labels, claimLabels }: JobLabels): PartInJob | undefined {
  const counts = claimLabels?.[storageLabels.recurringJobSource] === enabled ? claimLabels : labels;
  const named = Object.entries(counts).flatMap(([key, value]) => {
    const found = value === enabled ? recurringJobOfLabel(key) : undefined;
    return found === undefined ? [] : [found];
  });
  const asked = named.length === 0 ? [{ group: defaultGroup }] : named;
  const groups = job.spec.groups ?? [];
  const fromJob = asked.some((each) => 'job' in each && each.job === job.metadata.name);
  const fromGroup = asked.flatMap((each) => ('group' in each && groups.includes(each.group) ? [each.group] : []));
  return fromJob || fromGroup.length > 0 ? { fromGroup: fromGroup.sort(), fromJob } : undefined;
}

/** Whether a job is for a volume ({@link partInJob}). */
export const isForVolume = (job: RecurringJob, labels: JobLabels): boolean => partInJob(job, labels) !== undefined;
