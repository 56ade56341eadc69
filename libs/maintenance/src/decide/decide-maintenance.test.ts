import type { BackupRepository, Job, Pod, RecentMaintenance } from '@lateen/api-types';
import { aBackupRepository, aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { decideMaintenance, type MaintenanceView, podStartMs } from './decide-maintenance.ts';
import { recentMaintenanceMax, withRuns } from './job-state.ts';
import { maintenanceDueMs } from './maintenance-due.ts';
import { runOutcome, stuckOutcome } from './run-outcome.ts';

const at = (clock: string): string => `2030-01-01T${clock}Z`;
const ms = (clock: string): number => Date.parse(at(clock));
const nowMs = ms('12:00:00');

const failed = (start: string, end: string): RecentMaintenance => ({
  result: 'Failed',
  startTimestamp: at(start),
  completeTimestamp: at(end),
});

function repositoryWith(status: BackupRepository['status'] = {}, frequency = '1h0m0s'): BackupRepository {
  return aBackupRepository({
    spec: { maintenanceFrequency: frequency },
    status: { lastMaintenanceTime: at('10:00:00'), ...status },
  });
}

function aJob(
  start: string,
  end?: { type: 'Complete' | 'Failed'; at: string },
  more: Partial<Job['metadata']> = {},
): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `job-${start}`, namespace: 'velero', creationTimestamp: at(start), ...more },
    spec: { template: { spec: { containers: [] } } },
    status: {
      startTime: at(start),
      ...(end === undefined
        ? {}
        : { conditions: [{ type: end.type, status: 'True' as const, lastTransitionTime: at(end.at) }] }),
    },
  };
}

const doing = (operation: string): Job =>
  aJob('11:00:00', undefined, { labels: { 'lateen.dev/repository-operation': operation } });

const view = (more: Partial<MaintenanceView> = {}): MaintenanceView => ({
  repository: repositoryWith(),
  location: aBackupStorageLocation(),
  jobs: [],
  keepLatest: 3,
  nowMs,
  ...more,
});

describe('when maintenance is due', () => {
  it.each([
    ['one hour after the last run', repositoryWith(), '11:00:00'],
    ['at the frequency of the repository', repositoryWith({}, '30m'), '10:30:00'],
    [
      'five minutes after a failure',
      repositoryWith({ recentMaintenance: [failed('11:40:00', '11:50:00')] }),
      '11:55:00',
    ],
    [
      'ten minutes after the second failure',
      repositoryWith({ recentMaintenance: [failed('11:30:00', '11:35:00'), failed('11:40:00', '11:50:00')] }),
      '12:00:00',
    ],
    [
      'at the latest after the normal frequency, after many failures',
      repositoryWith({ recentMaintenance: Array.from({ length: 9 }, () => failed('11:40:00', '11:50:00')) }),
      '12:50:00',
    ],
    [
      'at the normal frequency after a failure that is older than the last success',
      repositoryWith({ recentMaintenance: [failed('09:00:00', '09:01:00')] }),
      '11:00:00',
    ],
  ])('%s', (_, repository, due) => {
    expect(maintenanceDueMs(repository)).toBe(ms(due));
  });

  it.each(['0s', '', 'often', '-1h'])('never, when the frequency is %j', (frequency) => {
    expect(maintenanceDueMs(repositoryWith({}, frequency))).toBeUndefined();
  });
});

describe('the next step of maintenance', () => {
  it('creates a Job when one is due, and otherwise waits', () => {
    expect(decideMaintenance(view())).toEqual({ kind: 'run', dueMs: ms('11:00:00') });
    expect(decideMaintenance(view({ nowMs: ms('10:59:00') }))).toEqual({ kind: 'wait', afterMs: 60_000 });
  });

  it.each([
    ['the repository is not ready', { repository: aBackupRepository({ phase: 'NotReady' }) }],
    ['its location does not exist', { location: undefined }],
    ['its location is read-only', { location: aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }) }],
    ['its location is not available', { location: aBackupStorageLocation({ phase: 'Unavailable' }) }],
    ['no maintenance frequency is set', { repository: repositoryWith({}, '0s') }],
  ])('does nothing when %s', (why, more) => {
    expect(decideMaintenance(view(more))).toEqual({ kind: 'rest', why });
  });

  it('waits for a running Job that excludes it, whoever created it', () => {
    const mine = aJob('11:59:00');
    expect(decideMaintenance(view({ jobs: [mine] }))).toEqual({
      kind: 'running',
      job: mine,
      lookMs: podStartMs - 60_000,
    });
    const restic = repositoryWith();
    restic.spec.repositoryType = 'restic';
    const check = doing('check');
    expect(decideMaintenance(view({ jobs: [check], repository: restic }))).toEqual({ kind: 'running', job: check });
    const change = doing('change-password');
    expect(decideMaintenance(view({ jobs: [change] }))).toEqual({ kind: 'running', job: change });
    const ready = { ...aJob('11:00:00'), status: { startTime: at('11:00:00'), ready: 1 } };
    expect(decideMaintenance(view({ jobs: [ready] }))).toEqual({ kind: 'running', job: ready });
  });

  it.each(['check', 'usage', 'unlock'])('does not wait for a %s', (operation) => {
    expect(decideMaintenance(view({ jobs: [doing(operation)] }))).toEqual({ kind: 'run', dueMs: ms('11:00:00') });
  });

  it('does not delete a Job that a user started and may still be watching', () => {
    const job = aJob('11:30:00', { type: 'Complete', at: '11:31:00' });
    job.spec.ttlSecondsAfterFinished = 3_600;
    const recentMaintenance = [{ ...failed('11:30:00', '11:31:00'), result: 'Succeeded' as const }];
    const repository = repositoryWith({ lastMaintenanceTime: at('11:31:00'), recentMaintenance });
    expect(decideMaintenance(view({ jobs: [job], repository, keepLatest: 0 })).kind).toBe('wait');
    expect(decideMaintenance(view({ jobs: [job], keepLatest: 0 }))).toEqual({ kind: 'record', jobs: [job] });
  });

  it('reports a Job whose pod does not start, and deletes the Job once that is recorded', () => {
    const job = aJob('11:00:00');
    expect(decideMaintenance(view({ jobs: [job] }))).toEqual({ kind: 'stuck', job });
    const repository = repositoryWith({ recentMaintenance: [failed('11:00:00', '11:10:00')] });
    expect(decideMaintenance(view({ jobs: [job], repository }))).toEqual({ kind: 'delete', jobs: [job] });
  });

  it('records each ended Job that the status lacks before anything else', () => {
    const [first, second] = [
      aJob('10:30:00', { type: 'Failed', at: '10:31:00' }),
      aJob('11:30:00', { type: 'Complete', at: '11:40:00' }),
    ];
    const active = aJob('11:59:00');
    expect(decideMaintenance(view({ jobs: [active, second, first] }))).toEqual({
      kind: 'record',
      jobs: [first, second],
    });
    const repository = repositoryWith({ recentMaintenance: [failed('10:30:00', '10:31:00')] });
    expect(decideMaintenance(view({ jobs: [first, second], repository }))).toEqual({ kind: 'record', jobs: [second] });
  });

  it('deletes the oldest Jobs above the limit', () => {
    const starts = ['10:10:00', '10:20:00', '10:30:00', '10:40:00'];
    const jobs = starts.map((start) => aJob(start, { type: 'Failed', at: start }));
    const recentMaintenance = starts.map((start) => failed(start, start));
    const given = { jobs, repository: repositoryWith({ recentMaintenance }) };
    expect(decideMaintenance(view(given))).toEqual({ kind: 'delete', jobs: [jobs[0]] });
    expect(decideMaintenance(view({ ...given, keepLatest: 0 }))).toEqual({ kind: 'delete', jobs });
  });

  it('does not record again what was dropped from a full history', () => {
    const later = Array.from({ length: recentMaintenanceMax }, (_, minute) =>
      failed(`11:${String(minute + 10)}:00`, '11:59:00'),
    );
    const jobs = [aJob('10:10:00', { type: 'Failed', at: '10:11:00' })];
    expect(decideMaintenance(view({ jobs, repository: repositoryWith({ recentMaintenance: later }) })).kind).not.toBe(
      'record',
    );
  });
});

describe('the history', () => {
  it('is limited, newest last', () => {
    const many = Array.from({ length: 30 }, (_, minute) =>
      failed(`11:${String(minute).padStart(2, '0')}:00`, '11:59:00'),
    );
    const history = withRuns(many.slice(1), many.slice(0, 1));
    expect(history).toHaveLength(recentMaintenanceMax);
    expect(history.at(-1)?.startTimestamp).toBe(at('11:29:00'));
    expect(history[0]?.startTimestamp).toBe(at('11:05:00'));
  });
});

describe('the result of a run', () => {
  const pod = (terminated: object, status: object = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'velero' },
    spec: { containers: [] },
    status: {
      ...status,
      containerStatuses: [
        { name: 'velero-repo-maintenance-container', state: { terminated: { exitCode: 1, ...terminated } } },
      ],
    },
  });
  const job = aJob('11:00:00', { type: 'Failed', at: '11:07:00' });
  const end = { operation: 'maintain', repository: 'r', durationMs: 1, succeeded: false };

  it('contains start and end, and no message on success', () => {
    expect(runOutcome(aJob('11:00:00', { type: 'Complete', at: '11:07:00' }), undefined)).toEqual({
      result: 'Succeeded',
      startTimestamp: at('11:00:00'),
      completeTimestamp: at('11:07:00'),
    });
  });

  it.each([
    [
      pod({ message: JSON.stringify({ ...end, error: { code: 'X', message: 'the bucket is gone' } }) }),
      'the bucket is gone',
    ],
    [pod({ message: 'some log\nerror: Repo maintenance error: cannot open\n' }), 'cannot open'],
    [
      pod({ reason: 'OOMKilled', exitCode: 137 }),
      'killed because it ran out of memory: raise podResources.memoryLimit for this',
    ],
    [pod({ message: 'panic: oh no' }), 'panic: oh no'],
    [pod({}, { reason: 'Evicted', message: 'the node was low on memory' }), 'the pod ended: Evicted: the node was low'],
    [pod({ exitCode: 7 }), 'the program ended with exit code 7'],
    [undefined, 'the Job failed: unknown'],
  ])('contains the reason of a failure (%#)', (given, text) => {
    const { result, message } = runOutcome(job, given);
    expect(result).toBe('Failed');
    expect(message).toContain(text);
  });

  it('is limited in length', () => {
    expect(runOutcome(job, pod({ message: 'x'.repeat(4096) })).message).toHaveLength(1_024);
  });

  it('contains why the pod did not start', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False' as const, message: '0/3 nodes are available' }];
    const unscheduled = { ...pod({}), status: { phase: 'Pending' as const, conditions } };
    expect(stuckOutcome(job, unscheduled, nowMs)).toMatchObject({
      result: 'Failed',
      message: 'its pod did not start: 0/3 nodes are available',
    });
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    const unpulled = { ...pod({}), status: { containerStatuses: [{ name: 'c', state: { waiting } }] } };
    expect(stuckOutcome(job, unpulled, nowMs).message).toContain('ImagePullBackOff: no such image');
  });
});
