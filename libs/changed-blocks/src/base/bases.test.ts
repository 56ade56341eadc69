import { labels } from '@lateen/api-types';
import { aVolumeSnapshot } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseNotes, type KeptBase, type NotedBase, readBase } from './base-notes.ts';
import { baseMaxAgeMs, spentBases } from './decide-bases.ts';

const noted: NotedBase = {
  claim: { namespace: 'shop', name: 'data', uid: 'claim-1' },
  driver: 'csi.lateen.dev',
  volumeHandle: 'vol-1',
  snapshotHandle: 'snap-1',
  snapshotID: 'm1',
  backupStorageLocation: 'default',
};
const createdMs = Date.parse('2030-01-01T00:00:00Z');
const base: KeptBase = {
  ...noted,
  namespace: 'velero',
  name: 'upload-1',
  uid: 'vs-1',
  isReady: true,
  createdMs,
};
const snapshotOf = (notes: { labels: Record<string, string>; annotations: Record<string, string> }) =>
  aVolumeSnapshot({
    namespace: 'velero',
    name: 'upload-1',
    uid: 'vs-1',
    metadata: { ...notes, creationTimestamp: '2030-01-01T00:00:00Z' },
    status: { readyToUse: true },
  });

describe('labels and annotations of a base', () => {
  it('return what was recorded', () => {
    expect(readBase(snapshotOf(baseNotes(noted)))).toEqual(base);
  });

  const [key = ''] = Object.keys(baseNotes(noted).annotations);
  it.each([
    ['no notes', {}],
    ['notes that are no JSON', { [key]: '{' }],
    ['notes that are nothing', { [key]: 'null' }],
    ['notes without the handle of the volume', { [key]: JSON.stringify({ ...noted, volumeHandle: undefined }) }],
    ['notes with an empty handle', { [key]: JSON.stringify({ ...noted, snapshotHandle: '' }) }],
    ['notes of another claim', { [key]: JSON.stringify({ ...noted, claim: { ...noted.claim, uid: 'claim-2' } }) }],
    ['notes without a claim', { [key]: JSON.stringify({ ...noted, claim: undefined }) }],
  ])('are rejected: %s', (_, annotations) => {
    expect(readBase(snapshotOf({ labels: { [labels.baseOf]: 'claim-1' }, annotations }))).toBeUndefined();
  });

  it('are rejected without the label', () => {
    expect(readBase(snapshotOf({ ...baseNotes(noted), labels: {} }))).toBeUndefined();
  });
});

describe('spentBases', () => {
  const seen = (bases: readonly KeptBase[], claims: Record<string, string> = { data: 'claim-1' }, ageMs = 1000) =>
    spentBases({ bases, claimUid: ({ name }) => claims[name], nowMs: createdMs + ageMs }).map(
      ({ base: { name }, reason }) => [name, reason],
    );

  it('keeps the newest of a claim in each location', () => {
    const newer = { ...base, name: 'upload-2', createdMs: createdMs + 10 };
    const elsewhere = { ...base, name: 'upload-0', backupStorageLocation: 'other' };
    expect(seen([base, newer, elsewhere])).toEqual([['upload-1', 'there is a newer one of its claim']]);
  });

  it.each([
    ['its claim is gone', [base], {}, 0],
    ['another claim has the name of its own', [base], { data: 'claim-2' }, 0],
    ['it is not ready any more', [{ ...base, isReady: false }], undefined, 0],
    ['it is too old', [base], undefined, baseMaxAgeMs + 1],
  ])('gives up a base when %s', (reason, bases, claims, ageMs) => {
    expect(seen(bases, claims, ageMs)).toEqual([['upload-1', reason]]);
  });

  it('keeps a base on the last day of its time', () => expect(seen([base], undefined, baseMaxAgeMs)).toEqual([]));

  it('decides the same in whatever order the bases are listed, and never keeps two of a claim and location', () => {
    const one = fc.record({ name: fc.string({ minLength: 1 }), at: fc.nat(3), claim: fc.nat(2), location: fc.nat(1) });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ name }) => name }), (all) => {
        const bases = all.map(({ name, at, claim, location }) => ({
          ...base,
          name,
          createdMs: createdMs + at,
          claim: { ...base.claim, uid: `c-${claim}` },
          backupStorageLocation: `l-${location}`,
        }));
        const spent = (given: readonly KeptBase[]) =>
          spentBases({ bases: given, claimUid: ({ uid }) => uid, nowMs: createdMs + 10 }).map(
            ({ base: { name } }) => name,
          );
        const gone = new Set(spent(bases));
        expect(new Set(spent(bases.toReversed()))).toEqual(gone);
        const kept = bases.filter(({ name }) => !gone.has(name));
        const places = bases.map(({ claim, backupStorageLocation }) => `${claim.uid} ${backupStorageLocation}`);
        expect(kept).toHaveLength(new Set(places).size);
      }),
    );
  });
});
