import type { PersistentVolume } from '@lateen/api-types';

/** Name of the driver of replicated volumes. */
export const replicatedDriver = 'driver.longhorn.io';

const isReplicated = ({ spec }: PersistentVolume): boolean => spec.csi?.driver === replicatedDriver;
/** The volume handle of a PersistentVolume of this driver; empty for other drivers. */
const handleOf = (volume: PersistentVolume): string[] => [
  isReplicated(volume) ? (volume.spec.csi?.volumeHandle ?? '') : '',
];
const claimOf = (volume: PersistentVolume): string[] => {
  const { namespace = '', name = '' } = volume.spec.claimRef ?? {};
  return [isReplicated(volume) && name !== '' ? `${namespace}/${name}` : ''];
};

/** The indexes of PersistentVolumes; see `StorageCaches.persistentVolumes`. */
export const persistentVolumeIndexes = { volume: handleOf, claim: claimOf } as const;
