export { defaultQuietMs } from './location/default-reconciler.ts';
export { type LocationSettings, locationWorkers } from './location/location-loops.ts';
export type { LocationObserver, LocationReadings, Tell } from './location/location-observer.ts';
export { promptAnswerMs } from './location/location-reconciler.ts';
export { validationTimeoutMs } from './location/validate-location.ts';
export { type OpenedRepository, type OpenRepositoryPorts, openRepository } from './repository/open-repository.ts';
export { type LocationControllersOptions, runLocationControllers } from './run-location-controllers.ts';
export { wholeLocation } from './whole-object.ts';
