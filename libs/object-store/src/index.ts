export { askToken, type TokenQuestion, tokenPlace } from './ask-token.ts';
export { type ByteRange, bytesOfRange, checkByteRange, type RangeAnswer, rangeHeader, tooShort } from './byte-range.ts';
export { type Beginning, beginningOf } from './failures/beginning-of.ts';
export { type OwnWords, type Refusal, refusalOf, saidIn } from './failures/refusal.ts';
export { type ProviderWords, type RefusalCause, refusedError } from './failures/refused-error.ts';
export { sentSecrets } from './failures/said-text.ts';
export { placeText, type StorePlace } from './failures/store-place.ts';
export { endsEarly, notWhatWasAsked, tooLarge } from './failures/strange-answer.ts';
export { unreachableError } from './failures/unreachable-error.ts';
export { withoutSignatures } from './failures/without-signatures.ts';
export { isHostAndPort, isHostLabel } from './host-name.ts';
export { jsonObjectIn } from './json-object.ts';
export { nestsDeeper } from './nests-deeper.ts';
export { checkedKeys, checkObjectKey, objectKeyBytesMax, wrongInKey } from './object-key.ts';
export type {
  ObjectStore,
  ObjectStoreCallOptions,
  ObjectSummary,
  ReadOptions,
  SignedUrlOptions,
} from './object-store.ts';
export { observedStore, type StoreCallEnd, type StoreObserver, type StoreOperation } from './observed-store.ts';
export { oneHeader } from './one-header.ts';
export { environmentProxies, type ProxyFor } from './proxies/proxies.ts';
export { ProxyError, proxyErrorIn } from './proxies/proxy-error.ts';
export { type LeanRequest, postLean } from './proxies/send-lean.ts';
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
export { timeTold } from './time-told.ts';
export { type TokenBucket, tokenBucket } from './token-bucket.ts';
export { type PartWriter, writeInParts } from './write-in-parts.ts';
export { textOf, textsOf } from './xml-text.ts';
