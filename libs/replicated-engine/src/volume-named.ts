import { type BlockVolume, blockVolumeError, type Call } from '@lateen/block-engine';
import { readObject } from '@lateen/kube';
import { int64Of, type Volume, volumeType } from '@lateen/storage-types';
import type { EngineDeps } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';

/** The Volume of a name, unless there is none or it is being deleted. */
export async function findVolume(deps: EngineDeps, name: string, o: Call): Promise<Volume | undefined> {
  const found = await readVolume(deps, name, o);
  return found?.metadata.deletionTimestamp === undefined ? found : undefined;
}

export const readVolume = (deps: EngineDeps, name: string, { signal }: Call): Promise<Volume | undefined> => {
  signal.throwIfAborted();
  return readObject(deps.kube, volumeType, { namespace: deps.namespace, name: objectNameOf(name) }, signal);
};

/** @throws AppError `VOLUME_NOT_FOUND`, also for one that is being deleted */
export async function volumeNamed(deps: EngineDeps, name: string, o: Call): Promise<Volume> {
  const found = await findVolume(deps, name, o);
  if (found !== undefined) return found;
  throw blockVolumeError('VOLUME_NOT_FOUND', `there is no volume ${name}`, {
    nextStep: 'List the existing volumes.',
  });
}

/** @throws AppError `VOLUME_FAULTED` when its size cannot be read: nothing can be said of it then */
export function sizeOf(volume: Volume): bigint {
  const bytes = int64Of(volume.spec.size);
  if (bytes !== undefined) return bytes;
  const { name } = volume.metadata;
  throw blockVolumeError('VOLUME_FAULTED', `volume ${name} has a size that is not a number: ${volume.spec.size}`, {
    nextStep: `Correct spec.size of volumes.longhorn.io ${name}.`,
  });
}

export function blockVolumeOf(name: string, volume: Volume): BlockVolume {
  const { state, currentNodeID = '' } = volume.status ?? {};
  const attachedTo = currentNodeID !== '' && (state === 'attached' || state === 'detaching') ? [currentNodeID] : [];
  return { name, sizeBytes: sizeOf(volume), attachedTo };
}
