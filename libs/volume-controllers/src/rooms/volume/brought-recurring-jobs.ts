import { describeError, isAppError } from '@lateen/errors';
import { eventSubject } from '@lateen/kube-runtime';
import { type RecurringJob, recurringJobType, storageAnnotations, type Volume } from '@lateen/storage-types';
import type { VolumeEffect, VolumeSeen } from '@lateen/volume-decisions';
import type { Pass } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';

const refusals: readonly string[] = ['KUBE_BAD_REQUEST', 'KUBE_INVALID', 'KUBE_FORBIDDEN'];

/**
 * Creates a job that is restored with a volume. If the API server refuses it, an Event reports that: the content of a backup must not keep the volume
 * from being restored. @throws KUBE_ALREADY_EXISTS and temporary errors: it is then decided again
 */
export async function createRecurringJob(
  { events, log }: Pick<RoomContext, 'events' | 'log'>,
  job: RecurringJob,
  { object, writes }: Pick<Pass<Volume, VolumeSeen>, 'object' | 'writes'>,
): Promise<void> {
  try {
    await writes.create(recurringJobType, job);
  } catch (error) {
    if (!isAppError(error) || !refusals.includes(error.code)) throw error;
    const { name } = job.metadata;
    log.warn({ volume: object.metadata.name, job: name, err: error }, 'a recurring job that comes back is refused');
    const message = `Recurring job ${name} cannot be made: ${describeError(error)}`;
    events.record(eventSubject(object), 'RecurringJobRefused', message, { type: 'Warning' });
  }
}

type Note = Extract<VolumeEffect, { do: 'note-recurring-jobs' }>;

/** The note and the labels for one write. An existing key keeps its value, because a person has set it. */
export const withRecurringJobs = (volume: Volume, { note, labels }: Note): Volume => ({
  ...volume,
  metadata: {
    ...volume.metadata,
    labels: { ...labels, ...volume.metadata.labels },
    annotations: { ...volume.metadata.annotations, [storageAnnotations.recurringJobs]: note },
  },
});
