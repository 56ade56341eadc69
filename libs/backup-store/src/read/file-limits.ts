/** A bucket is foreign input: nobody holds more of one file than this, unpacked. */
export const fileBytesMax = {
  /** etcd takes 1.5 MiB of an object where nobody changed its limits. */
  metadata: 16 * 1024 * 1024,
  /** Names of a million objects; facts of a hundred thousand volumes. */
  list: 128 * 1024 * 1024,
} as const;
