import type { VolumeSpec, VolumeStatus } from '@lateen/storage-types';
import { storageAnnotations } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import type { StoredJobsSeen } from '../../content/restore-seen.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { aVolumeObject } from '../example-volume.ts';
import type { VolumeSeen } from '../volume-seen.ts';
import { recurringJobs } from './recurring-jobs.ts';

const fromBackup = 's3://bucket@here/?backup=backup-1&volume=source';
const madeMs = Date.parse('2030-01-01T00:00:00Z');
const there: VolumeStatus = { restoreInitiated: true, restoreRequired: false };

interface Of {
  readonly spec?: Partial<VolumeSpec>;
  readonly status?: VolumeStatus;
  readonly note?: string;
  readonly setting?: string;
  readonly storedJobs?: StoredJobsSeen;
  readonly agoMs?: number;
}

function step({ spec, status = {}, note, setting = 'false', storedJobs, agoMs = 0 }: Of) {
  const volume = aVolumeObject({ fromBackup, ...spec }, status);
  volume.metadata.creationTimestamp = '2030-01-01T00:00:00Z';
  if (note !== undefined) volume.metadata.annotations = { [storageAnnotations.recurringJobs]: note };
  const metadata = { name: 'restore-volume-recurring-jobs' };
  const { settings } = readSettings([{ apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata, value: setting }]);
  const seen = { volume, replicas: [], snapshots: [], settings, ...(storedJobs === undefined ? {} : { storedJobs }) };
  return recurringJobs(seen as unknown as VolumeSeen, status, madeMs + agoMs);
}

describe('whether recurring jobs are restored with a volume', () => {
  it.each<[string, Of, boolean]>([
    ['the setting is on', { setting: 'true' }, true],
    ['the setting is off', {}, false],
    [
      'the volume says ignored, and the setting is on',
      { spec: { restoreVolumeRecurringJob: 'ignored' }, setting: 'true' },
      true,
    ],
    ['the volume says yes', { spec: { restoreVolumeRecurringJob: 'enabled' } }, true],
    ['the volume says no', { spec: { restoreVolumeRecurringJob: 'disabled' }, setting: 'true' }, false],
    ['it is a standby volume', { spec: { Standby: true, restoreVolumeRecurringJob: 'enabled' } }, false],
    ['it is not restored from a backup', { spec: { fromBackup: '' }, setting: 'true' }, false],
    [
      'its restore has already begun',
      { status: { restoreInitiated: true, restoreRequired: true }, setting: 'true' },
      false,
    ],
    ['its restore is complete', { status: there, setting: 'true' }, false],
  ])('%s', (_title, of, isAsked) => {
    const wanted = { effects: [{ do: 'note-recurring-jobs', note: 'wanted', labels: {} }] };
    expect(step(of)).toEqual(isAsked ? wanted : undefined);
  });
});

describe('recurring jobs that are to be restored', () => {
  const jobs = { daily: { jobSpec: { task: 'snapshot', cron: '@daily', retain: 1 }, fromJob: true } };
  const known: StoredJobsSeen = { from: 'source', existing: new Map(), text: JSON.stringify(jobs) };
  it('are created first, and the labels are set together with the note', () => {
    const { effects = [], events = [] } = step({ note: 'wanted', storedJobs: known }) ?? {};
    expect(effects).toMatchObject([
      { do: 'create-recurring-job', object: { metadata: { name: 'daily', namespace: 'longhorn-system' } } },
      { do: 'note-recurring-jobs', note: 'done', labels: { 'recurring-job.longhorn.io/daily': 'enabled' } },
    ]);
    expect(events.map(({ reason, after }) => [reason, after === effects[1]])).toEqual([
      ['RecurringJobsRestored', true],
    ]);
  });
  it.each(['done', 'something else'])('are left alone when the note says %s', (note) => {
    expect(step({ note, storedJobs: known, setting: 'true' })).toBeUndefined();
  });
  it('are awaited during the restore and for one hour, then given up with an Event', () => {
    const { text: _, ...unknown } = known;
    const day = 86_400_000;
    expect(
      step({ note: 'wanted', storedJobs: unknown, status: { restoreRequired: true }, agoMs: day }),
    ).toBeUndefined();
    expect(step({ note: 'wanted', storedJobs: unknown, status: there, agoMs: 600_000 })).toMatchObject({
      again: { afterMs: 3_000_000 },
    });
    const givenUp = step({ note: 'wanted', storedJobs: unknown, status: there, agoMs: 3_600_000 });
    expect(givenUp?.effects).toEqual([{ do: 'note-recurring-jobs', note: 'done', labels: {} }]);
    const [event] = givenUp?.events ?? [];
    expect(event).toMatchObject({ type: 'Warning', reason: 'RecurringJobsNotRestored' });
    expect(event?.after).toBe(givenUp?.effects?.[0]);
  });
});
