import { type BlockVolume, blockVolumeError, type Call } from '@lateen/block-engine';
import { retryOnConflict } from '@lateen/kube';
import { int64Text, type Volume, volumeType } from '@lateen/storage-types';
import { checkSizeChange } from '@lateen/volume-decisions';
import { deviceGrown } from './attach-volume.ts';
import type { EngineDeps } from './engine-deps.ts';
import { blockVolumeOf, sizeOf, volumeNamed } from './volume-named.ts';
import { volumeSizeOf } from './volume-size.ts';

/**
 * Waits for the device where the volume is attached. A detached volume is larger as soon as that is written: it grows before its device
 * is there again.
 */
export async function growReplicated(deps: EngineDeps, name: string, sizeBytes: bigint, o: Call): Promise<BlockVolume> {
  const wanted = volumeSizeOf(sizeBytes);
  const volume = await retryOnConflict(async (): Promise<Volume> => {
    const found = await volumeNamed(deps, name, o);
    const refused = checkSizeChange(name, sizeOf(found), wanted);
    if (refused !== undefined) {
      throw blockVolumeError('OUT_OF_RANGE', refused, { nextStep: 'Ask for a size that is not smaller.' });
    }
    if (sizeOf(found) === wanted) return found;
    const grown = { ...found, spec: { ...found.spec, size: int64Text(wanted) } };
    return deps.kube.update(volumeType, grown, o);
  });
  if (volume.status?.state === 'attached') await deviceGrown(deps, volume, o);
  return blockVolumeOf(name, volume);
}
