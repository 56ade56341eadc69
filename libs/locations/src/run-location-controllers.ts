import { backupStorageLocationType } from '@lateen/api-types';
import { type ControllerBase, informer } from '@lateen/kube-runtime';
import type { ReachPorts } from '@lateen/storage-location';
import { type LocationSettings, runLocationLoops } from './location/location-loops.ts';
import { runRepositoryLoops } from './repository/repository-loops.ts';
import type { RepositorySettings } from './repository/repository-loops-options.ts';
import type { RepositoryPorts } from './repository/repository-ports.ts';
import { wholeLocation } from './whole-object.ts';

export interface LocationControllersOptions extends LocationSettings, RepositorySettings, ReachPorts, ControllerBase {
  /** Only locations and repositories of this namespace are processed. */
  namespace: string;
  openRepository: RepositoryPorts['openRepository'];
}

/** Runs the controllers of BackupStorageLocation and BackupRepository until `signal` aborts. */
export async function runLocationControllers(options: LocationControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, clock, random, log } = options;
  const base = { api: kube, namespace, clock, random, log };
  const locations = informer({ ...base, type: backupStorageLocationType, transform: wholeLocation });
  await Promise.all([
    locations.run(signal),
    runLocationLoops({ ...options, locations }, signal),
    runRepositoryLoops({ ...options, locations }, signal),
  ]);
}
