import { kubeError } from '@lateen/kube';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { chooseLocation, type LocationChoice, type LocationReading, locationErrors } from './choose-location.ts';

const location = (name: string, isDefault = false, created = '2030-01-01T00:00:00Z') => {
  const made = aBackupStorageLocation({ name, spec: { default: isDefault } });
  made.metadata.creationTimestamp = created;
  return made;
};

describe('the location of a backup', () => {
  it.each<[string, Parameters<typeof chooseLocation>, LocationChoice]>([
    ['is the one that it names', ['mine', [location('marked', true)], 'default'], { name: 'mine', by: 'spec' }],
    ['is the default one', [undefined, [location('a'), location('b', true)], 'default'], { name: 'b', by: 'mark' }],
    [
      'is the newer of two defaults',
      ['', [location('a', true), location('b', true, '2030-01-02T00:00:00Z')], 'default'],
      { name: 'b', by: 'mark' },
    ],
    [
      'is the default of the server when no location is marked as default',
      [undefined, [location('a')], 'main'],
      { name: 'main', by: 'server' },
    ],
  ])('%s', (_, input, expected) => {
    expect(chooseLocation(...input)).toEqual(expected);
  });

  const missing = { missing: kubeError('KUBE_NOT_FOUND', 'backupstoragelocations.velero.io "x" not found') };
  const advice = 'Please address this issue (see `velero backup-location -h` for options) and create a new backup.';
  const notFound = 'Error: backupstoragelocations.velero.io "x" not found';
  const of = (spec: object, phase: 'Available' | 'Unavailable' = 'Available'): LocationReading => ({
    location: { ...location('x'), spec: { ...location('x').spec, ...spec }, status: { phase } },
  });
  it.each<[LocationChoice['by'], LocationReading, string[]]>([
    [
      'server',
      missing,
      [
        `an existing backup storage location was not specified at backup creation time and the server default x does not exist. ${advice} ${notFound}`,
      ],
    ],
    [
      'spec',
      missing,
      [
        `an existing backup storage location was not specified at backup creation time and the default x was not found. ${advice} ${notFound}`,
      ],
    ],
    ['spec', { error: new Error('no answer') }, ['error getting backup storage location: no answer']],
    [
      'spec',
      of({ accessMode: 'ReadOnly' }),
      ["backup can't be created because backup storage location x is currently in read-only mode"],
    ],
    [
      'mark',
      of({}, 'Unavailable'),
      ["backup can't be created because BackupStorageLocation x is in Unavailable status."],
    ],
    ['mark', of({}), []],
  ])("is rejected with Velero's message (%s, %j)", (by, reading, expected) => {
    expect(locationErrors({ name: 'x', by }, reading)).toEqual(expected);
  });
});
