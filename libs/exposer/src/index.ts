export { hostingPodFailure, podEndReason } from './diagnose/hosting-pod-failure.ts';
export type { ExposeOptions, ExposerPorts } from './exposer-ports.ts';
export type { ExposeOwner } from './owner.ts';
export { clientPodProblem } from './pod-volume/client-pod.ts';
export type { PodVolumeExposeParam } from './pod-volume/pod-volume-expose-param.ts';
export { podVolumeExposer } from './pod-volume-exposer.ts';
export type { RestoreExposeParam } from './restore/expose-restore.ts';
export { genericRestoreExposer, type RestoreExposer } from './restore-exposer.ts';
export type { CopiedNames } from './settings/copied-names.ts';
export {
  type BackupPVC,
  type CachePVC,
  type ExposureSettings,
  type LoadAffinity,
  type PodVolumeAccess,
  type PodVolumeSettings,
  podVolumeAccesses,
  podVolumeDefaults,
  type RestorePVC,
} from './settings/exposure-settings.ts';
export { podResourcesMaxFields, readPodResourcesMax } from './settings/pod-resources-max.ts';
export type { SnapshotExposeParam } from './snapshot/snapshot-expose-param.ts';
export { csiSnapshotExposer, type Exposer } from './snapshot-exposer.ts';
