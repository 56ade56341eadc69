import type { BackupStorageLocation } from '@lateen/api-types';
import { type Change, type ControllerBase, controller, type Informer, watches } from '@lateen/kube-runtime';
import type { ReachPorts } from '@lateen/storage-location';
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
  /** Default: no observer. */
  tell?: Tell;
  observer?: LocationObserver;
}

export interface LocationLoopsOptions extends LocationSettings, ReachPorts, ControllerBase {
  namespace: string;
  locations: Informer<BackupStorageLocation>;
}

/** Locations validated at once: those that answer promptly, and those that may take 30 s each. */
export const locationWorkers = { prompt: 64, slow: 16 } as const;

/** Runs validation, the checks of Secrets, and the choice of the default. Runs until `signal` aborts; then resolves. */
export async function runLocationLoops(options: LocationLoopsOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, locations, clock, log, observer, tell = () => {} } = options;
  const looks = new SecretLooks({ kube, clock, log, onChanged: (key) => prompt.queue.add(key) });
  const attempts = new Attempts();
  const memory = new LocationMemory();
  const serverFrequencyMs = options.validationFrequencyMs ?? validationFrequencyDefaultMs;
  const own = { memory, looks, attempts, serverFrequencyMs, tell, observer };
  const { listAccountKey, openStore } = options;
  const ports = { kube, listAccountKey, openStore, getLocation: locations.get, clock, log, ...own };
  const prompt = controller(options, {
    name: 'backup-storage-location',
    for: locations,
    reconciler: () => locationReconciler(ports, { add: (key) => slow.queue.add(key) }),
    workers: locationWorkers.prompt,
  });
  const slow = controller(options, {
    name: 'slow-backup-storage-location',
    for: locations,
    wakes: () => false,
    reconciler: () => slowLocationReconciler(ports, prompt.queue),
    workers: locationWorkers.slow,
  });
  const theDefault = { namespace, name: 'the default' };
  const defaults = controller(options, {
    name: 'default-backup-storage-location',
    for: locations,
    wakes: () => false,
    watches: [watches(locations, (change) => (mattersToDefault(change) ? [theDefault] : []))],
    reconciler: () =>
      defaultReconciler({
        kube,
        listLocations: locations.list,
        defaultLocation: options.defaultLocation ?? 'default',
        tell,
        clock,
        log,
      }),
  });
  observer?.readings(() => ({
    locations: locations.list(),
    slow: memory.slow,
    attempts: attempts.size,
    secrets: looks.size,
    secretLooks: looks.looks,
  }));
  await Promise.all([prompt.run(signal), slow.run(signal), defaults.run(signal), looks.run(signal)]);
}

/** Each validation writes a time; this alone does not concern the choice of the default, which reads all locations. */
function mattersToDefault(change: Change<BackupStorageLocation>): boolean {
  if (change.type !== 'updated') return true;
  const { object, previous } = change;
  return (
    object.spec.default !== previous.spec.default ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    object.metadata.uid !== previous.metadata.uid
  );
}
