import { type BackupRepository, backupRepositoryType, jobType, podType } from '@lateen/api-types';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { keyOf, listAll } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { type RepositoryType, readyBackupRepository } from '@lateen/repository';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

/** Maintenance on a real cluster: the running controller creates the Jobs, with the permissions of deploy/. */
const volumeNamespace = `maintain-${systemRandom.suffix(5)}`;
const signal = AbortSignal.any([]);
const timeoutMs = 240_000;

let lateen: LateenUnderTest;
const made: BackupRepository[] = [];

beforeAll(async () => {
  lateen = await lateenUnderTest();
});

afterAll(async () => {
  for (const each of made) await lateen.kube.delete(backupRepositoryType, keyOf(each));
  await lateen.kube.close();
});

/** Maintained so often that it is due immediately. */
async function dueRepository(type: RepositoryType): Promise<BackupRepository> {
  const key = { namespace: lateen.veleroNamespace, volumeNamespace, location: 'default', type };
  const wait = { clock: systemClock, random: systemRandom, log: silentLogger, timeoutMs, signal };
  const repository = await readyBackupRepository(lateen.kube, key, wait);
  made.push(repository);
  const body = { spec: { maintenanceFrequency: '1s' } };
  return lateen.kube.patch(backupRepositoryType, keyOf(repository), { type: 'merge', body });
}

const runsOf = ({ status }: BackupRepository) => status?.recentMaintenance ?? [];

describe('maintenance on a real cluster', () => {
  it.each(['kopia', 'restic'] as const)(
    'of a %s repository runs as Jobs, one after the other, and is reported in its status',
    async (type) => {
      const { kube, veleroNamespace: namespace } = lateen;
      const repository = await dueRepository(type);
      const { name = '' } = repository.metadata;
      const maintained = await waitForObject<BackupRepository, BackupRepository>({
        api: kube,
        type: backupRepositoryType,
        key: keyOf(repository),
        clock: systemClock,
        signal: systemClock.deadline(timeoutMs),
        until: (seen) => (seen !== undefined && runsOf(seen).length >= 5 ? seen : undefined),
      });
      // No more runs from now on.
      const body = { spec: { maintenanceFrequency: '24h0m0s' } };
      await kube.patch(backupRepositoryType, keyOf(repository), { type: 'merge', body });
      expect(runsOf(maintained).map(({ result, message }) => ({ result, message }))).toEqual(
        runsOf(maintained).map(() => ({ result: 'Succeeded', message: undefined })),
      );
      expect(maintained.status?.lastMaintenanceTime).toBe(runsOf(maintained).at(-1)?.completeTimestamp);
      const ends = runsOf(maintained).map(({ startTimestamp, completeTimestamp }) => [
        startTimestamp,
        completeTimestamp,
      ]);
      for (const [at, [start]] of ends.entries()) {
        if (at > 0) expect(Date.parse(String(start))).toBeGreaterThanOrEqual(Date.parse(String(ends[at - 1]?.[1])));
      }
      const labelSelector = `velero.io/repo-name=${name}`;
      // The latest three, and perhaps one that is not recorded yet.
      const jobs = await listAll(kube, jobType, { namespace, labelSelector });
      expect(jobs.items.length).toBeLessThanOrEqual(5);
      const pods = await listAll(kube, podType, { namespace, labelSelector });
      const [container] = pods.items[0]?.spec.containers ?? [];
      expect(container).toMatchObject({ name: 'velero-repo-maintenance-container', command: ['repo-maintenance'] });
    },
    2 * timeoutMs,
  );
});
