import type { VolumeSnapshotLocation } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { chooseSnapshotLocations, type SnapshotLocations } from './choose-snapshot-locations.ts';

const location = (name: string, provider: string): VolumeSnapshotLocation => ({
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name, namespace: 'velero' },
  spec: { provider },
});
const all = [location('eu', 'aws'), location('us', 'aws'), location('here', 'gcp')];
const none = new Map<string, string>();

it.each<[string, Parameters<typeof chooseSnapshotLocations>, SnapshotLocations]>([
  ['no locations', [{}, [], none], { names: [], errors: [] }],
  ['the only one of its provider', [{}, [location('here', 'gcp')], none], { names: ['here'], errors: [] }],
  [
    'a named location and the only one of another provider',
    [{ volumeSnapshotLocations: ['us'] }, all, none],
    { names: ['us', 'here'], errors: [] },
  ],
  ['the default of the server', [{}, all, new Map([['aws', 'eu']])], { names: ['eu', 'here'], errors: [] }],
  [
    'a backup without snapshots',
    [{ snapshotVolumes: false, volumeSnapshotLocations: ['gone'] }, all, none],
    { names: [], errors: [] },
  ],
  [
    'the same location twice',
    [{ volumeSnapshotLocations: ['us', 'us'] }, all, none],
    { names: ['us', 'here'], errors: [] },
  ],
  [
    'an unknown location',
    [{ volumeSnapshotLocations: ['gone'] }, all, none],
    {
      names: [],
      errors: [
        'a VolumeSnapshotLocation CRD for the location gone with the name specified in the backup spec needs to be created before this snapshot can be executed. Error: volumesnapshotlocations.velero.io "gone" not found',
      ],
    },
  ],
  [
    'two locations of one provider',
    [{ volumeSnapshotLocations: ['eu', 'us'] }, all, none],
    {
      names: [],
      errors: ['more than one VolumeSnapshotLocation name specified for provider aws: us; unexpected name was eu'],
    },
  ],
  [
    'a provider with two locations and no choice',
    [{}, all, none],
    {
      names: [],
      errors: [
        'provider aws has more than one possible volume snapshot location, and none were specified explicitly or as a default',
      ],
    },
  ],
])('chooses for %s', (_, input, expected) => {
  expect(chooseSnapshotLocations(...input)).toEqual(expected);
});
