export { defaultQuietMs } from './location/default-reconciler.ts';
export { type LocationSettings, locationWorkers } from './location/location-loops.ts';
export {
  type LocationObserver,
  type LocationReadings,
  locationReasons,
  type Tell,
} from './location/location-observer.ts';
export { promptAnswerMs } from './location/location-reconciler.ts';
export { validationTimeoutMs } from './location/validate-location.ts';
export { unavailableFrequencyMs, validationFrequencyDefaultMs } from './location/validation-due.ts';
export { type OpenStore, openStoreBy, type StoreMakers } from './open-store.ts';
export { ensureRepositoryPassword } from './repository/ensure-password.ts';
export {
  type OpenedRepository,
  type OpenRepositoryPorts,
  openRepository,
  openTimeoutMs,
} from './repository/open-repository.ts';
export { type LocationControllersOptions, runLocationControllers } from './run-location-controllers.ts';
