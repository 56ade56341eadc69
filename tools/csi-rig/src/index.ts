export { attempt, command } from './command.ts';
export { type DriverOptions, type DriverProcess, startDriver } from './driver-process.ts';
export { type Leftovers, leftoversBelow } from './leftovers.ts';
export {
  createSnapshotRequest,
  createVolumeRequest,
  expandRequest,
  nodeExpandRequest,
  type Places,
  publishRequest,
  stageRequest,
} from './requests.ts';
export { makeScratch, type Scratch } from './scratch.ts';
