export type { GuardedWrites } from './frame/guarded-writes.ts';
export type { Gap, Ownership, Pass, Room, StatusOf, StorageObject } from './frame/room.ts';
export type { RoomContext } from './frame/room-context.ts';
export { roomController } from './frame/room-controller.ts';
export { type StorageCacheOptions, type StorageCaches, storageCaches } from './frame/storage-caches.ts';
export { hostCallMs } from './hosts/host-calls.ts';
export { type HostDirectory, hostDirectory, instanceManagerPort } from './hosts/host-directory.ts';
export type { HostChange, HostConnection, HostPeer } from './hosts/host-link.ts';
export { type ManagerDirectory, managerDirectory } from './owner/manager-directory.ts';
export {
  backupRooms,
  jobRooms,
  nodeRooms,
  type RoomOf,
  runVolumeControllers,
  type VolumeControllersOptions,
  volumeRooms,
} from './run-volume-controllers.ts';
export { type BackupTargets, targetAddress } from './targets/backup-targets.ts';
