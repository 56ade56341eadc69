import {
  longhornGroup,
  longhornVersion,
  type RecurringJob,
  type RecurringJobSpec,
  recurringJobsNoteOf,
  recurringJobType,
  type Volume,
} from '@lateen/storage-types';
import { contentOf, pendingContent } from '../../content/content-of.ts';
import { isAhead } from '../../decision/is-ahead.ts';
import { bringJobs, jobsNotRestored } from '../../recurring/bring-jobs.ts';
import type { VolumeEffect } from '../volume-effect.ts';
import { isFresh } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/** By default a target is read every five minutes. After this time a person would not expect the volume to change any more. */
const waitMaxMs = 3_600_000;

/**
 * Restores the recurring jobs of a backed-up volume with it, if that is requested. Whether it is requested is recorded before the restore begins; the
 * labels and the note that they are set are one write. So it happens once, even if the manager dies, and a label that a person removes stays removed.
 */
export const recurringJobs: VolumeStep = (seen, _status, nowMs) => {
  const note = recurringJobsNoteOf(seen.volume);
  if (note === undefined)
    return isAsked(seen) ? { effects: [{ do: 'note-recurring-jobs', note: 'wanted', labels: {} }] } : undefined;
  const { storedJobs, volume, settings } = seen;
  if (note !== 'wanted' || storedJobs === undefined) return undefined;
  const { text, from, existing } = storedJobs;
  if (text === undefined) return unknown(seen, nowMs);
  const maxRetention = settings.number('recurring-job-max-retention');
  const { create, labels, events } = bringJobs({ text, from, existing, maxRetention });
  const done: VolumeEffect = { do: 'note-recurring-jobs', note: 'done', labels };
  return {
    effects: [...create.map((spec) => ({ do: 'create-recurring-job', object: newJob(volume, spec) }) as const), done],
    events: events.map((event) => ({ ...event, after: done })),
  };
};

/** A standby volume follows the backups of another volume, which has its jobs: it gets none. */
function isAsked(seen: VolumeSeen): boolean {
  const { volume, settings } = seen;
  const { restoreVolumeRecurringJob, Standby } = volume.spec;
  const content = contentOf(volume);
  if (content?.kind.name !== 'backup' || content.state !== 'unmarked' || !isFresh(seen) || Standby === true)
    return false;
  const own = restoreVolumeRecurringJob || 'ignored';
  return own === 'ignored' ? settings.flag('restore-volume-recurring-jobs') : own === 'enabled';
}

/** The target's information about the volume has not been read yet; the restore does not wait for it. */
function unknown({ volume }: VolumeSeen, nowMs: number): StepResult | undefined {
  if (pendingContent(volume) !== undefined) return undefined;
  const sinceMs = Date.parse(volume.metadata.creationTimestamp ?? '');
  const leftMs = sinceMs + waitMaxMs - nowMs;
  const waitsFor = 'the BackupVolume of its backup, which says what recurring jobs come back';
  if (leftMs > 0 && !isAhead(sinceMs, nowMs)) return { again: { afterMs: leftMs, reason: waitsFor }, waitsFor };
  const message = 'No BackupVolume names the recurring jobs of the volume that was backed up: set the labels by hand';
  const done: VolumeEffect = { do: 'note-recurring-jobs', note: 'done', labels: {} };
  return { effects: [done], events: [{ type: 'Warning', reason: jobsNotRestored, message, after: done }] };
}

function newJob({ metadata: { namespace } }: Volume, spec: RecurringJobSpec): RecurringJob {
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: recurringJobType.kind,
    metadata: { name: spec.name ?? '', ...(namespace === undefined ? {} : { namespace }) },
    spec,
  };
}
