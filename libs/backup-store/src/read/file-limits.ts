/** The limit for one file in memory, unpacked, because the contents of a bucket are not trusted. */
export const fileBytesMax = {
  /** etcd accepts objects of up to 1.5 MiB with its default limits. */
  metadata: 16 * 1024 * 1024,
  /** Names of a million objects; facts of a hundred thousand volumes. */
  list: 128 * 1024 * 1024,
} as const;
