import { type BackupRepository, type Deployment, type Job, jobType, leaseType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { apiTime, type KubeApi, keyOf, listAll } from '@lateen/kube';
import {
  endedKeptMs,
  jobEnd,
  maintenanceJobName,
  releaseRepositoryLock,
  startRepositoryJob,
  takeRepositoryLock,
} from '@lateen/maintenance';
import { aBackupRepository } from '@lateen/testing';
import { expect, it } from 'vitest';
import { base, describeWithApiServer } from './with-api-server.ts';

const { signal } = new AbortController();
const [rounds, persons, controllers] = [8, 8, 4];

await describeWithApiServer('the lock of a repository on a real kube-apiserver', (under) => {
  const repositoryIn = (namespace: string): BackupRepository => {
    const repository = aBackupRepository({ namespace });
    return { ...repository, metadata: { ...repository.metadata, uid: base.random.uuid() } };
  };
  const deploymentIn = (namespace: string): Deployment => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'lateen-controller', namespace },
    spec: {
      selector: { matchLabels: { name: 'lateen-controller' } },
      template: { spec: { containers: [{ name: 'lateen-controller', image: 'lateen:1' }] } },
    },
  });
  const start = (kube: KubeApi, repository: BackupRepository, atMs: number, mayBeMade: boolean) =>
    startRepositoryJob(
      { kube, clock: base.clock },
      {
        repository,
        deployment: deploymentIn(repository.metadata.namespace ?? ''),
        task: { operation: 'maintain', mode: 'auto' },
        // Lists of a cache that is behind: only the lock keeps them apart.
        others: [],
        mayBeMade,
        atMs,
        deadlineMs: 60_000,
        keptMs: endedKeptMs,
      },
      signal,
    );
  const end = (job: Job) => {
    const now = apiTime(base.clock.now());
    const condition = (type: string) => ({ type, status: 'True', lastProbeTime: now, lastTransitionTime: now });
    const status = {
      startTime: now,
      failed: 1,
      conditions: [condition('FailureTarget'), condition('Failed')],
    };
    return under.kube.patch(jobType, keyOf(job), { type: 'merge', body: { status } }, { subresource: 'status' });
  };

  const interrupt = async (repository: BackupRepository, job: Job) => {
    await under.kube.delete(jobType, keyOf(job), { propagationPolicy: 'Background' });
    await releaseRepositoryLock({ ...base, kube: under.kube }, repository, job.metadata.name ?? '', signal);
  };

  it('is acquired by one of many clients who ask at the same time, each over separate connections, round after round', {
    timeout: 300_000,
  }, async () => {
    const namespace = await under.namespace();
    const repository = repositoryIn(namespace);
    const clients = Array.from({ length: persons + controllers }, () => under.inCluster());
    try {
      for (let round = 0; round < rounds; round++) {
        const atMs = 1_000_000 * (round + 1);
        const ends = await Promise.allSettled(
          clients.map((kube, at) =>
            // Controllers derive the same name from the due time of maintenance; each user has another name.
            at < controllers ? start(kube, repository, atMs, true) : start(kube, repository, atMs + at, false),
          ),
        );
        const { items } = await listAll(under.kube, jobType, { namespace });
        const running = items.filter((job) => jobEnd(job) === undefined);
        expect(running).toHaveLength(1);
        const [made] = running;
        const won = ends.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
        expect(won.length).toBeGreaterThan(0);
        expect(new Set(won.map(({ metadata }) => metadata.uid))).toEqual(new Set([made?.metadata.uid]));
        const refused = ends.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
        expect(refused.filter((error) => !isAppError(error, 'REPOSITORY_BUSY'))).toEqual([]);
        if (made === undefined) throw new Error('there is none');
        // Half of them end, the others are deleted as with Ctrl-C.
        if (round % 2 === 0) await end(made);
        else await interrupt(repository, made);
      }
      const { items: leases } = await listAll(under.kube, leaseType, { namespace });
      expect(leases).toHaveLength(1);
    } finally {
      await Promise.all(clients.map((kube) => kube.close()));
    }
  });

  it('is not acquired again by a client that slept until another one had started', async () => {
    const repository = repositoryIn(await under.namespace());
    const slept = { kube: under.kube, clock: { ...base.clock, now: () => base.clock.now() - 120_000 } };
    expect(await takeRepositoryLock(slept, repository, 'slept', signal)).toEqual({ held: true });
    const job = await start(under.kube, repository, base.clock.now(), false);
    expect(await takeRepositoryLock({ ...base, kube: under.kube }, repository, 'slept', signal)).toEqual({
      held: false,
      by: job.metadata.name,
    });
  });

  it('keeps a Job whose deadline is extended while it is followed', async () => {
    const repository = repositoryIn(await under.namespace());
    const job = await start(under.kube, repository, 7, false);
    expect(job.metadata.name).toBe(maintenanceJobName(repository.metadata.name ?? '', 'maintain', 7));
    const body = { spec: { activeDeadlineSeconds: 7_200 } };
    const patched = await under.kube.patch(jobType, keyOf(job), { type: 'merge', body });
    expect(patched.spec).toMatchObject({ activeDeadlineSeconds: 7_200, ttlSecondsAfterFinished: 3_600 });
  });
});
