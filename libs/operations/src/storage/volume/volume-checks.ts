import { int64Of, type Replica, type Volume, type VolumeSpec, volumeStateOf } from '@lateen/storage-types';
import {
  checkVolumeUpdate,
  isSupportedHere,
  type ReplicaFactsForRemoval,
  type VolumeFactsForActions,
} from '@lateen/volume-decisions';
import { unlessRefused } from '../change-object.ts';
import { nameOf } from './volume-sight.ts';

/** The facts that actions are checked against. */
export const factsOf = (volume: Volume): VolumeFactsForActions => ({
  name: nameOf(volume),
  state: volumeStateOf(volume),
  isStandby: volume.spec.Standby === true,
  restoreRequired: volume.status?.restoreRequired === true,
  restoreInitiated: volume.status?.restoreInitiated === true,
});

export const removalFactsOf = ({ metadata, spec }: Replica): ReplicaFactsForRemoval => {
  const { healthyAt = '', failedAt = '', lastHealthyAt = '' } = spec;
  const everHealthy = healthyAt !== '' || lastHealthyAt !== '';
  return { name: metadata.name ?? '', healthy: healthyAt !== '' && failedAt === '', everHealthy };
};

/**
 * The volume with changed values in its spec; undefined when it has them already. A volume with an unsupported setting can still be changed
 * in all other fields. @throws AppError STORAGE_REFUSED
 */
export function withSpec(volume: Volume, spec: Partial<VolumeSpec>): Volume | undefined {
  const after = { ...volume.spec, ...spec };
  const { name, state } = factsOf(volume);
  const tags = { nodeTags: new Set<string>(), diskTags: new Set<string>() };
  const [was, is] = [volume.spec, after].map((each) => isSupportedHere({ name, spec: each, ...tags }));
  unlessRefused(checkVolumeUpdate({ name, state, before: volume.spec, after }), was === is ? undefined : is);
  const differs = Object.entries(spec).some(([key, value]) => {
    return JSON.stringify(volume.spec[key as keyof VolumeSpec]) !== JSON.stringify(value);
  });
  return differs ? { ...volume, spec: after } : undefined;
}

const sizeUnitBytes = 2n * 1024n * 1024n;

/** Rounds a size up to a multiple of 2 MiB. */
export const wholeSizeBytes = (bytes: bigint): bigint => ((bytes + sizeUnitBytes - 1n) / sizeUnitBytes) * sizeUnitBytes;

export const sizeOf = ({ spec }: Volume): bigint => int64Of(spec.size) ?? 0n;
