export {
  type MountedDirectory,
  type NfsMountPorts,
  type NfsMounts,
  nfsLimits,
  nfsMounts,
} from './nfs-mounts.ts';
export type { NfsPlace } from './nfs-options.ts';
export { type DirectoryPlace, targetDirectories } from './target-directory.ts';
