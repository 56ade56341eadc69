/** A bucket is foreign input: whoever reads an archive holds no more than this, and no longer. */
export interface ArchiveLimits {
  pathBytesMax: number;
  /** Of one body, which is held whole. */
  entryBytesMax: number;
  /** Of everything, unpacked. */
  totalBytesMax: number;
}

/** An object of the API has 1.5 MiB where nobody changed etcd's limits. The whole is what Velero takes (16 GB). */
export const archiveLimitsDefault: ArchiveLimits = {
  pathBytesMax: 4_096,
  entryBytesMax: 64 * 1024 * 1024,
  totalBytesMax: 16 * 1024 * 1024 * 1024,
};
