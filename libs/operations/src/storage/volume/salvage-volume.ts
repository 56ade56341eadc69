import { listAll } from '@lateen/kube';
import { type Engine, engineType, type Replica, replicaType, storageLabels, type Volume } from '@lateen/storage-types';
import { checkSalvage, wholeSet, withSalvageRequest } from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from '../change-object.ts';
import { volumeNoun } from '../storage-nouns.ts';
import { activeEngine } from './find-volume.ts';
import { nameOf } from './volume-sight.ts';

/** What would be salvaged; the user confirms it. */
export interface SalvagePlan {
  readonly replicas: readonly string[];
  /** The replicas that may lack acknowledged writes. */
  readonly mayLackWrites: readonly string[];
  /** Replicas that have every acknowledged write and are not chosen. */
  readonly leftOut: readonly string[];
}

/** @throws AppError STORAGE_REFUSED */
export async function planSalvage(place: StoragePlace, volume: Volume, names: readonly string[]): Promise<SalvagePlan> {
  const { engine, replicas } = await read(place, volume);
  unlessRefused(checkSalvage({ volume, replicas, ...(engine && { engine }) }, names));
  const whole = wholeSet(engine);
  return {
    replicas: names,
    mayLackWrites: names.filter((name) => !whole.has(name)),
    leftOut: [...whole].filter((name) => !names.includes(name)).sort(),
  };
}

/**
 * Requests that the data of these replicas be used again. The request is for their current failures: a replica that fails again meanwhile is
 * not used. The manager carries it out; only the annotation `salvage-requested` of the Volume is written here, guarded by its
 * resourceVersion. @returns false when the same request exists already @throws AppError STORAGE_REFUSED
 */
export async function requestSalvage(place: StoragePlace, name: string, names: readonly string[]): Promise<boolean> {
  const { changed } = await changeObject<Volume>(place, volumeNoun, name, async (volume) => {
    const { engine, replicas } = await read(place, volume);
    unlessRefused(checkSalvage({ volume, replicas, ...(engine && { engine }) }, names));
    return withSalvageRequest({ volume, replicas }, names);
  });
  return changed;
}

async function read(
  { kube, namespace, signal }: StoragePlace,
  volume: Volume,
): Promise<{ engine: Engine | undefined; replicas: Replica[] }> {
  const options = { namespace, signal, labelSelector: `${storageLabels.volume}=${nameOf(volume)}` };
  const [engines, replicas] = await Promise.all([
    listAll(kube, engineType, options),
    listAll(kube, replicaType, options),
  ]);
  return {
    engine: activeEngine(engines.items),
    replicas: replicas.items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}
