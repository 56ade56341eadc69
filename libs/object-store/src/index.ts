export type { ObjectStore, ObjectStoreCallOptions, ObjectSummary, SignedUrlOptions } from './object-store.ts';
export { observedStore, type StoreCallEnd, type StoreObserver, type StoreOperation } from './observed-store.ts';
export { readOnlyStore } from './read-only-store.ts';
export { type RetryBudget, type RetryBudgetLimits, retryBudget, retryBudgetDefault } from './retry-budget.ts';
export {
  type RetryCalls,
  retryCalls,
  type StoreRetryDeps,
  type StoreRetryLimits,
  storeRetryDefault,
} from './retry-calls.ts';
export { retryingStore } from './retrying-store.ts';
export { type TransferRates, throttledStore, transferRates } from './throttled-store.ts';
export { type TokenBucket, tokenBucket } from './token-bucket.ts';
export { type PartWriter, writeInParts } from './write-in-parts.ts';
