import type { Backup, BackupPhase, BackupStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { decideOrphans } from './decide-orphans.ts';
import { Later } from './later.ts';
import { syncDueMs, syncPeriodMs } from './sync-due.ts';
import { presentPlace, syncedPlace, syncedPlaceText } from './synced-place.ts';

const at = (text: string): number => Date.parse(`2030-01-01T${text}Z`);

const aBackup = (
  name: string,
  phase: BackupPhase = 'Completed',
  created = '00:30:00',
  location = 'default',
): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name,
    creationTimestamp: `2030-01-01T${created}Z`,
    labels: { 'velero.io/storage-location': location },
  },
  spec: { storageLocation: location },
  status: { phase },
});

describe('decideOrphans', () => {
  const listed = new Set(['here']);
  const here = aBackup('here');
  const lost = aBackup('lost');
  it.each<[string, { before: Backup[]; listed?: Set<string>; seen?: string[]; since?: string }, string[], string[]]>([
    ['a listed backup stays', { before: [here] }, [], []],
    ['a backup of this place is removed', { before: [here, lost] }, ['lost'], []],
    ['a partly failed backup is removed, too', { before: [here, aBackup('part', 'PartiallyFailed')] }, ['part'], []],
    [
      'a backup that was never stored, or is in progress, stays',
      {
        before: [
          here,
          ...(['Failed', 'FailedValidation', 'InProgress', 'Deleting'] as const).map((phase) => aBackup(phase, phase)),
        ],
      },
      [],
      [],
    ],
    [
      'a backup of another location stays',
      { before: [here, aBackup('far', 'Completed', '00:30:00', 'other')] },
      [],
      [],
    ],
    [
      'a backup that is older than the place stays',
      { before: [here, aBackup('old', 'Completed', '00:05:00')], since: '00:10:00' },
      [],
      ['old'],
    ],
    [
      'an older backup that was seen in the place is removed',
      { before: [here, aBackup('old', 'Completed', '00:05:00')], since: '00:10:00', seen: ['old'] },
      ['old'],
      [],
    ],
    ['an empty listing proves nothing', { before: [lost], listed: new Set() }, [], ['lost']],
    ['a listing of unknown backups proves nothing', { before: [lost], listed: new Set(['stranger']) }, [], ['lost']],
    [
      'a backup that was seen there before is removed',
      { before: [lost], listed: new Set(), seen: ['lost'] },
      ['lost'],
      [],
    ],
    [
      'an unknown backup of another location proves nothing',
      { before: [lost, aBackup('here', 'Completed', '00:30:00', 'other')] },
      [],
      ['lost'],
    ],
  ])('%s', (_, view, gone, doubtful) => {
    const orphans = decideOrphans({
      location: 'default',
      place: { fingerprint: 'f', sinceMs: at(view.since ?? '00:00:00') },
      before: view.before,
      listed: view.listed ?? listed,
      seen: new Set(view.seen ?? []),
    });
    expect(orphans.gone.map(({ metadata }) => metadata.name)).toEqual(gone);
    expect(orphans.doubtful.map(({ metadata }) => metadata.name)).toEqual(doubtful);
  });
});

describe('the sync period', () => {
  it.each<[string | null | undefined, number, number | undefined]>([
    [undefined, 60_000, 60_000],
    [null, 300_000, 300_000],
    ['', 300_000, 300_000],
    ['10m0s', 60_000, 600_000],
    ['0s', 60_000, undefined],
    [undefined, 0, undefined],
    ['1m', 0, 60_000],
    ['-1s', 300_000, 60_000],
    [undefined, -5, 60_000],
    ['soon', 300_000, 60_000],
    ['1ms', 60_000, 1_000],
  ])('%s, server %i: %s', (own, serverMs, expected) => {
    const location = aBackupStorageLocation(own === undefined ? {} : { spec: { backupSyncPeriod: own } });
    expect(syncPeriodMs(location, serverMs)).toBe(expected);
  });

  it.each<[string | undefined, boolean, number]>([
    [undefined, false, 0],
    ['00:59:30', false, 30_000],
    ['00:59:00', false, 0],
    ['00:10:00', false, 0],
    ['00:59:30', true, 0],
    ['01:00:20', false, 80_000],
    ['05:00:00', false, 0],
  ])('last sync %s, changed %s: due in %i ms', (last, moved, expected) => {
    const status = last === undefined ? {} : { lastSyncedTime: `2030-01-01T${last}Z` };
    const location = aBackupStorageLocation({ status });
    expect(syncDueMs(location, { nowMs: at('01:00:00'), periodMs: 60_000, moved })).toBe(expected);
  });
});

describe('the place of a location', () => {
  const location = (annotation?: string, bucket = 'b'): BackupStorageLocation =>
    aBackupStorageLocation({
      spec: { objectStorage: { bucket } },
      metadata: {
        creationTimestamp: '2030-01-01T00:00:00Z',
        ...(annotation === undefined ? {} : { annotations: { 'lateen.dev/synced-place': annotation } }),
      },
    });

  it('of a location that was never synced is the current one since its creation', () => {
    expect(presentPlace(location(), at('05:00:00')).sinceMs).toBe(at('00:00:00'));
    expect(presentPlace(location('nonsense'), at('05:00:00')).sinceMs).toBe(at('00:00:00'));
  });

  it('stays the same while the spec does, and is new when the spec changes', () => {
    const first = presentPlace(location(), at('05:00:00'));
    const noted = syncedPlaceText(first);
    expect(presentPlace(location(noted), at('06:00:00'))).toEqual(first);
    const moved = presentPlace(location(noted, 'another'), at('06:00:00'));
    expect(moved.sinceMs).toBe(at('06:00:00'));
    expect(syncedPlace(location(syncedPlaceText(moved), 'another'))).toEqual(moved);
  });
});

describe('an invalid backup in a bucket', () => {
  it('is read again after doubled delays, reported once, and forgotten when it is no longer listed', () => {
    const later = new Later();
    expect(later.isDue('a', 0)).toBe(true);
    expect(later.note('a', 'unfinished', 0)).toBe(true);
    expect([later.isDue('a', 59_999), later.isDue('a', 60_000)]).toEqual([false, true]);
    expect(later.note('a', 'unfinished', 60_000)).toBe(false);
    expect([later.isDue('a', 179_999), later.isDue('a', 180_000)]).toEqual([false, true]);
    for (let index = 0; index < 20; index++) later.note('a', 'unfinished', 0);
    expect(later.isDue('a', 600_000)).toBe(true);
    expect(later.note('a', 'broken', 0)).toBe(true);
    expect(later.isDue('a', 599_999)).toBe(false);
    later.keep(new Set(['b']));
    expect(later.isDue('a', 0)).toBe(true);
  });
});
