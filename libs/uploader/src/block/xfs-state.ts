import type { BlockDevice } from './block-device.ts';
import { type FileSystemState, strangeFeatures, type Unsure, unsure } from './file-system-state.ts';

/** Where the superblock is; the format is in "XFS Algorithms & Data Structures", chapters "Superblocks" and "AG Free Space Management". */
export const xfsSuperblockAt = { offset: 0, length: 512 } as const;

/** finobt, rmapbt, reflink, inobtcount. */
const knownReadOnlyCompat = 0xf;
/** ftype, sparse inodes, meta_uuid, bigtime, nrext64; not needsrepair. */
const knownIncompat = 0x1 | 0x2 | 0x4 | 0x8 | 0x20;
/** Each costs one read; file systems of hundreds of terabytes stay below it. */
const allocationGroupsMax = 10_000;

export interface XfsSuperblock {
  blockBytes: number;
  sectorBytes: number;
  sizeBytes: number;
  groups: number;
  groupBytes: number;
}

/** Undefined when the superblock is not XFS's. It does not say whether the log is clean. */
export function xfsSuperblock(superblock: Buffer): XfsSuperblock | Unsure | undefined {
  if (superblock.toString('latin1', 0, 4) !== 'XFSB') return undefined;
  const version = superblock.readUInt16BE(100) & 0xf;
  if (version !== 5) return unsure(`its XFS has format version ${version}`);
  if (superblock.readUInt8(126) !== 0) return unsure('its XFS was being made');
  if (superblock.readBigUInt64BE(48) === 0n) return unsure('its XFS has its log elsewhere');
  if (superblock.readBigUInt64BE(16) !== 0n) return unsure('its XFS has a real-time section');
  const strange =
    strangeFeatures('read-only compatible', superblock.readUInt32BE(212), knownReadOnlyCompat) ??
    strangeFeatures('incompatible', superblock.readUInt32BE(216), knownIncompat) ??
    strangeFeatures('log', superblock.readUInt32BE(220), 0);
  if (strange !== undefined) return unsure(`its XFS has ${strange}`);
  const blockBytes = superblock.readUInt32BE(4);
  const groups = superblock.readUInt32BE(88);
  if (groups > allocationGroupsMax) return unsure(`its XFS has ${groups} allocation groups`);
  return {
    blockBytes,
    sectorBytes: superblock.readUInt16BE(102),
    sizeBytes: Number(superblock.readBigUInt64BE(8)) * blockBytes,
    groups,
    groupBytes: superblock.readUInt32BE(84) * blockBytes,
  };
}

/**
 * The state, with the number of blocks that the headers of all allocation groups count as free (`agf_freeblks`). Blocks of the
 * free lists (`agf_flcount`) hold no data; a map may count them either way.
 */
export async function xfsState(device: BlockDevice, found: XfsSuperblock): Promise<FileSystemState | Unsure> {
  const { blockBytes, sectorBytes, sizeBytes, groups, groupBytes } = found;
  const header = Buffer.alloc(512);
  let freeBlocks = 0;
  let listedBlocks = 0;
  for (let group = 0; group < groups; group++) {
    const offset = group * groupBytes + sectorBytes;
    if (offset + header.length > device.sizeBytes) return unsure('its XFS is larger than the device');
    await device.read(header, offset);
    if (header.toString('latin1', 0, 4) !== 'XAGF') return unsure(`its XFS allocation group ${group} is damaged`);
    freeBlocks += header.readUInt32BE(52);
    listedBlocks += header.readUInt32BE(48);
  }
  const freeBytesMin = freeBlocks * blockBytes;
  return { kind: 'xfs', sizeBytes, blockBytes, freeBytesMin, freeBytesMax: freeBytesMin + listedBlocks * blockBytes };
}
