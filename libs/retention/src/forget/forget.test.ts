import { backupRepositoryType, type Job } from '@lateen/api-types';
import { silentLogger } from '@lateen/kernel';
import { settled } from '@lateen/kube-runtime';
import { aBackupRepository, aDataUpload, aPodVolumeBackup, FakeClock, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { forgetOutcome } from './forget-outcome.ts';
import { ForgetQueue } from './forget-queue.ts';
import { forgetReconciler } from './forget-reconciler.ts';
import { snapshotsOfBackup } from './snapshots-of-backup.ts';
import { decideUnowned } from './unowned-reconciler.ts';

const never = new AbortController().signal;
const id = (letter: string): string => letter.repeat(32);
const volume = { snapshotDataMoved: true, preserveLocalSnapshot: false, skipped: false };
const moved = (snapshotHandle: string, parts: object = {}) => ({
  dataMover: 'velero',
  uploaderType: 'kopia',
  snapshotHandle,
  operationID: 'o',
  size: 1,
  Phase: 'Completed',
  ...parts,
});

describe('snapshotsOfBackup', () => {
  it('finds the snapshots in all objects and files that name them, each once, by repository', () => {
    const found = snapshotsOfBackup({
      volumes: [
        { ...volume, pvcNamespace: 'app', snapshotDataMovementInfo: moved(id('a')) },
        { ...volume, pvcNamespace: 'shop', snapshotDataMovementInfo: moved(id('b'), { uploaderType: 'restic' }) },
        {
          ...volume,
          pvbInfo: {
            snapshotHandle: id('c'),
            uploaderType: '',
            volumeName: 'v',
            podName: 'p',
            podNamespace: 'app',
            Phase: 'Completed',
          },
        },
      ],
      uploads: [
        aDataUpload({ status: { snapshotID: id('a') } }),
        aDataUpload({ status: { snapshotID: id('d') }, spec: { dataMoverConfig: { UploaderType: 'restic' } } }),
      ],
      podVolumes: [
        aPodVolumeBackup({ status: { snapshotID: id('c') } }),
        aPodVolumeBackup({ status: { snapshotID: id('e') } }),
        aPodVolumeBackup({ status: { snapshotID: '' } }),
        aPodVolumeBackup({ spec: { uploaderType: 'restic' }, status: { snapshotID: id('f') } }),
      ],
    });
    expect(found).toEqual([
      { engine: 'kopia', volumeNamespace: 'app', snapshotIDs: [id('a'), id('c'), id('e')] },
      { engine: 'restic', volumeNamespace: 'app', snapshotIDs: [id('d'), id('f')] },
      { engine: 'restic', volumeNamespace: 'shop', snapshotIDs: [id('b')] },
    ]);
  });

  it.each([
    ['has no snapshot yet', moved('')],
    ['says unknown', moved('unknown')],
    ['was moved by another data mover', moved(id('a'), { dataMover: 'theirs' })],
    ['was moved by an unknown engine', moved(id('a'), { uploaderType: 'tape' })],
  ])('excludes one that %s', (_, snapshotDataMovementInfo) => {
    const volumes = [{ ...volume, pvcNamespace: 'app', snapshotDataMovementInfo }];
    expect(snapshotsOfBackup({ volumes, uploads: [], podVolumes: [] })).toEqual([]);
  });

  it.each(['../kopia', 'a/b', '', 'UPPER'])('excludes the invalid namespace "%s" in a bucket', (pvcNamespace) => {
    const volumes = [{ ...volume, pvcNamespace, snapshotDataMovementInfo: moved(id('a')) }];
    expect(snapshotsOfBackup({ volumes, uploads: [], podVolumes: [] })).toEqual([]);
  });
});

const aJob = (requests: string, end?: 'Complete' | 'Failed', created = '2030-01-01T00:00:10Z'): Job =>
  ({
    metadata: {
      name: 'j',
      creationTimestamp: created,
      labels: { 'lateen.dev/repository-operation': 'forget' },
    },
    spec: { template: { spec: { containers: [{ name: 'c', args: ['forget', `--requests=${requests}`] }] } } },
    ...(end === undefined ? {} : { status: { conditions: [{ type: end, status: 'True' }] } }),
  }) as unknown as Job;

describe('forgetOutcome', () => {
  it.each<[string, Job[], string]>([
    ['no Job', [], 'open'],
    ['a Job of other requests', [aJob('b', 'Complete')], 'open'],
    ['a running Job', [aJob('a,b')], 'open'],
    ['a succeeded Job', [aJob('b,a', 'Complete')], 'done'],
    ['a failed and a succeeded Job', [aJob('a', 'Failed'), aJob('a', 'Complete')], 'done'],
    ['a failed and a running Job', [aJob('a', 'Failed'), aJob('a')], 'open'],
    ['a failed Job', [aJob('a', 'Failed')], 'failed'],
    ['a Job that failed before this request', [aJob('a', 'Failed', '2029-12-31T23:59:59Z')], 'open'],
  ])('%s', (_, jobs, kind) => {
    expect(forgetOutcome('a', jobs, Date.parse('2030-01-01T00:00:00Z')).kind).toBe(kind);
  });
});

it('forgetOutcome reports the latest of several failures', () => {
  const late = aJob('a', 'Failed', '2030-01-01T00:00:20Z');
  expect(forgetOutcome('a', [aJob('a', 'Failed'), late, aJob('a', 'Failed')], 0)).toEqual({
    kind: 'failed',
    job: late,
  });
});

describe('decideUnowned', () => {
  const nowMs = Date.parse('2030-01-01T02:00:00Z');
  const failed = (endedAt: string): Job => {
    const job = aJob('a', 'Failed', '2030-01-01T00:30:00Z');
    return { ...job, status: { conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: endedAt }] } };
  };
  it.each<[string, Job[], object]>([
    ['starts one without a Job', [], { kind: 'ask' }],
    [
      'waits for a running Job, even after another one failed',
      [failed('2030-01-01T01:30:00Z'), aJob('a')],
      { kind: 'running' },
    ],
    ['is done with a succeeded Job', [failed('2030-01-01T01:30:00Z'), aJob('a', 'Complete')], { kind: 'done' }],
    [
      'waits one hour after the end of a failed one',
      [failed('2030-01-01T01:30:00Z')],
      { kind: 'wait', afterMs: 1_800_000 },
    ],
    ['starts another one after that', [failed('2030-01-01T01:00:00Z')], { kind: 'ask' }],
    [
      'does not wait when the clock was set back',
      [failed('2030-01-02T00:00:00Z')],
      { kind: 'wait', afterMs: 3_600_000 },
    ],
    ['starts another one after a Job with an unreadable end', [failed('never')], { kind: 'ask' }],
  ])('%s', (_, jobs, step) => {
    expect(decideUnowned('a', jobs, nowMs)).toMatchObject(step);
  });
});

describe('forgetReconciler', () => {
  const repository = { namespace: 'velero', name: 'r' };
  it.each<[string, Job[], string[]]>([
    ['a running Job', [aJob('a')], []],
    ['a Job that succeeded since the last look', [aJob('a', 'Complete')], []],
    ['a failed Job, to retry on purpose', [aJob('a', 'Failed')], ['a']],
    ['the Job of another request', [aJob('b', 'Complete')], ['a']],
  ])('handles %s', async (_, jobs, left) => {
    const clock = new FakeClock();
    const kube = fakeCluster({ clock });
    await kube.create(backupRepositoryType, aBackupRepository({ metadata: repository }), { signal: never });
    const queue = new ForgetQueue(() => undefined);
    queue.ask(repository, 'a');
    const settingsOf = () => Promise.reject(new Error('a Job is about to be made'));
    const reconciler = forgetReconciler({ kube, queue, jobsOf: () => jobs, settingsOf, clock, log: silentLogger });
    const pass = reconciler.reconcile(repository, never);
    await (left.length === 0
      ? expect(pass).resolves.toEqual(settled)
      : expect(pass).rejects.toThrow('about to be made'));
    expect(queue.first(repository, 2)).toEqual(left);
  });
});

describe('ForgetQueue', () => {
  it('wakes a repository once per request, and returns the requests in order', () => {
    const woken: string[] = [];
    const queue = new ForgetQueue((key) => woken.push(key));
    const repository = { namespace: 'velero', name: 'r' };
    for (const request of ['a', 'b', 'a', 'c']) queue.ask(repository, request);
    expect(woken).toEqual(['velero/r', 'velero/r', 'velero/r']);
    expect(queue.first(repository, 2)).toEqual(['a', 'b']);
    queue.leave(repository, ['a', 'b']);
    expect(queue.first(repository, 2)).toEqual(['c']);
    queue.leave(repository, ['c']);
    expect(queue.first({ name: 'other' }, 2)).toEqual([]);
    queue.ask(repository, 'a');
    expect(queue.first(repository, 2)).toEqual(['a']);
  });
});
