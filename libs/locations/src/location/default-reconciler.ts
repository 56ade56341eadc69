import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { isConflict, isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { again, eventSubject, type Reconciler, settled } from '@lateen/kube-runtime';
import { type DefaultChange, decideDefault } from './decide-default.ts';
import { locationReasons, type Tell } from './location-observer.ts';

export interface DefaultReconcilerPorts {
  kube: KubeApi;
  /** From the informer's cache. */
  listLocations(): BackupStorageLocation[];
  /** The server's setting; "" for none. */
  defaultLocation: string;
  tell: Tell;
  clock: Clock;
  log: Logger;
}

/**
 * A client that moves the default writes two objects, one after the other. Only a state that lasts this long is corrected: otherwise
 * the state between the two writes would be "corrected".
 */
export const defaultQuietMs = 5_000;

/** Keeps exactly one location the default, as {@link decideDefault} says. Each write is guarded by resourceVersion. */
export function defaultReconciler(ports: DefaultReconcilerPorts): Reconciler {
  let marks = '';
  let sinceMs = 0;
  return {
    reconcile: async (_, signal) => {
      const { clock } = ports;
      const locations = ports.listLocations();
      const now = JSON.stringify(
        locations.map(({ metadata, spec }) => [metadata.uid, metadata.name, spec.default === true]).sort(),
      );
      if (now !== marks) [marks, sinceMs] = [now, clock.monotonicMs()];
      const changes = decideDefault(locations, ports.defaultLocation);
      if (changes.length === 0) return settled;
      const restMs = sinceMs + defaultQuietMs - clock.monotonicMs();
      if (restMs > 0) return again(restMs, 'the default may be changing');
      for (const change of changes) await write(ports, change, signal);
      // What others wrote meanwhile, and what our own writes have left, shows in the cache by then.
      return again(defaultQuietMs, 'whether there is one default now');
    },
  };
}

async function write(ports: DefaultReconcilerPorts, change: DefaultChange, signal: AbortSignal): Promise<void> {
  const { location, why } = change;
  const { resourceVersion } = location.metadata;
  const body = { metadata: { resourceVersion }, spec: { default: change.default } };
  try {
    await ports.kube.patch(backupStorageLocationType, keyOf(location), { type: 'merge', body }, { signal });
  } catch (error) {
    // Another client has written or deleted it: that change queues the key again.
    if (isConflict(error) || isNotFound(error)) return;
    throw error;
  }
  const said = change.default ? 'this is the default location now' : 'this is not the default location any more';
  ports.log.warn({ location: location.metadata.name, default: change.default, why }, said);
  const reason = change.default ? locationReasons.defaultSet : locationReasons.defaultUnset;
  ports.tell(eventSubject(location), reason, `${said}: ${why}`, change.default ? 'Normal' : 'Warning');
}
