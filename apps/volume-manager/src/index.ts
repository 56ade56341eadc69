export { driverName, driverVersion, topologyKey } from './driver-name.ts';
export { type HostCommandsOptions, hostCommands } from './run-command.ts';
