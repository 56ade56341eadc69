import { recurringJobGroupLabel, recurringJobLabel, storageLabelValues } from '@lateen/storage-types';
import { refused } from '../errors/error-body.ts';
import { readInput } from './read-input.ts';

/** Labels have this many in all, whatever they are for. */
const jobsMax = 100;

/** The labels of a new volume for its `recurringJobSelector`; without one it is in the group `default`. @throws REST_REFUSED */
export function jobLabelsOf(body: unknown): Record<string, string> {
  const { recurringJobSelector: selector } = (body ?? {}) as { recurringJobSelector?: unknown };
  if (selector !== undefined && selector !== null && !Array.isArray(selector))
    throw refused('cannot read volume: recurringJobSelector is not an array[volumeRecurringJob]');
  const jobs = (selector ?? []) as readonly unknown[];
  if (jobs.length > jobsMax) throw refused(`cannot read volume: recurringJobSelector has more than ${jobsMax} jobs`);
  const labels = jobs.map((job) => {
    const input = readInput('volumeRecurringJob', job);
    const name = input.text('name');
    if (name === '') throw refused('recurring job name is required');
    return input.flag('isGroup') ? recurringJobGroupLabel(name) : recurringJobLabel(name);
  });
  const all = labels.length === 0 ? [recurringJobGroupLabel(storageLabelValues.defaultGroup)] : labels;
  return Object.fromEntries(all.map((label) => [label, storageLabelValues.enabled]));
}
