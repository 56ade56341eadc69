import { type BlockVolume, blockVolumeError, type Call } from '@lateen/block-engine';
import { listAll, retryOnConflict } from '@lateen/kube';
import { int64Text, replicaType, storageLabels, type Volume, volumeType } from '@lateen/storage-types';
import { checkSizeChange, diskOf, hasRoomToGrow, isFailed, schedulerSettingsOf } from '@lateen/volume-decisions';
import { deviceGrown } from './attach-volume.ts';
import { nodesNow } from './capacity.ts';
import { settingsOf } from './create-volume.ts';
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
    await requireRoom(deps, found, wanted, o);
    const grown = { ...found, spec: { ...found.spec, size: int64Text(wanted) } };
    return deps.kube.update(volumeType, grown, o);
  });
  if (volume.status?.state === 'attached') await deviceGrown(deps, volume, o);
  return blockVolumeOf(name, volume);
}

/**
 * By the rule of the manager, which grows a volume only when every replica has room. Asked before the size is written: a size cannot be taken back, and
 * a volume that cannot grow is not attached any more.
 */
async function requireRoom(deps: EngineDeps, volume: Volume, wanted: bigint, o: Call): Promise<void> {
  const { kube, namespace } = deps;
  const { name = '' } = volume.metadata;
  const percentages = schedulerSettingsOf(await settingsOf(deps, o));
  const cluster = { nodes: new Map((await nodesNow(deps, o)).map((node) => [node.name, node])) };
  const labelSelector = `${storageLabels.volume}=${name}`;
  const { items } = await listAll(kube, replicaType, { namespace, labelSelector, ...o });
  const tight = items.find((replica) => {
    const disk = diskOf(cluster, replica.spec.nodeID ?? '', replica.spec.diskID ?? '');
    return disk !== undefined && !isFailed(replica) && !hasRoomToGrow(disk, sizeOf(volume), wanted, percentages);
  });
  if (tight === undefined) return;
  const more = wanted - sizeOf(volume);
  throw blockVolumeError(
    'NO_ROOM',
    `volume ${name} cannot grow: the disk of replica ${tight.metadata.name} on ${tight.spec.nodeID} has no room for ${more} bytes more`,
    { nextStep: 'Free or add room on that disk, or delete the replica so that another one is made elsewhere.' },
  );
}
