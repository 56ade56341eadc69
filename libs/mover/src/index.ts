export type { DataPathEvent } from './data-path-messages.ts';
export type { DataPathPorts, DataPathTask } from './data-path-ports.ts';
export { type DataPathResource, type Direction, engineTask } from './data-path-subject.ts';
export { type DataPathEnd, runDataPath } from './run-data-path.ts';
