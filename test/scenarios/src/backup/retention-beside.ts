import { backupStorageLocationType, backupType, type Restore, restoreType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { informer, withSpecOr } from '@lateen/kube-runtime';
import { runRetentionControllers } from '@lateen/retention';
import { backupIndexers } from '@lateen/schedule';
import { jobActor, seededRandom } from '@lateen/testing';
import { onTestFinished } from 'vitest';
import { forgetProgram } from '../retention/forget-program.ts';
import { deployment } from '../retention/retention-world.ts';
import { type BackupWorld, namespace } from './backup-world.ts';

/** Starts the controllers of retention in the world of backups, with repositories that can forget. They end with the test. */
export function retentionBeside(
  world: BackupWorld,
  repositories: Map<string, Set<string>>,
  kube: KubeApi = world.cluster,
): { jobs: string[] } {
  const { cluster, clock, log } = world;
  const jobs: string[] = [];
  cluster.put(deployment);
  const stop = new AbortController();
  const base = { kube, clock, random: seededRandom(7), log };
  const informed = { ...base, api: kube, namespace };
  const backups = informer({ ...informed, type: backupType, indexers: backupIndexers });
  const restores = informer({ ...informed, type: restoreType, transform: withSpecOr<Restore>(() => ({})) });
  const locations = informer({ ...informed, type: backupStorageLocationType });
  const running = Promise.all([
    backups.run(stop.signal),
    restores.run(stop.signal),
    locations.run(stop.signal),
    runRetentionControllers(
      {
        ...base,
        namespace,
        identity: 'c',
        backups,
        restores,
        locations,
        listAccountKey: async () => undefined,
        openStore: () => ({ ...world.store, close: async () => {} }),
        ...world.native,
        deleteActions: [],
        settingsOf: async () => ({ keepLatestMaintenanceJobs: 3 }),
      },
      stop.signal,
    ),
  ]);
  const endJobs = jobActor(cluster, (job) => forgetProgram({ cluster, repositories, jobs, fault: undefined }, job));
  onTestFinished(async () => {
    endJobs();
    stop.abort(new Error('the test is over'));
    await running;
  });
  return { jobs };
}
