import type { ChangedBytes } from '@lateen/changed-files';
import type { FilesToSplice, SplicedFiles } from '@lateen/repository';
import type { FullRead, VolumeOfChanges } from '../block/block-splice.ts';

/** What may differ on the device since a snapshot of it was stored. */
export interface DeviceChanges {
  kind: 'changes';
  /** Manifest ID of that snapshot in the repository. */
  baseID: string;
  changed: ChangedBytes;
}

/** Ports by which large files of a file system volume are uploaded without reading all of them. */
export interface FileSplice {
  /** Told as soon as {@link spliceFiles} will be called: may start a session meanwhile. Throws nothing. */
  begin?(signal: AbortSignal): void;
  /**
   * The changes of the device since the base, or why they are not known; the implementation has logged any error then.
   * @throws the signal's reason on abort; nothing else
   */
  changesOf(volume: VolumeOfChanges): Promise<DeviceChanges | FullRead>;
  /** @throws AppError `BASE_SNAPSHOT_UNUSABLE`, codes of a session that cannot be had or held, and what `read` throws */
  spliceFiles(request: FilesToSplice): Promise<SplicedFiles>;
}
