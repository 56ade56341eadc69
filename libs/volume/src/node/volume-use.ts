import type { FileSystemType } from '../store/records.ts';
import { volumeError } from '../volume-error.ts';

/** How a pod wants a volume: CSI's VolumeCapability after validation. */
export interface VolumeUse {
  access: { kind: 'block' } | { kind: 'mount'; fileSystem?: FileSystemType; flags: readonly string[] };
  /** This use does not write (a read-only access mode, or the mount flag `ro`). */
  readOnly: boolean;
  /** SINGLE_NODE_SINGLE_WRITER: one target path at a time. */
  single: boolean;
}

/** Flags that change what is mounted, or how mounts spread, instead of how the file system behaves. */
const refusedFlags =
  /^(bind|rbind|move|loop|remount|(r?(shared|private|slave|unbindable))|x-.*|X-.*|offset=.*|sizelimit=.*)$/;
const flagPattern = /^[A-Za-z0-9][A-Za-z0-9_=.:/+-]*$/;
const flagsMax = 64;

/** @throws AppError `INVALID_ARGUMENT` naming the flag. */
export function checkMountFlags(flags: readonly string[]): readonly string[] {
  if (flags.length > flagsMax) throw volumeError('INVALID_ARGUMENT', `more than ${flagsMax} mount flags`);
  for (const flag of flags) {
    if (!flagPattern.test(flag) || refusedFlags.test(flag)) {
      throw volumeError('INVALID_ARGUMENT', `mount flag ${JSON.stringify(flag)} is not allowed`, {
        nextStep: 'Correct mountOptions of the StorageClass.',
      });
    }
  }
  return flags;
}
