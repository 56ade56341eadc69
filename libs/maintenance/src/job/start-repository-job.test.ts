import {
  type BackupRepository,
  backupRepositoryType,
  type Deployment,
  type Job,
  jobType,
  leaseType,
} from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { aBackupRepository, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { releaseRepositoryLock, takeRepositoryLock } from '../lock/repository-lock.ts';
import { maintenanceJob } from './maintenance-job.ts';
import type { RepositoryTask } from './repository-job.ts';
import { type StartOptions, startRepositoryJob } from './start-repository-job.ts';

const { signal } = new AbortController();
const namespace = 'velero';
const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'lateen-controller', namespace },
  spec: {
    selector: { matchLabels: {} },
    template: { spec: { containers: [{ name: 'lateen-controller', image: 'lateen:1' }] } },
  },
};
const maintain: RepositoryTask = { operation: 'maintain', mode: 'quick' };
const check: RepositoryTask = { operation: 'check', readDataPercent: 0 };

function setUp(parts: Parameters<typeof aBackupRepository>[0] = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aBackupRepository({ uid: 'u-1', ...parts })] });
  const repository = cluster.all(backupRepositoryType)[0] as BackupRepository;
  const ports = { kube: cluster, clock };
  const start = (task: RepositoryTask, more: Partial<StartOptions> = {}) =>
    startRepositoryJob(
      ports,
      {
        repository,
        deployment,
        task,
        others: cluster.all(jobType),
        mayBeMade: false,
        atMs: clock.now(),
        deadlineMs: 60_000,
        ...more,
      },
      signal,
    );
  const end = (job: Job) =>
    cluster.change(jobType, { namespace, name: job.metadata.name ?? '' }, (each) => {
      each.status = { conditions: [{ type: 'Complete', status: 'True' }] };
    });
  return { clock, cluster, repository, ports, start, end };
}

const busy = (job: string) => ({ code: 'REPOSITORY_BUSY', details: expect.objectContaining({ job }) });

describe('starting a task', () => {
  it('creates its Job, under a lock that names the Job and is owned by the repository', async () => {
    const { cluster, start } = setUp();
    const job = await start(maintain);
    const [lease] = cluster.all(leaseType);
    expect(lease).toMatchObject({
      metadata: {
        name: 'lateen-repository-app-default-kopia',
        labels: { 'velero.io/repo-name': 'app-default-kopia' },
        ownerReferences: [{ kind: 'BackupRepository', uid: 'u-1' }],
      },
      spec: { holderIdentity: job.metadata.name },
    });
  });

  it('is refused while another task runs, and accepted when that has ended', async () => {
    const { cluster, clock, start, end } = setUp();
    const first = await start(maintain);
    const name = first.metadata.name ?? '';
    await clock.advance(1_000);
    await expect(start(maintain)).rejects.toMatchObject(busy(name));
    // A cache that is not up to date.
    await expect(start(maintain, { others: [] })).rejects.toMatchObject(busy(name));
    expect(cluster.all(jobType)).toHaveLength(1);
    end(first);
    expect((await start(maintain)).metadata.name).not.toBe(name);
  });

  it('that only reads needs no lock, runs beside maintenance and other readers, and blocks none of them', async () => {
    const { cluster, clock, start } = setUp();
    await start(check);
    await clock.advance(1);
    await start(check);
    await start(maintain);
    await clock.advance(1);
    await start({ operation: 'usage' });
    expect(cluster.all(jobType)).toHaveLength(4);
    await expect(start({ operation: 'change-password', newPasswordKey: 'k' })).rejects.toMatchObject({
      code: 'REPOSITORY_BUSY',
    });
  });

  it('that checks with restic needs the lock', async () => {
    const { clock, start } = setUp({ spec: { repositoryType: 'restic' } });
    const first = await start(check);
    await clock.advance(1);
    for (const task of [maintain, check])
      await expect(start(task, { others: [] })).rejects.toMatchObject(busy(first.metadata.name ?? ''));
    await start({ operation: 'unlock' });
  });

  it('repeated after a lost response finds the Job that was created', async () => {
    const { cluster, start } = setUp();
    const first = await start(maintain, { mayBeMade: true });
    const second = await start(maintain, { mayBeMade: true });
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(cluster.all(jobType)).toHaveLength(1);
  });

  it('of a user is refused when another one started at the same moment, instead of sharing its Job', async () => {
    const { start } = setUp();
    const first = await start(maintain);
    await expect(start(maintain, { others: [] })).rejects.toMatchObject(busy(first.metadata.name ?? ''));
  });

  it('leaves no lock when the API server rejects the Job', async () => {
    const { cluster, clock, start } = setUp();
    cluster.failOnce('create', jobType, 'KUBE_FORBIDDEN');
    await expect(start(maintain)).rejects.toMatchObject({ code: 'KUBE_FORBIDDEN' });
    await clock.advance(1);
    await start(maintain);
  });

  it('that died before its Job was created blocks others for one minute at most', async () => {
    const { clock, repository, ports, start } = setUp();
    await takeRepositoryLock(ports, repository, 'never-made', signal);
    await expect(start(maintain)).rejects.toMatchObject({
      ...busy('never-made'),
      details: { job: 'never-made', againMs: 60_000 },
    });
    await clock.advance(60_000);
    await start(maintain);
  });

  it('need not wait for a Job that was deleted by hand once its lock is released', async () => {
    const { cluster, clock, repository, ports, start } = setUp();
    const name = (await start(maintain)).metadata.name ?? '';
    cluster.remove(jobType, { namespace, name });
    await clock.advance(1);
    await expect(start(maintain)).rejects.toMatchObject(busy(name));
    await releaseRepositoryLock(ports, repository, name, signal);
    const next = await start(maintain);
    // Too late: the lock belongs to another task.
    await releaseRepositoryLock(ports, repository, name, signal);
    expect(await takeRepositoryLock(ports, repository, 'other', signal)).toEqual({
      held: false,
      by: next.metadata.name,
    });
  });

  it('that stalled until another one began does not get the lock back', async () => {
    const { clock, repository, ports, start } = setUp();
    await takeRepositoryLock(ports, repository, 'slept', signal);
    await clock.advance(60_000);
    const job = await start(maintain);
    expect(await takeRepositoryLock(ports, repository, 'slept', signal)).toEqual({
      held: false,
      by: job.metadata.name,
    });
    expect(await takeRepositoryLock(ports, repository, job.metadata.name ?? '', signal)).toEqual({ held: true });
  });

  it('does not confuse the Job of another repository with the same short name with its own', async () => {
    const long = 'n'.repeat(60);
    const { cluster, clock, start } = setUp({ name: `${long}-a` });
    const other = aBackupRepository({ name: `${long}-b`, uid: 'u-2' });
    const theirs = maintenanceJob({ repository: other, deployment, task: maintain, atMs: clock.now(), deadlineMs: 1 });
    cluster.put(theirs);
    const job = await start(maintain, { others: [], mayBeMade: true });
    expect(job.metadata.name).toBe(`repo-maintain-job-${clock.now() + 1}`);
    expect(theirs.metadata.name).toBe(`repo-maintain-job-${clock.now()}`);
  });
});

describe('many concurrent starts', () => {
  it.each(Array.from({ length: 25 }, (_, seed) => seed))('create one Job (seed %d)', async (seed) => {
    const { cluster, clock, start } = setUp();
    const random = seededRandom(seed);
    // Responses arrive in any order.
    cluster.intercept(async (_, next) => {
      await clock.sleep(Math.floor(random.next() * 50));
      return next();
    });
    const persons = Array.from({ length: 8 }, (_, at) => start(maintain, { atMs: clock.now() + at, others: [] }));
    const controllers = Array.from({ length: 3 }, () =>
      start(maintain, { atMs: clock.now() + 100, others: [], mayBeMade: true }),
    );
    const all = Promise.allSettled([...persons, ...controllers]);
    await clock.advance(10_000);
    const ends = await all;
    const made = cluster.all(jobType);
    expect(made).toHaveLength(1);
    const won = ends.flatMap((each) => (each.status === 'fulfilled' ? each.value.metadata.uid : []));
    expect(new Set(won)).toEqual(new Set([made[0]?.metadata.uid]));
    const refused = ends.flatMap((each) => (each.status === 'rejected' ? each.reason : []));
    expect(refused.every((error) => isAppError(error, 'REPOSITORY_BUSY'))).toBe(true);
  });
});
