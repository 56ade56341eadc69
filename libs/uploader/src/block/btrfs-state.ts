import { type FileSystemState, strangeFeatures, type Unsure, unsure } from './file-system-state.ts';

/** Where the superblock is; the format is in the btrfs documentation, "On-disk Format". */
export const btrfsSuperblockAt = { offset: 65_536, length: 4096 } as const;

/** mixed backref, default subvolume, mixed groups, lzo, zstd, big metadata, extended iref, skinny metadata, no holes. */
const knownIncompat = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x100 | 0x200;
/** free space tree, its valid mark, verity. */
const knownReadOnlyCompat = 0x7;
/** Besides "written" and "relocated" there are flags for seed devices and dumps. */
const knownFlags = 0x3;

/**
 * btrfs on one device. btrfs never overwrites what its superblock points to, so that the device is consistent at any moment,
 * except for the log tree of the last fsyncs. Undefined when the superblock is not btrfs's.
 */
export function btrfsState(superblock: Buffer): FileSystemState | Unsure | undefined {
  if (superblock.toString('latin1', 64, 72) !== '_BHRfS_M') return undefined;
  const number = (offset: number) => Number(superblock.readBigUInt64LE(offset));
  if (number(96) !== 0) return unsure('its btrfs has a log tree that has not been written back');
  const devices = number(136);
  if (devices !== 1) return unsure(`its btrfs has ${devices} devices`);
  const flags = superblock.readBigUInt64LE(56);
  if ((flags & ~BigInt(knownFlags)) !== 0n) return unsure(`its btrfs has the flags 0x${flags.toString(16)}`);
  const strange =
    strangeFeatures('read-only compatible', number(180), knownReadOnlyCompat) ??
    strangeFeatures('incompatible', number(188), knownIncompat);
  if (strange !== undefined) return unsure(`its btrfs has ${strange}`);
  const sizeBytes = number(112);
  const nodeBytes = superblock.readUInt32LE(148);
  return { kind: 'btrfs', sizeBytes, blockBytes: nodeBytes, freeBytesMin: 0, freeBytesMax: sizeBytes - number(120) };
}
