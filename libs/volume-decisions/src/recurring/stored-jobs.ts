import { isLabelKey, isObjectName } from '@lateen/api-types';
import { isJsonObject } from '@lateen/kube';
import {
  backupLabels,
  type RecurringJob,
  type RecurringJobSpec,
  recurringJobGroupLabel,
  recurringJobLabel,
  recurringJobOfLabel,
} from '@lateen/storage-types';
import { type JobLabels, partInJob } from './jobs-of-volume.ts';

/**
 * The text is stored in the status of a BackupVolume, and an object may have at most 1.5 MiB; its content is chosen by anybody
 * who can write to the backup target. A job has about 200 characters.
 */
export const storedJobsLimits = { charsMax: 256 * 1024, jobsMax: 250, groupsMax: 50 } as const;

/** A job that the backed-up volume took part in. */
export interface StoredJob {
  readonly name: string;
  readonly spec: RecurringJobSpec;
  /** Groups through which it took part. */
  readonly fromGroup: readonly string[];
  /** It named the job itself in its labels. */
  readonly fromJob: boolean;
}

/**
 * Text of the label `VolumeRecurringJobInfo`: the jobs that a volume takes part in, as JSON; undefined when there are none. When
 * the text would be too long, jobs are left out, the last names first.
 */
export function storedJobsText(
  jobs: readonly RecurringJob[],
  labels: JobLabels,
): { readonly text?: string; readonly leftOut: readonly string[] } {
  const { charsMax, jobsMax } = storedJobsLimits;
  const kept: string[] = [];
  const leftOut: string[] = [];
  let chars = 2;
  for (const job of [...jobs].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const part = partInJob(job, labels);
    if (part === undefined) continue;
    const { fromGroup, fromJob } = part;
    const info = {
      jobSpec: { ...job.spec, name: nameOf(job) },
      ...(fromGroup.length > 0 ? { fromGroup } : {}),
      fromJob,
    };
    const text = `${JSON.stringify(nameOf(job))}:${JSON.stringify(info)}`;
    const fits = leftOut.length === 0 && kept.length < jobsMax && chars + text.length + 1 <= charsMax;
    if (!fits) {
      leftOut.push(nameOf(job));
      continue;
    }
    kept.push(text);
    chars += text.length + 1;
  }
  return { ...(kept.length === 0 ? {} : { text: `{${kept.join(',')}}` }), leftOut };
}

/** Labels of a backup without that label: the jobs belong to the volume, and its BackupVolume reports them. */
export const withoutStoredJobs = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key !== backupLabels.recurringJobInfo));

/**
 * The usable jobs of such a text, which anybody may have written, and what is wrong with the rest, in messages that quote little
 * of it.
 */
export function readStoredJobs(text: string): {
  readonly jobs: readonly StoredJob[];
  readonly problems: readonly string[];
} {
  const { charsMax, jobsMax } = storedJobsLimits;
  const nothing = (problem: string) => ({ jobs: [], problems: [problem] });
  if (text.length > charsMax) return nothing(`it has more than ${charsMax} characters`);
  const found = parsed(text);
  if (!isJsonObject(found)) return nothing('it is not a JSON object');
  const entries = Object.entries(found);
  if (entries.length > jobsMax) return nothing(`it has more than ${jobsMax} jobs`);
  const read = entries.map(([name, info]) => storedJob(name, info));
  return {
    jobs: read.filter((each) => typeof each !== 'string'),
    problems: read.filter((each) => typeof each === 'string'),
  };
}

/** A job, or what is wrong with it. */
function storedJob(name: string, info: unknown): StoredJob | string {
  const wrong = (what: string) => `job ${JSON.stringify(name.slice(0, 40))}: ${what}`;
  const label = recurringJobLabel(name);
  if (!isObjectName(name) || !isLabelKey(label) || recurringJobOfLabel(label) === undefined)
    return wrong('a job cannot have this name');
  if (!isJsonObject(info)) return wrong('it is not an object');
  const spec = specOf(info.jobSpec);
  if (spec === undefined) return wrong('its jobSpec is not that of a RecurringJob');
  if (spec.name !== undefined && spec.name !== name) return wrong('its jobSpec has another name');
  const fromGroup = info.fromGroup ?? [];
  if (!isTexts(fromGroup) || fromGroup.length > storedJobsLimits.groupsMax)
    return wrong(`fromGroup is not a list of at most ${storedJobsLimits.groupsMax} names`);
  if (!fromGroup.every((group) => isLabelKey(recurringJobGroupLabel(group))))
    return wrong('fromGroup has an entry that cannot be the name of a group');
  return { name, spec: { ...spec, name }, fromGroup, fromJob: info.fromJob === true };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isTextMap = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every(isText);

const specFields: Readonly<Record<keyof RecurringJobSpec, (value: unknown) => boolean>> = {
  name: isText,
  groups: isTexts,
  task: isText,
  cron: isText,
  retain: isCount,
  concurrency: isCount,
  labels: isTextMap,
  parameters: isTextMap,
};

/**
 * Fields of a later release are left out, as the API server would do; null counts as absent. Undefined when a field has another
 * type.
 */
function specOf(value: unknown): RecurringJobSpec | undefined {
  if (!isJsonObject(value)) return undefined;
  const said = Object.entries(specFields).filter(([field]) => (value[field] ?? null) !== null);
  if (!said.every(([field, isRight]) => isRight(value[field]))) return undefined;
  return Object.fromEntries(said.map(([field]) => [field, value[field]])) as RecurringJobSpec;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const nameOf = ({ metadata }: RecurringJob): string => metadata.name ?? '';
