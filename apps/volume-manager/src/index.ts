export { driverName, driverVersion, topologyKey } from './driver-name.ts';
export { type StorageInformers, storageInformers } from './rest/reading/storage-informers.ts';
export type { KindOfVolume, StorageKind, StorageKinds, StorageReader } from './rest/reading/storage-reader.ts';
export {
  type ApiAuth,
  apiAuths,
  type RestServer,
  type RestServerOptions,
  startRestServer,
} from './rest/start-rest-server.ts';
export type { EngineAtWork, VolumeWork } from './rest/volume-actions/volume-work.ts';
