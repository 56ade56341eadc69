import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { concernsRepositories } from './location-change.ts';

const previous = aBackupStorageLocation({ status: { phase: 'Available', lastValidationTime: '2030-01-01T00:00:00Z' } });
const { spec, status } = previous;

describe('a change of a location', () => {
  it('has no effect on repositories when only the validation changed it', () => {
    const object = { ...previous, status: { ...status, lastValidationTime: '2030-01-01T00:01:00Z' } };
    expect(concernsRepositories({ type: 'updated', object, previous })).toBe(false);
  });

  it.each([
    ['its phase', { ...previous, status: { phase: 'Unavailable' as const } }],
    ['its access mode', { ...previous, spec: { ...spec, accessMode: 'ReadOnly' as const } }],
    ['its bucket', { ...previous, spec: { ...spec, objectStorage: { bucket: 'another' } } }],
  ])('affects repositories when it is one of %s', (_, object) => {
    expect(concernsRepositories({ type: 'updated', object, previous })).toBe(true);
  });

  it('affects repositories when it is created or deleted', () => {
    expect(concernsRepositories({ type: 'added', object: previous })).toBe(true);
    expect(concernsRepositories({ type: 'deleted', object: previous })).toBe(true);
  });
});
