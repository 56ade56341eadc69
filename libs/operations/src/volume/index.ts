export { requestCancel } from './cancel-movements.ts';
export { type DownloadSource, sourceOfUpload } from './download-source.ts';
export { type DownloadVolumeOptions, downloadVolume } from './download-volume.ts';
export type { VolumeMode } from './ensure-target-pvc.ts';
export { findMovements, type MovementSelection } from './find-movements.ts';
export {
  type FindStoredVolume,
  findStoredVolume,
  type StoredVolume,
  type StoredVolumeChoice,
} from './find-stored-volume.ts';
export { followMovement } from './follow-movement.ts';
export { createComparedVolume, findKeptSnapshot, type KeptSnapshot, keptName, mustBeKept } from './kept-snapshot.ts';
export {
  hasEnded,
  isOfVolume,
  type MovementRow,
  movementRow,
  phaseOf,
  throughputOf,
  timeMs,
  verbOf,
  volumeOf,
} from './movement-facts.ts';
export { kindOf, type Movement, type MovementKind, movementKinds } from './movement-kinds.ts';
export { type UploadPodVolumeOptions, uploadPodVolume } from './upload-pod-volume.ts';
export { type UploadVolumeOptions, uploadVolume } from './upload-volume.ts';
export type { VolumePorts } from './volume-ports.ts';
export {
  type PodVolumeReference,
  parseAnyVolume,
  parseVolumeReference,
  type VolumeReference,
} from './volume-reference.ts';
export { type WatchedMovements, watchMovements } from './watch-movements.ts';
