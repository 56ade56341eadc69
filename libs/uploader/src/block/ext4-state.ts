import { type FileSystemState, strangeFeatures, type Unsure, unsure } from './file-system-state.ts';

/** Where the superblock is; the format is in the kernel's Documentation/filesystems/ext4 ("super block"). */
export const ext4SuperblockAt = { offset: 1024, length: 1024 } as const;

/** Bits of `s_feature_incompat`. */
const has64Bit = 0x80;
const needsRecovery = 0x4;
/** filetype, meta_bg, extent, 64bit, flex_bg, ea_inode, csum_seed, largedir, inline_data, encrypt, casefold. */
const knownIncompat = 0x2 | 0x10 | 0x40 | has64Bit | 0x200 | 0x400 | 0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x20000;
/** sparse_super, large_file, huge_file, gdt_csum, dir_nlink, extra_isize, quota, metadata_csum, readonly, project, verity. */
const knownReadOnlyCompat = 0x1 | 0x2 | 0x8 | 0x10 | 0x20 | 0x40 | 0x100 | 0x400 | 0x1000 | 0x2000 | 0x8000;

/** `s_state`: cleanly unmounted or frozen, no errors seen, no orphans being cleaned up. */
const cleanState = 1;

/** ext2, ext3 and ext4. Undefined when the superblock is none of theirs. */
export function ext4State(superblock: Buffer): FileSystemState | Unsure | undefined {
  if (superblock.readUInt16LE(0x38) !== 0xef53) return undefined;
  const incompat = superblock.readUInt32LE(0x60);
  if ((incompat & needsRecovery) !== 0) return unsure('its ext4 journal has not been written back (needs_recovery)');
  const state = superblock.readUInt16LE(0x3a);
  if (state !== cleanState) return unsure(`its ext4 file system is not clean (state ${state})`);
  const strange =
    strangeFeatures('incompatible', incompat, knownIncompat) ??
    strangeFeatures('read-only compatible', superblock.readUInt32LE(0x64), knownReadOnlyCompat);
  if (strange !== undefined) return unsure(`its ext4 file system has ${strange}`);
  const logBlockSize = superblock.readUInt32LE(0x18);
  if (logBlockSize > 6) return unsure('its ext4 superblock is damaged');
  const blockBytes = 1024 << logBlockSize;
  const wide = (incompat & has64Bit) !== 0;
  const count = (low: number, high: number) =>
    superblock.readUInt32LE(low) + (wide ? superblock.readUInt32LE(high) * 2 ** 32 : 0);
  const sizeBytes = count(0x04, 0x150) * blockBytes;
  const freeBytes = count(0x0c, 0x158) * blockBytes;
  return { kind: 'ext4', sizeBytes, blockBytes, freeBytesMin: freeBytes, freeBytesMax: freeBytes };
}
