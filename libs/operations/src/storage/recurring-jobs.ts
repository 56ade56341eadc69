import { listAll } from '@lateen/kube';
import {
  longhornGroup,
  longhornVersion,
  type RecurringJob,
  type RecurringJobSpec,
  recurringJobGroupLabel,
  recurringJobLabel,
  recurringJobType,
  settingType,
  storageLabelValues,
  type Volume,
} from '@lateen/storage-types';
import { checkRecurringJob, cronProblem, normalizedRecurringJob, readSettings } from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from './change-object.ts';
import { volumeNoun } from './storage-nouns.ts';

/** Builds a recurring job; nothing is written. @throws AppError STORAGE_REFUSED */
export async function newRecurringJob(place: StoragePlace, wanted: RecurringJobSpec): Promise<RecurringJob> {
  const { kube, namespace, signal } = place;
  const [settings, jobs] = await Promise.all([
    listAll(kube, settingType, { namespace, signal }),
    listAll(kube, recurringJobType, { namespace, signal }),
  ]);
  const spec = normalizedRecurringJob(wanted);
  const maxRetention = readSettings(settings.items).settings.number('recurring-job-max-retention');
  const existing = new Set(jobs.items.map(({ metadata }) => metadata.name ?? ''));
  unlessRefused(checkRecurringJob({ spec, maxRetention, existing }, { cronProblem }));
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: recurringJobType.kind,
    metadata: { name: spec.name ?? '', namespace },
    spec,
  };
}

export const createRecurringJob = ({ kube, signal }: StoragePlace, job: RecurringJob): Promise<RecurringJob> =>
  kube.create(recurringJobType, job, { signal });

/** Assigns a job or a group of jobs to a volume, or removes it. @returns whether that changed anything */
export async function assignJob(
  place: StoragePlace,
  volume: string,
  { name, isGroup, assigned }: { name: string; isGroup: boolean; assigned: boolean },
): Promise<boolean> {
  const label = isGroup ? recurringJobGroupLabel(name) : recurringJobLabel(name);
  const { changed } = await changeObject<Volume>(place, volumeNoun, volume, (object) => {
    const { [label]: before, ...others } = object.metadata.labels ?? {};
    if ((before === storageLabelValues.enabled) === assigned) return undefined;
    const labels = assigned ? { ...others, [label]: storageLabelValues.enabled } : others;
    return { ...object, metadata: { ...object.metadata, labels } };
  });
  return changed;
}
