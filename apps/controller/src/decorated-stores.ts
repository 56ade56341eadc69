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

/** The most locations with kept state; the least recently opened one is dropped for a new one. */
const locationsMax = 10_000;

/** The state that all stores of one location share, and no other location. */
interface Shared {
  budget: RetryBudget;
  rates: TransferRates;
}

/**
 * Stores whose calls are counted, retried after errors that may pass, and limited to the location's rates. In a read-only
 * location they change nothing but the files of restores: that protects the backups, and users restore from such locations
 * (docs/adr/0040). The stores of a location share one retry budget and one pair of rates. Opening a store sets the rates to the
 * location's present values, also for transfers that are running.
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

/** An unchanged rate is not set again, because every change wakes the waiting transfers. */
function follow(bucket: TokenBucket, bytesPerSecond: number | undefined): void {
  if (bucket.bytesPerSecond !== bytesPerSecond) bucket.setRate(bytesPerSecond);
}
