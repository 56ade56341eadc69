import type { Clock, Random } from '@lateen/kernel';
import type { OpenStore } from '@lateen/locations';
import { observedStore, type RetryBudget, readOnlyStore, retryBudget, retryingStore } from '@lateen/object-store';
import type { StoreObserverOf } from './object-store-metrics.ts';

/** Locations whose retries are budgeted; the one that was opened longest ago gives way to a new one. */
const budgetsMax = 10_000;

/**
 * Stores whose calls are counted, tried again when a moment may help, and that change nothing in a read-only location. A
 * location's stores share one budget of retries, however often they are opened, and take none of another's.
 */
export function decoratedStores(
  open: OpenStore,
  { clock, random, observerOf }: { clock: Clock; random: Random; observerOf: StoreObserverOf | undefined },
): OpenStore {
  const budgets = new Map<string, RetryBudget>();
  const budgetOf = (name: string): RetryBudget => {
    const budget = budgets.get(name) ?? retryBudget();
    budgets.delete(name);
    budgets.set(name, budget);
    const [oldest] = budgets.keys();
    if (budgets.size > budgetsMax && oldest !== undefined) budgets.delete(oldest);
    return budget;
  };
  return (location) => {
    const plain = open(location);
    const observed = observerOf === undefined ? plain : observedStore(plain, observerOf(location.provider), clock);
    const retrying = retryingStore(observed, { clock, random, budget: budgetOf(location.name) });
    return location.readOnly ? readOnlyStore(retrying, location.name) : retrying;
  };
}
