export { type CertificateFiles, certificateFilesIn, writeCertificateFiles } from './certificate/certificate-files.ts';
export { volumeManagerTls } from './certificate/certificate-secret.ts';
export { type CertificatePorts, ensureCertificate, keepCertificate } from './certificate/keep-certificate.ts';
export type { GuardedWrites } from './frame/guarded-writes.ts';
export type { Gap, Ownership, Pass, Room, StatusOf, StorageObject } from './frame/room.ts';
export type { RoomContext } from './frame/room-context.ts';
export { roomController } from './frame/room-controller.ts';
export { type StorageCacheOptions, type StorageCaches, storageCaches } from './frame/storage-caches.ts';
export { hostCallMs } from './hosts/host-calls.ts';
export { type HostDirectory, hostDirectory, instanceManagerPort } from './hosts/host-directory.ts';
export type { HostChange, HostConnection, HostPeer } from './hosts/host-link.ts';
export { type ManagerDirectory, managerDirectory } from './owner/manager-directory.ts';
export { type PodDisruptionBudget, podDisruptionBudgetType } from './rooms/instance-manager/pod-disruption-budget.ts';
export { nodeRooms } from './rooms/node-rooms.ts';
export {
  backupRooms,
  jobRooms,
  type RoomOf,
  runVolumeControllers,
  type VolumeControllersOptions,
  volumeRooms,
} from './run-volume-controllers.ts';
export { makeWhatIsMissing, type Release, type StartPorts, settingsOfRelease } from './start/make-what-is-missing.ts';
export { type BackupTargets, targetAddress } from './targets/backup-targets.ts';
