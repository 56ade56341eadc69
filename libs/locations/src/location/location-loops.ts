import type { BackupStorageLocation } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { type Change, type Informer, runController, workQueue } from '@lateen/kube-runtime';
import type { ReachPorts } from '../reach-ports.ts';
import { SecretLooks } from '../secret-looks.ts';
import { Attempts } from './attempts.ts';
import { defaultReconciler } from './default-reconciler.ts';
import { LocationMemory } from './location-memory.ts';
import type { LocationObserver, Tell } from './location-observer.ts';
import { locationReconciler, slowLocationReconciler } from './location-reconciler.ts';
import { validationFrequencyDefaultMs } from './validation-due.ts';

/** Beside the ports, what `lateen-controller` can be told about locations. */
export interface LocationSettings {
  /** Which location becomes the default when none is marked; "" for none. Default `default`. */
  defaultLocation?: string;
  /** Between two validations of a location whose spec says nothing, in ms; 0: only when something changes. */
  validationFrequencyMs?: number;
  /** Default: nobody is told. */
  tell?: Tell;
  observer?: LocationObserver;
}

export interface LocationLoopsOptions extends LocationSettings, ReachPorts {
  namespace: string;
  locations: Informer<BackupStorageLocation>;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Locations validated at once: those that answer promptly, and those that may take 30 s each. */
export const locationWorkers = { prompt: 64, slow: 16 } as const;

export interface LocationLoops {
  /** To be told each change of a location, those that exist included. */
  changed(change: Change<BackupStorageLocation>): void;
  /** Runs until `signal` aborts; then resolves. */
  run(signal: AbortSignal): Promise<void>;
}

/** Validation, the looks at Secrets, and the choice of the default. */
export function locationLoops(options: LocationLoopsOptions): LocationLoops {
  const { kube, namespace, locations, clock, random, log, observer, tell = () => {} } = options;
  const queues = {
    prompt: workQueue({ name: 'backup-storage-location', clock, random }),
    slow: workQueue({ name: 'slow-backup-storage-location', clock, random }),
    default: workQueue({ name: 'default-backup-storage-location', clock, random }),
  };
  const looks = new SecretLooks({ kube, clock, log, onChanged: (key) => queues.prompt.add(key) });
  const attempts = new Attempts();
  const memory = new LocationMemory();
  const serverFrequencyMs = options.validationFrequencyMs ?? validationFrequencyDefaultMs;
  const own = { memory, looks, attempts, serverFrequencyMs, tell, observer };
  const { listAccountKey, openStore } = options;
  const ports = { kube, listAccountKey, openStore, getLocation: locations.get, clock, log, ...own };
  const reconcilers = {
    prompt: locationReconciler(ports, queues.slow),
    slow: slowLocationReconciler(ports, queues.prompt),
    default: defaultReconciler({
      kube,
      listLocations: locations.list,
      defaultLocation: options.defaultLocation ?? 'default',
      tell,
      clock,
      log,
    }),
  };
  observer?.readings(() => ({
    locations: locations.list(),
    slow: memory.slow,
    attempts: attempts.size,
    secrets: looks.size,
    secretLooks: looks.looks,
  }));
  return {
    changed: (change) => {
      queues.prompt.add(keyText(keyOf(change.object)));
      if (mattersToDefault(change)) queues.default.add(keyText({ namespace, name: 'the default' }));
    },
    run: async (signal) => {
      const lane = (name: 'prompt' | 'slow' | 'default', workers: number) =>
        runController({
          name: queues[name].name,
          queue: queues[name],
          reconciler: reconcilers[name],
          workers,
          clock,
          log,
          signal,
        });
      await Promise.all([
        lane('prompt', locationWorkers.prompt),
        lane('slow', locationWorkers.slow),
        lane('default', 1),
        looks.run(signal),
      ]);
    },
  };
}

/** Each validation writes a time; that alone is nothing to the choice of the default, which looks at all locations. */
function mattersToDefault(change: Change<BackupStorageLocation>): boolean {
  if (change.type !== 'updated') return true;
  const { object, previous } = change;
  return (
    object.spec.default !== previous.spec.default ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    object.metadata.uid !== previous.metadata.uid
  );
}
