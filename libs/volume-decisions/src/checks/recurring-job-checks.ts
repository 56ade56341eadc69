import { type RecurringJobSpec, type RecurringTask, recurringTasks } from '@lateen/storage-types';
import type { SettingChecks } from '../settings/validate-setting.ts';
import type { Refusal } from './check.ts';

export const recurringJobNameMax = 40;
const concurrencyDefault = 10;

/** The stored form of a new or changed job: names in lower case, and numbers that are valid for its task. */
export function normalizedRecurringJob(spec: RecurringJobSpec): RecurringJobSpec {
  const { name, concurrency = 0 } = spec;
  return {
    ...spec,
    ...(name === undefined ? {} : { name: name.toLowerCase() }),
    concurrency: concurrency === 0 ? concurrencyDefault : concurrency,
    retain: normalizedRetain(spec.task, spec.retain ?? 0),
  };
}

function normalizedRetain(task: RecurringTask | undefined, retain: number): number {
  if (task === 'snapshot-cleanup' || task === 'filesystem-trim') return 0;
  if (task === 'snapshot-delete') return Math.max(retain, 0);
  return Math.max(retain, 1);
}

export interface RecurringJobSeen {
  readonly spec: RecurringJobSpec;
  /** recurring-job-max-retention */
  readonly maxRetention: number;
  /** Names of the existing jobs; empty when a job is changed. */
  readonly existing: ReadonlySet<string>;
}

/** Why a normalized job is refused. */
export function checkRecurringJob({ spec, maxRetention, existing }: RecurringJobSeen, checks: SettingChecks): Refusal {
  const { name = '', task, cron = '', retain = 0 } = spec;
  const known: readonly (string | undefined)[] = recurringTasks;
  if (existing.has(name)) return `recurring job ${name} already exists`;
  if (name.length > recurringJobNameMax)
    return `recurring job name ${name} is longer than ${recurringJobNameMax} characters`;
  if (!known.includes(task)) return `recurring job task ${task ?? ''} is not valid`;
  if (task === 'system-backup') return 'recurring job task system-backup is not supported by this volume manager yet';
  const wrong = checks.cronProblem?.(cron);
  if (wrong !== undefined) return `invalid cron format(${cron}): ${wrong}`;
  return retain > maxRetention ? `retain value should be less than or equal to ${maxRetention}` : undefined;
}
