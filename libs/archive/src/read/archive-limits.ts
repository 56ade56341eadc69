/** Limits for reading an archive, because the contents of a bucket are not trusted. */
export interface ArchiveLimits {
  pathBytesMax: number;
  /** Of one body, which is held whole. */
  entryBytesMax: number;
  /** Of everything, unpacked. */
  totalBytesMax: number;
}

/** An object of the API has at most 1.5 MiB with the default limits of etcd. The whole is what Velero takes (16 GB). */
export const archiveLimitsDefault: ArchiveLimits = {
  pathBytesMax: 4_096,
  entryBytesMax: 64 * 1024 * 1024,
  totalBytesMax: 16 * 1024 * 1024 * 1024,
};
