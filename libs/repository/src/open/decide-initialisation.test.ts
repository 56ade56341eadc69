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
    ['nothing is there', {}, { kind: 'create', clear: false }],
    ['a creation was broken off', { halfMade: true }, { kind: 'create', clear: true }],
    ['a repository without marker is there', { uniqueID: 'a' }, { kind: 'adopt', uniqueID: 'a' }],
    ['a marked repository is there', { uniqueID: 'a', markerID: 'a' }, { kind: 'open' }],
    ['it is read-only and marked', { uniqueID: 'a', markerID: 'a', readOnly: true }, { kind: 'open' }],
    ['it is read-only and not marked, which Velero accepts', { uniqueID: 'a', readOnly: true }, { kind: 'open' }],
  ])('when %s', (_, given, plan) => expect(decideInitialisation(facts(given), 'w')).toEqual(plan));

  it.each<[string, Partial<RepositoryFacts>, string, RegExp]>([
    [
      'other blobs are there',
      { otherBlobs: true },
      'REPOSITORY_LOCATION_NOT_EMPTY',
      /^found existing data in storage location w$/,
    ],
    [
      'the format blob is lost, which would be made anew by nobody',
      { otherBlobs: true, markerID: 'a' },
      'REPOSITORY_CORRUPTED',
      /its object kopia.repository is missing$/,
    ],
    ['nothing is there to read', { readOnly: true }, 'REPOSITORY_NOT_FOUND', /read-only/],
    [
      'the marker is another repository’s',
      { uniqueID: 'a', markerID: 'b' },
      'REPOSITORY_CORRUPTED',
      /another repository/,
    ],
  ])('refuses when %s', (_, given, code, message) => {
    expect(() => decideInitialisation(facts(given), 'w')).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
