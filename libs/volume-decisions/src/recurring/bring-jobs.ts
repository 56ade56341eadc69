import {
  type RecurringJobSpec,
  recurringJobGroupLabel,
  recurringJobLabel,
  storageLabelValues,
} from '@lateen/storage-types';
import { checkRecurringJob, normalizedRecurringJob } from '../checks/recurring-job-checks.ts';
import type { StoredJobsSeen } from '../content/restore-seen.ts';
import type { EventWish } from '../decision/decision.ts';
import { cronProblem } from './cron-problem.ts';
import { readStoredJobs, type StoredJob } from './stored-jobs.ts';

export interface BringJobsSeen extends Required<StoredJobsSeen> {
  /** recurring-job-max-retention */
  readonly maxRetention: number;
}

export interface BroughtJobs {
  /** Jobs to create, by name. */
  readonly create: readonly RecurringJobSpec[];
  /** For the volume. */
  readonly labels: Readonly<Record<string, string>>;
  readonly events: readonly EventWish[];
}

/** Number of names and problems that are listed individually. */
const toldMax = 10;

/**
 * The recurring jobs that are restored with a volume. An existing job of the same name is kept, even if it differs, because other volumes use it.
 * Unusable parts of the text are reported and left out.
 */
export function bringJobs({ text, from, existing, maxRetention }: BringJobsSeen): BroughtJobs {
  const { jobs, problems } = text === '' ? { jobs: [], problems: [] } : readStoredJobs(text);
  const create: RecurringJobSpec[] = [];
  const labels: Record<string, string> = {};
  const taken: string[] = [];
  const wrong = [...problems];
  const others: string[] = [];
  for (const job of jobs) {
    const there = existing.get(job.name);
    const spec = normalizedRecurringJob(job.spec);
    const refusal = there === undefined ? checkRecurringJob({ spec, maxRetention, existing: none }, checks) : undefined;
    if (refusal !== undefined) {
      wrong.push(`job ${job.name}: ${refusal}`);
      continue;
    }
    const differs = there === undefined ? [] : differences(spec, normalizedRecurringJob(there));
    if (there === undefined) create.push(spec);
    if (differs.length > 0) others.push(`${job.name} (${differs.join(', ')})`);
    Object.assign(labels, labelsOf(job));
    taken.push(job.name);
  }
  return { create, labels, events: eventsOf({ from, taken, others, wrong }) };
}

const none: ReadonlySet<string> = new Set();
const checks = { cronProblem };

const labelsOf = ({ name, fromGroup, fromJob }: StoredJob): Record<string, string> =>
  Object.fromEntries(
    [...(fromJob ? [recurringJobLabel(name)] : []), ...fromGroup.map(recurringJobGroupLabel)].map((key) => [
      key,
      storageLabelValues.enabled,
    ]),
  );

/** Names of the fields that differ. The order of groups does not matter, and an empty list equals none. */
function differences(a: RecurringJobSpec, b: RecurringJobSpec): string[] {
  const shown = ({ task, cron, retain, concurrency, groups, labels, parameters }: RecurringJobSpec) => ({
    task,
    cron,
    retain,
    concurrency,
    groups: [...(groups ?? [])].sort(),
    labels: sorted(labels),
    parameters: sorted(parameters),
  });
  const [ofA, ofB] = [shown(a), shown(b)];
  const fields = Object.keys(ofA) as (keyof typeof ofA)[];
  return fields.filter((field) => JSON.stringify(ofA[field]) !== JSON.stringify(ofB[field]));
}

const sorted = (map: Readonly<Record<string, string>> | null | undefined) =>
  Object.entries(map ?? {}).sort(([x], [y]) => (x < y ? -1 : 1));

interface Told {
  readonly from: string;
  readonly taken: readonly string[];
  readonly others: readonly string[];
  readonly wrong: readonly string[];
}

function eventsOf({ from, taken, others, wrong }: Told): EventWish[] {
  const event = (type: EventWish['type'], reason: string, before: string, told: readonly string[]): EventWish[] =>
    told.length === 0 ? [] : [{ type, reason, message: `${before}: ${listed(told)}` }];
  return [
    ...event('Normal', 'RecurringJobsRestored', `Recurring jobs of volume ${from} that now include this volume`, taken),
    ...event(
      'Warning',
      'RecurringJobDiffers',
      `Recurring jobs that have changed since volume ${from} was backed up, and stay as they are`,
      others,
    ),
    ...event(
      'Warning',
      jobsNotRestored,
      `Recurring jobs in the backup of volume ${from} that were not restored`,
      wrong,
    ),
  ];
}

/** Reason of the Event for jobs that are not restored. */
export const jobsNotRestored = 'RecurringJobsNotRestored';

function listed(texts: readonly string[]): string {
  const more = texts.length - toldMax;
  return [...texts.slice(0, toldMax), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
