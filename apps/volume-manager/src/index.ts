export { driverName, driverVersion, topologyKey } from './driver-name.ts';
