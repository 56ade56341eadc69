import { describe, expect, it } from 'vitest';
import { decideInitialisation, type RepositoryFacts } from './decide-initialisation.ts';

const facts = (more: Partial<RepositoryFacts>): RepositoryFacts => ({
  uniqueID: undefined,
  markerID: undefined,
  otherBlobs: false,
  halfMade: false,
  readOnly: false,
  ...more,
});

describe('decideInitialisation', () => {
  it.each<[string, Partial<RepositoryFacts>, object]>([
    ['the prefix is empty', {}, { kind: 'create', clear: false }],
    ['an earlier creation was interrupted', { halfMade: true }, { kind: 'create', clear: true }],
    ['a repository without a marker exists', { uniqueID: 'a' }, { kind: 'adopt', uniqueID: 'a' }],
    ['a repository with a marker exists', { uniqueID: 'a', markerID: 'a' }, { kind: 'open' }],
    [
      'the location is read-only and the repository has a marker',
      { uniqueID: 'a', markerID: 'a', readOnly: true },
      { kind: 'open' },
    ],
    [
      'the location is read-only and the repository has no marker, which Velero accepts',
      { uniqueID: 'a', readOnly: true },
      { kind: 'open' },
    ],
  ])('when %s', (_, given, plan) => expect(decideInitialisation(facts(given), 'w')).toEqual(plan));

  it.each<[string, Partial<RepositoryFacts>, string, RegExp]>([
    [
      'other blobs exist',
      { otherBlobs: true },
      'REPOSITORY_LOCATION_NOT_EMPTY',
      /^found existing data in storage location w$/,
    ],
    [
      'the format blob is lost, which cannot be recreated',
      { otherBlobs: true, markerID: 'a' },
      'REPOSITORY_CORRUPTED',
      /its object kopia.repository is missing$/,
    ],
    ['a read-only location is empty', { readOnly: true }, 'REPOSITORY_NOT_FOUND', /read-only/],
    [
      'the marker belongs to another repository',
      { uniqueID: 'a', markerID: 'b' },
      'REPOSITORY_CORRUPTED',
      /another repository/,
    ],
  ])('fails when %s', (_, given, code, message) => {
    expect(() => decideInitialisation(facts(given), 'w')).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
