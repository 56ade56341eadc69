import { type BackupRepository, backupRepositoryType, leaseType } from '@lateen/api-types';
import { takeRepositoryLock } from '@lateen/maintenance';
import { aBackupRepository, FakeClock, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { mustHoldLock } from './must-hold-lock.ts';

const { signal } = new AbortController();

function setUp() {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: [aBackupRepository()] });
  const repository = kube.all(backupRepositoryType)[0] as BackupRepository;
  const ports = { kube, clock };
  const holds = (jobName: string | undefined, operation: 'maintain' | 'usage' = 'maintain') =>
    mustHoldLock(ports, { repository, operation, jobName }, signal);
  return { kube, clock, holds, take: (jobName: string) => takeRepositoryLock(ports, repository, jobName, signal) };
}

describe('a task that must run alone', () => {
  it('starts when its Job has the lock', async () => {
    const { holds, take } = setUp();
    await take('mine');
    await holds('mine');
  });

  it('does nothing when another Job has the lock by now', async () => {
    const { clock, holds, take } = setUp();
    await take('mine');
    await clock.advance(60_000);
    await take('theirs');
    await expect(holds('mine')).rejects.toMatchObject({
      code: 'REPOSITORY_BUSY',
      message: 'Job velero/theirs is working on repository app-default-kopia',
    });
  });

  it('needs no lock when it only reads, or when its Job is not known', async () => {
    const { kube, holds } = setUp();
    await holds('mine', 'usage');
    await holds(undefined);
    expect(kube.all(leaseType)).toEqual([]);
  });
});
