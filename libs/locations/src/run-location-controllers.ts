import { backupStorageLocationType } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { informer } from '@lateen/kube-runtime';
import { type LocationSettings, locationLoops } from './location/location-loops.ts';
import type { ReachPorts } from './reach-ports.ts';
import { repositoryLoops } from './repository/repository-loops.ts';
import type { RepositorySettings } from './repository/repository-loops-options.ts';
import type { RepositoryPorts } from './repository/repository-ports.ts';
import { wholeLocation } from './whole-object.ts';

export interface LocationControllersOptions extends LocationSettings, RepositorySettings, ReachPorts {
  /** Only locations and repositories of this namespace are looked at. */
  namespace: string;
  openRepository: RepositoryPorts['openRepository'];
  clock: Clock;
  random: Random;
  log: Logger;
  /** Called when everything that exists has been seen once. */
  onSynced?: () => void;
}

/** Runs the controllers of BackupStorageLocation and BackupRepository until `signal` aborts. */
export async function runLocationControllers(options: LocationControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, clock, random, log } = options;
  const base = { api: kube, namespace, clock, random, log };
  const locations = informer({ ...base, type: backupStorageLocationType, transform: wholeLocation });
  const loops = locationLoops({ ...options, locations });
  const repositories = repositoryLoops({ ...options, locations });
  const running = [locations.run(signal), repositories.watch(signal)];
  // Workers start when the caches are full: a location not yet seen would look like one that is missing.
  const synced = Promise.all([locations.synced(signal), repositories.synced(signal)]).then(
    () => {
      locations.onChange((change) => {
        loops.changed(change);
        repositories.locationChanged(change);
      });
      options.onSynced?.();
      return true;
    },
    () => false,
  );
  if (await synced) running.push(loops.run(signal), repositories.run(signal));
  await Promise.all(running);
}
