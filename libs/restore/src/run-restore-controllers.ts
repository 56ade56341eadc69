import type { BackupStorageLocation, Restore } from '@lateen/api-types';
import { redactText } from '@lateen/kernel';
import { keyOf, type PodExec } from '@lateen/kube';
import {
  type Change,
  type ControllerBase,
  controller,
  eventRecorder,
  type Informer,
  watches,
} from '@lateen/kube-runtime';
import { hasMovedOn, operationFollowers } from '@lateen/run';
import { ExecHooks } from './hooks/exec-hooks.ts';
import { KeptOperations } from './operations/kept-operations.ts';
import { restoreOperations } from './operations/restore-operations.ts';
import { isUnderWay } from './phases/phase-moves.ts';
import { tellContinued, tellLocationAwaited, tellPhase, tellWaiting } from './restore-events.ts';
import type { RestoreObserver } from './restore-observer.ts';
import type { RestorePorts } from './restore-ports.ts';
import { restoreReconciler } from './restore-reconciler.ts';
import { LocationWaits } from './run/location-waits.ts';
import { engineLimits } from './run/restore-objects.ts';
import { Turns } from './turns/turns.ts';

export interface RestoreControllersOptions
  extends ControllerBase,
    Omit<
      RestorePorts,
      'restores' | 'hooks' | 'kept' | 'onMove' | 'onWaiting' | 'onContinued' | 'onLocationAwaited' | 'redact'
    > {
  /** All Restores of the installation; a missing spec counts as empty (`withSpecOr`). The caller runs the informer. */
  restores: Pick<Informer<Restore>, 'get' | 'list' | 'synced' | 'onChange'>;
  /** All BackupStorageLocations of the installation. The caller runs the informer. */
  locations: Pick<Informer<BackupStorageLocation>, 'synced' | 'onChange'>;
  exec: PodExec;
  observer?: RestoreObserver | undefined;
}

/** Workers for validating, following, finalizing and ending restores, in addition to those of running restores. */
const otherWorkers = 8;

/** Runs the controller of Restores until `signal` aborts; then resolves. */
export async function runRestoreControllers(options: RestoreControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, clock, random, log, settings, observer, restores, locations } = options;
  const events = eventRecorder({
    api: kube,
    clock,
    random,
    log,
    component: 'lateen-controller',
    host: options.identity,
  });
  const telling = { events, log };
  const hooks = new ExecHooks(options);
  const kept = new KeptOperations(log);
  const ports: RestorePorts = {
    ...options,
    hooks,
    kept,
    onMove: (before, after) => {
      tellPhase(telling, after);
      observer?.moved(before, after);
      if (isUnderWay(after)) return;
      kept.forget(after.metadata.name ?? '');
      void hooks.stop(after);
    },
    onWaiting: (restore, turn) => tellWaiting(telling, restore, turn),
    onContinued: (restore, attempt) => tellContinued(telling, restore, attempt),
    onLocationAwaited: (restore, location) => tellLocationAwaited(telling, restore, location),
    redact: redactText,
  };
  const operations = restoreOperations(ports);
  const locationWaits = new LocationWaits(clock, engineLimits(settings).resourceTimeoutMs);
  const keysIn = (...phases: string[]) =>
    restores
      .list()
      .filter(({ status }) => phases.includes(status?.phase || 'New'))
      .map(keyOf);
  const work = controller(options, {
    name: 'restore',
    for: restores,
    // Other restores may wait for a restore that starts, ends, or is removed before its start.
    watches: [
      watches(restores, (change) => (mattersToOthers(change) ? keysIn('New') : [])),
      watches(locations, (change) => (hasChangedPhase(change) ? keysIn('InProgress') : [])),
    ],
    reconciler: (queue) =>
      restoreReconciler({
        ports,
        operations,
        followers: operationFollowers(operations, (key, afterMs) => queue.addAfter(key, afterMs)),
        turns: new Turns(restores.list, settings.concurrentRestores),
        verdicts: new Map(),
        locationWaits,
      }),
    workers: settings.concurrentRestores + otherWorkers,
  });
  const stopWaits = restores.onChange(({ type, object }) => {
    if (type === 'deleted' || object.status?.phase !== 'InProgress') locationWaits.end(object);
  });
  observer?.readings(() => restores.list());
  try {
    await work.run(signal);
  } finally {
    stopWaits();
    await hooks.end();
  }
}

/** Ignores other changes, because validation writes the time into a location again and again. */
const hasChangedPhase = (change: Change<BackupStorageLocation>): boolean =>
  change.type !== 'updated' || change.object.status?.phase !== change.previous.status?.phase;

const mattersToOthers = (change: Change<Restore>): boolean =>
  change.type === 'updated' ? hasMovedOn(change) : change.type === 'deleted';
