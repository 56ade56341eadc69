export type { DataPathTask } from './data-path-ports.ts';
export { type DataPathResource, type Direction, engineTask } from './data-path-subject.ts';
export { type MoverPorts, moveVolume } from './move-volume.ts';
