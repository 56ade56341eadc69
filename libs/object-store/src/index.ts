export type { ObjectStore, ObjectStoreCallOptions, ObjectSummary } from './object-store.ts';
