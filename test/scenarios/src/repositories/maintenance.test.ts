import { backupRepositoryType, type Job, jobType, labels, type Pod, podType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { MaintenanceObserver, RepositoryTask } from '@lateen/maintenance';
import { aBackupRepository, aBackupStorageLocation, aConfigMap, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import {
  cloudSecret,
  controllerDeployment,
  namespace,
  numbered,
  passwordSecret,
  passwordValue,
  repositoryWorld,
  secretValue,
} from './repository-world.ts';

const [minute, hour] = [60_000, 3_600_000];
const base = () => [aBackupStorageLocation(), cloudSecret(), passwordSecret()];
const ready = (parts: Parameters<typeof aBackupRepository>[0] = {}) =>
  aBackupRepository({ ...parts, status: { lastMaintenanceTime: '2030-01-01T00:00:00Z', ...parts?.status } });

describe('maintenance of a repository', () => {
  it('runs as a Job when it is due, and the status reports it', async () => {
    const world = await repositoryWorld({ objects: [...base(), ready()] });
    world.start();
    await world.clock.advance(hour - 1);
    expect(world.jobs()).toEqual([]);
    await world.clock.advance(10 * minute);
    expect(world.jobs()).toHaveLength(1);
    expect(world.repository()?.status).toMatchObject({
      lastMaintenanceTime: '2030-01-01T01:01:00Z',
      recentMaintenance: [
        { result: 'Succeeded', startTimestamp: '2030-01-01T01:00:00Z', completeTimestamp: '2030-01-01T01:01:00Z' },
      ],
    });
    // A successful Job needs no read of its pod.
    expect(world.cluster.calls.filter(({ type }) => type === podType)).toEqual([]);
    await world.end();
  });

  it('keeps the latest three Jobs and 25 runs', async () => {
    const world = await repositoryWorld({ objects: [...base(), ready()] });
    world.start();
    await world.clock.advance(40 * hour);
    expect(world.jobs()).toHaveLength(3);
    const recent = world.repository()?.status?.recentMaintenance ?? [];
    expect(recent).toHaveLength(25);
    const starts = recent.map(({ startTimestamp }) => Date.parse(String(startTimestamp)));
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    await world.end();
  });

  it('that fails leaves its reason and an Event, is retried, and leaves the repository Ready', async () => {
    let failing = true;
    const ends: { repository: string; succeeded: boolean; ms: number }[] = [];
    const removed: string[] = [];
    const maintenanceObserver: MaintenanceObserver = {
      ended: (end) => ends.push(end),
      removed: (name) => removed.push(name),
    };
    const failure = `level=error msg="Repo maintenance error: the bucket is full"`;
    const world = await repositoryWorld({
      objects: [...base(), ready()],
      settings: { maintenanceObserver },
      jobEnd: () => (failing ? { afterMs: minute, failure } : { afterMs: minute }),
    });
    world.start();
    await world.clock.advance(hour + 2 * minute);
    expect(world.repository()?.status).toMatchObject({
      phase: 'Ready',
      lastMaintenanceTime: '2030-01-01T00:00:00Z',
      recentMaintenance: [{ result: 'Failed', message: 'the bucket is full"' }],
    });
    expect(world.events).toContainEqual({
      reason: 'MaintenanceFailed',
      message: 'the bucket is full"',
      kind: 'BackupRepository',
    });
    failing = false;
    await world.clock.advance(7 * minute);
    expect(world.repository()?.status?.recentMaintenance?.map(({ result }) => result)).toEqual(['Failed', 'Succeeded']);
    const repository = world.repository()?.metadata.name ?? '';
    expect(ends).toEqual([
      { repository, succeeded: false, ms: minute },
      { repository, succeeded: true, ms: minute },
    ]);
    await world.cluster.delete(backupRepositoryType, { namespace: 'velero', name: repository });
    await world.clock.advance(minute);
    expect(removed).toContain(repository);
    await world.end();
  });

  it('gives up a pod that does not start, reports why, and frees its place', async () => {
    const world = await repositoryWorld({ objects: [...base(), ready()], jobEnd: () => undefined });
    world.start();
    await world.clock.advance(hour + minute);
    const [job] = world.jobs();
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace, labels: { 'job-name': job?.metadata.name ?? '' } },
      spec: { containers: [] },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }],
      },
    };
    world.cluster.put(pod);
    await world.clock.advance(10 * minute);
    expect(world.repository()?.status?.recentMaintenance).toMatchObject([
      { result: 'Failed', message: 'its pod did not start: 0/3 nodes are available' },
    ]);
    expect(world.jobs().map(({ metadata }) => metadata.name)).not.toContain(job?.metadata.name);
    await world.end();
  });

  it.each([
    ['read-only', aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } })],
    ['not there', undefined],
  ])('does not run when the location is %s', async (_, location) => {
    const objects = [cloudSecret(), passwordSecret(), ready(), ...(location === undefined ? [] : [location])];
    const world = await repositoryWorld({ objects });
    world.start();
    await world.clock.advance(3 * hour);
    expect(world.endJobs.most).toBe(0);
    await world.end();
  });

  it('reports that the Deployment it copies from is missing, and runs when it exists', async () => {
    const world = await repositoryWorld({ objects: [...base(), ready()] });
    world.cluster.remove(
      { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', namespaced: true },
      { namespace, name: 'lateen-controller' },
    );
    world.start();
    await world.clock.advance(hour + minute);
    expect(world.events.map(({ reason }) => reason)).toContain('MaintenanceNotStarted');
    expect(world.repository()?.status?.phase).toBe('Ready');
    world.cluster.put(controllerDeployment);
    await world.clock.advance(8 * minute);
    expect(world.repository()?.status?.recentMaintenance).toHaveLength(1);
    await world.end();
  });

  it('is scheduled and sized as the ConfigMap says', async () => {
    const global = JSON.stringify({ podResources: { memoryLimit: '1Gi' }, keepLatestMaintenanceJobs: 1 });
    const world = await repositoryWorld({
      objects: [...base(), ready(), aConfigMap({ name: 'm', namespace, data: { global } })],
      settings: { maintenanceConfigMap: 'm' },
    });
    world.start();
    await world.clock.advance(5 * hour);
    expect(world.jobs()).toHaveLength(1);
    expect(world.jobs()[0]?.spec.template.spec.containers[0]?.resources).toEqual({ limits: { memory: '1Gi' } });
    await world.end();
  });

  it('runs for a few repositories at a time, and for each that is due', async () => {
    const many = Array.from({ length: 60 }, (_, at) =>
      numbered(at, { status: { lastMaintenanceTime: '2029-12-31T22:00:00Z' } }),
    );
    const world = await repositoryWorld({ objects: [...base(), ...many], settings: { maintenanceJobsMax: 3 } });
    world.start();
    await world.clock.advance(25 * minute);
    expect(world.endJobs.most).toBe(3);
    for (const repository of world.cluster.all(backupRepositoryType))
      expect(repository.status?.recentMaintenance, repository.metadata.name).toHaveLength(1);
    await world.end();
  });

  it.each([
    ['kopia', 'check', 1],
    ['kopia', 'change-password', 0],
    ['restic', 'check', 0],
    ['restic', 'usage', 1],
  ] as const)(
    'of %s beside a %s of a person that does not end runs %d times in an hour',
    async (engine, operation, runs) => {
      const isTheirs = ({ metadata }: Job) => metadata.labels?.[labels.repositoryOperation] === operation;
      const repository = ready({ spec: { repositoryType: engine } });
      const world = await repositoryWorld({
        objects: [...base(), repository],
        jobEnd: (job) => (isTheirs(job) ? undefined : { afterMs: minute }),
      });
      await world.asPerson({ operation, readDataPercent: 100, newPasswordKey: 'k' } as RepositoryTask);
      const [theirs] = world.jobs();
      world.start();
      await world.clock.advance(2 * hour - minute);
      expect(world.repository()?.status?.recentMaintenance ?? []).toHaveLength(runs);
      world.cluster.remove(jobType, { namespace, name: theirs?.metadata.name ?? '' });
      await world.clock.advance(5 * minute);
      expect(world.repository()?.status?.recentMaintenance).toHaveLength(runs + 1);
      await world.end();
    },
  );

  it('by a user is recorded like that of the controller, and its Job is kept until the user has seen its end', async () => {
    const global = JSON.stringify({ keepLatestMaintenanceJobs: 0 });
    const config = aConfigMap({ name: 'm', namespace, data: { global } });
    const world = await repositoryWorld({
      objects: [...base(), ready(), config],
      settings: { maintenanceConfigMap: 'm' },
    });
    world.start();
    const job = await world.asPerson({ operation: 'maintain', mode: 'full' });
    await world.clock.advance(10 * minute);
    expect(world.repository()?.status).toMatchObject({
      lastMaintenanceTime: '2030-01-01T00:01:00Z',
      recentMaintenance: [{ result: 'Succeeded', startTimestamp: '2030-01-01T00:00:00Z' }],
    });
    expect(world.jobs().map(({ metadata }) => metadata.name)).toEqual([job.metadata.name]);
    // The next run is due an hour after it.
    await world.clock.advance(hour - 10 * minute);
    expect(world.endJobs.total).toBe(1);
    await world.end();
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'is started by two controllers and three users at the same moment, several times, and runs once (seed %d)',
    async (seed) => {
      const due = ready({ status: { lastMaintenanceTime: '2029-12-31T23:00:10Z' } });
      const world = await repositoryWorld({ objects: [...base(), due] });
      const random = seededRandom(seed);
      // Calls finish in random order.
      world.cluster.intercept(async ({ verb }, next) => {
        if (verb !== 'watch') await world.clock.sleep(Math.floor(random.next() * 400));
        return next();
      });
      world.start();
      world.start();
      const failures: unknown[] = [];
      for (let round = 0; round < 40; round++) {
        for (let person = 0; person < 3; person++) {
          const task = { operation: 'maintain', mode: 'quick' } as const;
          void world.clock
            .sleep(random.next() * 1_000)
            .then(() => world.asPerson(task))
            .catch((error) => failures.push(error));
        }
        await world.clock.advance(20_000 * random.next());
      }
      await world.clock.advance(2 * minute);
      expect(failures.filter((error) => !isAppError(error, 'REPOSITORY_BUSY'))).toEqual([]);
      expect(world.endJobs.most).toBe(1);
      expect(world.endJobs.total).toBeGreaterThan(2);
      expect(world.repository()?.status?.recentMaintenance).toHaveLength(world.endJobs.total);
      await world.end();
    },
  );
});

describe('a controller that is killed', () => {
  /** Two times: Job, status, deletion of the Job. */
  const writes = [0, 1, 2, 3, 4, 5];
  const deaths = writes.flatMap((atWrite) => [
    { atWrite, when: 'before' as const },
    { atWrite, when: 'after' as const },
  ]);
  /** Validations of the location would add writes. */
  const quiet = aBackupStorageLocation({ spec: { validationFrequency: '0s' } });
  const global = JSON.stringify({ keepLatestMaintenanceJobs: 0 });
  const config = aConfigMap({ name: 'm', namespace, data: { global } });

  it.each(deaths)(
    'at write $atWrite, $when it is done: the next one continues, and no run is started or recorded twice',
    async (death) => {
      const objects = [quiet, cloudSecret(), passwordSecret(), ready(), config];
      const world = await repositoryWorld({ objects, settings: { maintenanceConfigMap: 'm' } });
      const first = world.startMortal({ dead: false, writes: 0, death });
      await world.clock.advance(2 * hour + 10 * minute);
      expect(first.dead).toBe(true);
      await world.end();
      const before = world.endJobs.total;
      world.start();
      await world.clock.advance(3 * hour);
      const recent = world.repository()?.status?.recentMaintenance ?? [];
      expect(recent.every(({ result }) => result === 'Succeeded')).toBe(true);
      const starts = recent.map(({ startTimestamp }) => startTimestamp);
      expect(new Set(starts).size).toBe(starts.length);
      expect(recent).toHaveLength(world.endJobs.total);
      expect(world.endJobs.total).toBeGreaterThan(before);
      expect(world.endJobs.most).toBe(1);
      expect(world.jobs()).toEqual([]);
      expect(world.said()).not.toContain(secretValue);
      expect(world.said()).not.toContain(passwordValue);
      await world.end();
    },
  );
});
