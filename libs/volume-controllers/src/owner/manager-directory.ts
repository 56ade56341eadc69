import type { Lease } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { type Informer, type LeaseObservation, observeLease } from '@lateen/kube-runtime';
import { type Availability, managerAvailability, managerLease, managerLeaseName } from '@lateen/volume-decisions';

/** Which managers are available, by their leases and this manager's own clock. */
export interface ManagerDirectory {
  available(node: string): Availability;
  /** All nodes that have a manager or had one, sorted. */
  nodes(): readonly string[];
  /** Called when the availability of managers has changed. */
  onChange(handler: (nodes: readonly string[]) => void): void;
  /** Detects expired leases until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const prefix = managerLeaseName('');

export function managerDirectory(
  leases: Pick<Informer<Lease>, 'get' | 'list' | 'onChange' | 'hasSynced'>,
  namespace: string,
  clock: Clock,
): ManagerDirectory {
  const observed = new Map<string, LeaseObservation>();
  const told = new Map<string, Availability>();
  const handlers: ((nodes: readonly string[]) => void)[] = [];

  const available = (node: string): Availability => {
    const name = managerLeaseName(node);
    const lease = leases.get({ namespace, name });
    const seen = lease === undefined ? undefined : { lease, observed: seenOf(name, lease) };
    return managerAvailability(seen, leases.hasSynced, clock.monotonicMs());
  };
  const seenOf = (name: string, lease: Lease): LeaseObservation => {
    const seen = observeLease(lease, observed.get(name), clock.monotonicMs());
    observed.set(name, seen);
    return seen;
  };
  const nodes = (): string[] =>
    leases
      .list()
      .map(({ metadata: { name = '' } }) => name)
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      .sort();
  const look = (): void => {
    const changed = [...new Set([...nodes(), ...told.keys()])].filter((node) => told.get(node) !== available(node));
    for (const node of changed) told.set(node, available(node));
    if (changed.length > 0) for (const handler of handlers) handler(changed);
  };
  leases.onChange(({ type, object }) => {
    const { name = '' } = object.metadata;
    if (!name.startsWith(prefix)) return;
    if (type === 'deleted') observed.delete(name);
    else seenOf(name, object);
    look();
  });
  return {
    available,
    nodes,
    onChange: (handler) => void handlers.push(handler),
    run: async (signal) => {
      while (!signal.aborted) {
        look();
        await clock.sleep(managerLease.renewMs, signal).catch(() => {});
      }
    },
  };
}
