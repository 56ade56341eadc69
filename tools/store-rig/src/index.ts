export { type DistantStore, type DistantStoreOptions, startDistantStore } from './distant-store.ts';
export { type SpawnedDistantStore, spawnDistantStore } from './distant-store-process.ts';
export { type KeyedLocation, type S3Server, s3Keys, startS3Server } from './s3-server.ts';
export type { StoreConditions } from './store-conditions.ts';
export { noFigures, type StoreFigures } from './store-figures.ts';
export { type StoreRequest, storeRequest } from './store-request.ts';
