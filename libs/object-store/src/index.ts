export type { ObjectStore, ObjectStoreCallOptions, ObjectSummary, SignedUrlOptions } from './object-store.ts';
