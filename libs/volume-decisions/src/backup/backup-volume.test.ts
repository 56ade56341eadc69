import type { Backup, BackupState, BackupStatus, BackupTarget, BackupVolume } from '@lateen/storage-types';
import { backupStates } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackupVolumeSeen, StoredVolumeFacts } from './backup-volume-seen.ts';
import { decideBackupVolume } from './decide-backup-volume.ts';

const apiVersion = 'longhorn.io/v1beta2';
const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 2, 1) + seconds * 1000).toISOString().replace('.000Z', 'Z');
const t0 = Date.UTC(2026, 2, 1);
const aTarget = (status: BackupTarget['status'] = {}, backupTargetURL = 's3://b@r/'): BackupTarget => ({
  apiVersion,
  kind: 'BackupTarget',
  metadata: { name: 'default' },
  spec: { backupTargetURL },
  status: { available: true, lastSyncedAt: at(100), ...status },
});
const aBackupVolume = (
  status: BackupVolume['status'] = { lastSyncedAt: at(100) },
  parts: Partial<BackupVolume['metadata']> = {},
  syncRequestedAt = '',
): BackupVolume => ({
  apiVersion,
  kind: 'BackupVolume',
  metadata: { name: 'vol-c4eb6c05', finalizers: ['longhorn.io'], ...parts },
  spec: { volumeName: 'vol', backupTargetName: 'default', syncRequestedAt },
  status,
});
const aBackup = (name: string, state: BackupState = 'Completed', syncedS = 50, snapshotName = 's1'): Backup => {
  const status: BackupStatus = { state, ...(syncedS < 0 ? {} : { lastSyncedAt: at(syncedS) }) };
  return {
    apiVersion,
    kind: 'Backup',
    metadata: { name, finalizers: ['longhorn.io'] },
    spec: { snapshotName },
    status,
  };
};
const stored: StoredVolumeFacts = {
  sizeBytes: 33_554_432n,
  labels: { a: 'b' },
  createdTime: '2026-02-01T00:00:00Z',
  lastBackupName: 'backup-1',
  lastBackupAt: '2026-02-28T00:00:00Z',
  blockCount: 4n,
  storageClassName: 'longhorn',
  backingImageName: '',
  backingImageChecksum: '',
};
const decide = (seen: Partial<BackupVolumeSeen>) =>
  decideBackupVolume(
    { backupVolume: aBackupVolume(), target: aTarget(), backups: [], goesWithNamespace: false, ...seen },
    t0 + 200_000,
  );
const doing = (seen: Partial<BackupVolumeSeen>) => decide(seen).effects;
const look = (backups: readonly string[], atMs = t0 + 100_000) => ({ atMs, backups, volume: stored });

describe('a volume in a backup target', () => {
  it.each<[string, Partial<BackupVolumeSeen>, boolean]>([
    ['was never read', { backupVolume: aBackupVolume({}) }, true],
    ['was read after its target', {}, false],
    ['was read before its target', { target: aTarget({ lastSyncedAt: at(101) }) }, true],
    ['has a newer sync request', { backupVolume: aBackupVolume({ lastSyncedAt: at(100) }, {}, at(101)) }, true],
    [
      'has a sync request from the second of its last read',
      { backupVolume: aBackupVolume(undefined, {}, at(100)) },
      true,
    ],
    ['has an older sync request', { backupVolume: aBackupVolume(undefined, {}, at(99)) }, false],
  ])('reads the target only when something may have changed: BackupVolume that %s', (_, seen, looks) => {
    expect(doing(seen)).toEqual(looks ? [{ do: 'look' }] : []);
  });
  it('does not read the target while the target is unavailable or gone', () => {
    const backupVolume = aBackupVolume({});
    expect(decide({ backupVolume, target: aTarget({ available: false }) })).toMatchObject({
      effects: [],
      waitsFor: 'backup target default to be available',
    });
    expect(decide({ backupVolume, target: aTarget({}, '') })).toMatchObject({
      effects: [],
      waitsFor: 'its backup target, which is gone',
    });
  });
  it("reports the content of the volume's file on the target and counts 2 MiB per block", () => {
    const before = { ownerID: 'n1', messages: { error: 'x' } };
    const { status, effects } = decide({ backupVolume: aBackupVolume(before), look: look([]) });
    expect(effects).toEqual([]);
    expect(status).toEqual({
      ownerID: 'n1',
      size: '33554432',
      labels: { a: 'b' },
      createdAt: '2026-02-01T00:00:00Z',
      lastBackupName: 'backup-1',
      lastBackupAt: '2026-02-28T00:00:00Z',
      dataStored: '8388608',
      storageClassName: 'longhorn',
      backingImageName: '',
      backingImageChecksum: '',
      messages: {},
      lastSyncedAt: at(100),
    });
  });
  it('creates a Backup for each name on the target and forgets Backups that are no longer there', () => {
    const backups = [aBackup('b1'), aBackup('b2'), aBackup('b3', 'Error', 50, ''), aBackup('b4', 'Error')];
    expect(doing({ backups, look: look(['b9', 'b1', 'b8']) })).toEqual([
      { do: 'create-backup', backup: 'b8' },
      { do: 'create-backup', backup: 'b9' },
      { do: 'forget-backup', backup: 'b2' },
      { do: 'forget-backup', backup: 'b3' },
    ]);
  });
  it('keeps a Backup that completed while the target was read, even in the second in which the read began', () => {
    const backups = [aBackup('b1', 'Completed', 99), aBackup('b2', 'Completed', 100), aBackup('b3', 'Completed', -1)];
    expect(doing({ backups, look: look([], t0 + 100_900) })).toEqual([{ do: 'forget-backup', backup: 'b1' }]);
  });
  it('forgets nothing when the list could not be read, keeps known values and emits one Event', () => {
    const first = decide({ backups: [aBackup('b1')], look: { atMs: t0 + 200_000, error: 'no route' } });
    expect(first.effects).toEqual([]);
    expect(first.status).toEqual({ lastSyncedAt: at(200), messages: { error: 'no route' } });
    expect(first.events).toEqual([{ type: 'Warning', reason: 'SyncFailed', message: 'no route' }]);
    const again = { backupVolume: aBackupVolume(first.status), look: { atMs: t0 + 300_000, error: 'no route' } };
    expect(decide(again).events).toEqual([]);
  });
  it('creates its Backups although its own file is damaged', () => {
    const damaged = { atMs: t0 + 100_000, backups: ['b1'], volume: { problem: 'volume.cfg is cut off' } };
    const { status, effects } = decide({ backupVolume: aBackupVolume({ size: '8' }), look: damaged });
    expect(effects).toEqual([{ do: 'create-backup', backup: 'b1' }]);
    expect(status).toMatchObject({ size: '8', messages: { error: 'volume.cfg is cut off' } });
  });
  it('deletes all its backups when it is deleted, after running backups have ended', () => {
    const backupVolume = aBackupVolume(undefined, { deletionTimestamp: 'x' });
    const done = [aBackup('b2'), aBackup('b1', 'Error')];
    const all = ['forget-backup', 'forget-backup', 'drop-finalizer'];
    const names = (seen: Partial<BackupVolumeSeen>) => doing({ backupVolume, ...seen }).map((effect) => effect.do);
    expect(names({ backups: done })).toEqual(['delete-stored', ...all]);
    expect(decide({ backupVolume, backups: [...done, aBackup('b3', 'InProgress')] })).toMatchObject({
      effects: [{ do: 'delete-backup', backup: 'b3' }],
      waitsFor: 'running backups to end: b3',
    });
    expect(decide({ backupVolume, backups: [aBackup('b3', 'Deleting')] })).toMatchObject({ effects: [] });
    expect(decide({ backupVolume, backups: done, target: aTarget({ available: false }) })).toMatchObject({
      effects: [],
      waitsFor: 'backup target default to be available',
    });
    expect(names({ backups: done, target: aTarget({ available: false }, '') })).toEqual(all);
    expect(names({ backupVolume: aBackupVolume({}, { deletionTimestamp: 'x', finalizers: [] }) })).toEqual([]);
    const ownerReferences = [{ apiVersion, kind: 'BackupTarget', name: 'default', uid: 'gone' }];
    const collected = aBackupVolume(undefined, { deletionTimestamp: 'x', ownerReferences });
    expect(names({ backupVolume: collected, backups: done })).toEqual(all);
    expect(names({ backups: done, goesWithNamespace: true })).toEqual(all);
    expect(names({ backupVolume: aBackupVolume({}, { finalizers: [] }) })).toEqual(['add-finalizer']);
  });
  it('deletes nothing from the target and forgets no Backup that the target lists, unless it is deleted itself', () => {
    const name = fc.constantFrom('b1', 'b2', 'b3');
    const backup = fc
      .tuple(name, fc.constantFrom(...backupStates), fc.integer({ min: -1, max: 200 }), fc.constantFrom('', 's1'))
      .map((parts) => aBackup(...parts));
    const backups = fc.uniqueArray(backup, { selector: ({ metadata }) => metadata.name });
    fc.assert(
      fc.property(
        backups,
        fc.subarray(['b1', 'b2', 'b3', 'b4']),
        fc.nat({ max: 200_000 }),
        (there, listed, afterMs) => {
          const effects = doing({ backups: there, look: look(listed, t0 + afterMs) });
          for (const effect of effects) {
            expect(['create-backup', 'forget-backup']).toContain(effect.do);
            if (effect.do === 'create-backup')
              expect(there.map(({ metadata }) => metadata.name)).not.toContain(effect.backup);
            if (effect.do !== 'forget-backup') continue;
            const { status } = there.find(({ metadata }) => metadata.name === effect.backup) ?? {};
            expect(listed).not.toContain(effect.backup);
            expect(['Completed', 'Error']).toContain(status?.state);
            expect(Date.parse(status?.lastSyncedAt ?? '')).toBeLessThan(t0 + afterMs);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
