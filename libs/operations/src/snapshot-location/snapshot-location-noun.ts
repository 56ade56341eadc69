import { type VolumeSnapshotLocation, volumeSnapshotLocationType } from '@lateen/api-types';
import type { Noun } from '../noun/noun.ts';

export const snapshotLocationNoun: Noun<VolumeSnapshotLocation> = {
  type: volumeSnapshotLocationType,
  word: 'snapshot-location',
  notFoundCode: 'SNAPSHOT_LOCATION_NOT_FOUND',
};
