import { directoryOfAll } from '@lateen/backup-store';
import type { Clock, Random } from '@lateen/kernel';
import {
  observedStore,
  type RetryBudget,
  readOnlyStore,
  retryBudget,
  retryingStore,
  type TokenBucket,
  type TransferRates,
  throttledStore,
  transferRates,
} from '@lateen/object-store';
import type { OpenStore, StoreLocation } from '@lateen/storage-location';
import type { StoreObserverOf } from './object-store-metrics.ts';

/** Locations of which something is kept; the one that was opened longest ago gives way to a new one. */
const locationsMax = 10_000;

/** What the stores of one location share, however often they are opened, and with no other's. */
interface Shared {
  budget: RetryBudget;
  rates: TransferRates;
}

/**
 * Stores whose calls are counted, tried again when a moment may help, move no faster than their location allows, and
 * change nothing in a read-only one but the files of restores: that protects backups, and is how people restore (docs/adr/0040). A location's stores share one budget of retries and one pair of rates. Opening one
 * sets the rates to what the location says by then, also for the transfers of those that are open.
 */
export function decoratedStores(
  open: OpenStore,
  { clock, random, observerOf }: { clock: Clock; random: Random; observerOf: StoreObserverOf | undefined },
): OpenStore {
  const all = new Map<string, Shared>();
  const sharedOf = (location: StoreLocation): Shared => {
    const { name, uploadBytesPerSecond: up, downloadBytesPerSecond: down } = location;
    const shared = all.get(name) ?? { budget: retryBudget(), rates: transferRates({}, clock) };
    all.delete(name);
    all.set(name, shared);
    const [oldest] = all.keys();
    if (all.size > locationsMax && oldest !== undefined) all.delete(oldest);
    follow(shared.rates.up, up);
    follow(shared.rates.down, down);
    return shared;
  };
  return (location) => {
    const plain = open(location);
    const { budget, rates } = sharedOf(location);
    const throttled = throttledStore(plain, rates);
    const observed =
      observerOf === undefined ? throttled : observedStore(throttled, observerOf(location.provider), clock);
    const retrying = retryingStore(observed, { clock, random, budget });
    return location.readOnly
      ? readOnlyStore(retrying, location.name, directoryOfAll(location.prefix, 'restores'))
      : retrying;
  };
}

/** A rate that is what it was is left alone: whoever waits for it would look again for nothing. */
function follow(bucket: TokenBucket, bytesPerSecond: number | undefined): void {
  if (bucket.bytesPerSecond !== bytesPerSecond) bucket.setRate(bytesPerSecond);
}
