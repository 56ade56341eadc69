const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const TiB = 1024 * GiB;

/** Every bound of the driver in one place. Sizes in bytes, durations in ms. */
export const volumeLimits = {
  /** Both file systems and the loop driver work in 4 KiB blocks. */
  roundBytes: 4096,
  /** Given to a request that names no size. */
  defaultBytes: GiB,
  /** Below this mkfs.ext4 has no room for a journal. */
  bytesMin: 16 * MiB,
  /** mkfs.xfs 5.19 and later refuse smaller devices. */
  xfsBytesMin: 300 * MiB,
  /** The largest file of ext4 with 4 KiB blocks; XFS could hold more. */
  bytesMax: 16 * TiB,
  /** CSI: names and IDs are at most 128 bytes. */
  idBytesMax: 128,
  /** PATH_MAX. */
  pathBytesMax: 4096,
  /** Records are kept in memory and listed from there. */
  volumesMax: 10_000,
  snapshotsMax: 10_000,
  /** Entries of one list page when the caller names no number. */
  pageEntriesDefault: 1_000,
  /** Staged volumes on one node; the kernel has room for a million loop devices, a node's memory does not. */
  volumesPerNodeMax: 512,
  /** Kept free for records and the file system's own metadata. */
  headroomBytes: 64 * MiB,
  /** Mounts stacked on one target that an unpublish takes away. */
  stackedMountsMax: 16,
  /** losetup, mount, blkid, umount. */
  quickCommandMs: 30_000,
  /** mkfs and growing write metadata of the whole volume. */
  formatCommandMs: 5 * 60_000,
  /** Copying a volume where the file system has no reflink. */
  copyCommandMs: 30 * 60_000,
  /** A file system stays frozen at most this long for a reflink ... */
  frozenReflinkMs: 10_000,
  /** ... and this long for a plain copy, which cannot be made consistent otherwise. */
  frozenCopyMs: 5 * 60_000,
  /** Clean-up after a failed or abandoned call, which may no longer use the call's own signal. */
  rollBackMs: 60_000,
} as const;
