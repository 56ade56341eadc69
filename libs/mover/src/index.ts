export type { DataPathTask } from './data-path-ports.ts';
export {
  type DataPathKind,
  type DataPathResource,
  type EngineWish,
  subjectOf,
  type VolumeMark,
} from './data-path-subject.ts';
export { type MoverPorts, moveVolume } from './move-volume.ts';
