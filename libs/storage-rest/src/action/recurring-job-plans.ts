import type { RecurringJob, RecurringJobSpec } from '@lateen/storage-types';
import { checkRecurringJob, cronProblem, deniedByWebhook, normalizedRecurringJob } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { onlyFields } from './only-fields.ts';
import { readInput } from './read-input.ts';

const changeable = ['cron', 'retain', 'concurrency', 'groups', 'labels', 'parameters'];

/** Setting recurring-job-max-retention. */
type Limit = { readonly maxRetention: number };

/** What `POST /v1/recurringjobs` makes. @throws REST_REFUSED */
export function plannedJob(body: unknown, { maxRetention }: Limit, existing: ReadonlySet<string>): RecurringJobSpec {
  const input = readInput('recurringJob', onlyFields(body, ['name', 'task', ...changeable]));
  const [name, task] = [input.text('name'), input.text('task')];
  if (name === '') throw refused('recurring job name is required');
  const spec = { name, task: task as NonNullable<RecurringJobSpec['task']>, ...changesOf(body) };
  return checked(spec, maxRetention, existing);
}

/** What `PUT /v1/recurringjobs/<name>` stores: all but name and task is replaced by what was sent. @throws REST_REFUSED */
export function plannedJobChange(job: RecurringJob, body: unknown, { maxRetention }: Limit): RecurringJobSpec {
  const { name = job.metadata.name ?? '', task } = job.spec;
  return checked({ name, ...(task === undefined ? {} : { task }), ...changesOf(body) }, maxRetention, new Set());
}

function changesOf(body: unknown): Omit<RecurringJobSpec, 'name' | 'task'> {
  const input = readInput('recurringJob', onlyFields(body, changeable));
  return {
    cron: input.text('cron'),
    retain: input.number('retain'),
    concurrency: input.number('concurrency'),
    groups: [...input.texts('groups')],
    labels: { ...input.map('labels') },
    parameters: { ...input.map('parameters') },
  };
}

function checked(spec: RecurringJobSpec, maxRetention: number, existing: ReadonlySet<string>): RecurringJobSpec {
  const normalized = normalizedRecurringJob(spec);
  const refusal = checkRecurringJob({ spec: normalized, maxRetention, existing }, { cronProblem });
  if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
  return normalized;
}
