import {
  type Backup,
  type BackupState,
  type BackupTarget,
  backupMoves,
  backupStates,
  mayMove,
} from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/read-settings.ts';
import { anEngine, aVolumeObject } from '../volume/example-volume.ts';
import type { BackupSeen, StoredBackupFacts, TransferFacts } from './backup-seen.ts';
import { decideBackup } from './decide-backup.ts';
import { type BackupTargetSeen, decideBackupTarget } from './decide-backup-target.ts';
import { backupsOfTransfer, backupTransferName } from './lost-transfer.ts';

const apiVersion = 'longhorn.io/v1beta2';
const t0 = Date.parse('2026-03-01T00:00:00Z');
const aTarget = (
  spec: BackupTarget['spec'] = {},
  status: BackupTarget['status'] = { available: true },
): BackupTarget => ({
  apiVersion,
  kind: 'BackupTarget',
  metadata: { name: 'default', finalizers: ['longhorn.io'] },
  spec: { backupTargetURL: 's3://b@r/', pollInterval: '5m0s', ...spec },
  status,
});
const aBackup = (
  state: BackupState = 'Pending',
  parts: Partial<Backup['metadata']> = {},
  snapshotName = 's1',
): Backup => ({
  apiVersion,
  kind: 'Backup',
  metadata: {
    name: 'backup-1',
    creationTimestamp: '2026-03-01T00:00:00Z',
    finalizers: ['longhorn.io'],
    labels: { 'backup-volume': 'vol', 'backup-target': 'default' },
    ...parts,
  },
  spec: { snapshotName },
  status: { state, lastSyncedAt: '2026-03-01T00:00:00Z' },
});
const stored: StoredBackupFacts = {
  name: 'backup-1',
  createdTime: '2026-03-01T00:10:00Z',
  snapshotName: 's1',
  snapshotCreatedAt: '2026-03-01T00:00:00Z',
  size: '4194304',
  labels: null,
  compressionMethod: 'lz4',
  newlyUploaded: '1',
  reUploaded: '0',
  url: 'u',
  volumeSize: '8',
  volumeCreated: 'c',
};
const usual: BackupSeen = {
  backup: aBackup(),
  target: aTarget(),
  volume: aVolumeObject(),
  engine: anEngine({ r1: 'RW', r2: 'ERR', r3: 'WO' }),
  snapshot: {
    apiVersion,
    kind: 'Snapshot',
    metadata: { name: 's1' },
    spec: { volume: 'vol' },
    status: { readyToUse: true },
  },
  othersGoing: [],
  goesWithNamespace: false,
  settings: defaultSettings,
};
const at = (seen: Partial<BackupSeen>, afterMs = 0) => decideBackup({ ...usual, ...seen }, t0 + afterMs);
const doing = (seen: Partial<BackupSeen>, afterMs = 0) => at(seen, afterMs).effects.map((effect) => effect.do);
const inProgress = { ...stored, createdTime: '' };
const silentSince: TransferFacts = { state: 'silent', sinceMs: t0 };

describe('a backup', () => {
  it('starts its transfer from a replica that has all data', () => {
    expect(at({ stored: 'absent' }).effects).toEqual([{ do: 'start-transfer', replicas: ['r1'] }]);
  });
  it.each([
    ['target', { target: aTarget({}, { available: false }) }, 'backup target default is not available'],
    ['snapshot', { snapshot: { ...usual.snapshot, status: {} } as BackupSeen['snapshot'] }, 'is not ready'],
    ['other', { othersGoing: ['b0'] }, 'backup b0 of the volume is running'],
    ['engine', { engine: anEngine({ r1: 'ERR' }) }, 'has to be attached'],
  ])('waits up to a day: %s', (_title, seen, waits) => {
    const of: Partial<BackupSeen> = { stored: 'absent', ...(seen as Partial<BackupSeen>) };
    expect(at(of).waitsFor).toContain(waits);
    expect(at(of, 86_400_000).status).toMatchObject({ state: 'Error' });
  });
  it('does not start a second transfer when the status does not record the first one', () => {
    const { status, effects } = at({ transfer: { state: 'running', progress: 1, replicaAddress: 'a' } });
    expect([status.state, effects]).toEqual(['InProgress', []]);
  });
  it('is Unknown while its host does not answer, starts again after five minutes, and is Completed if the target has it', () => {
    const silent = { backup: aBackup('InProgress'), transfer: { state: 'silent', sinceMs: t0 } as const };
    expect(at(silent, 1000).status.state).toBe('Unknown');
    expect(doing(silent, 300_000)).toEqual(['read-stored']);
    const again = at({ ...silent, stored: inProgress }, 300_000);
    expect(again).toMatchObject({ status: { state: 'Pending' }, events: [{ reason: 'BackupBeginsAgain' }] });
    expect(again.status.messages?.['lost-transfer-1-silent']).toContain('has not answered for five minutes');
    expect(at({ ...silent, stored }, 300_000).status).toMatchObject({
      state: 'Completed',
      size: '4194304',
      backupTargetName: 'default',
    });
  });
  it('starts the next transfer under a new name when a host does not answer, at most three times, and under the same name when the host does not know it', () => {
    let backup = aBackup('InProgress');
    const lost = (transfer: TransferFacts) => at({ backup, transfer, stored: inProgress }, 600_000);
    const names: string[] = [];
    for (const transfer of [silentSince, { state: 'absent' }, silentSince] as const) {
      names.push(backupTransferName(backup));
      const { status } = lost(transfer);
      expect(status.state).toBe('Pending');
      backup = { ...backup, status: { ...status, state: 'InProgress' } };
    }
    names.push(backupTransferName(backup));
    expect(names).toEqual(['backup-1', 'backup-1.again-2', 'backup-1.again-2', 'backup-1.again-3']);
    expect(names.every((name) => backupsOfTransfer(name).includes('backup-1'))).toBe(true);
    for (const transfer of [silentSince, { state: 'absent' }] as const)
      expect(lost(transfer).status).toMatchObject({ state: 'Error', error: expect.stringContaining('interrupted') });
  });
  it('is Completed when another process has completed it meanwhile', () => {
    const transfer = { state: 'failed', error: 'it is there already', code: 'BLOCK_BACKUP_EXISTS' } as const;
    const backup = aBackup('InProgress');
    expect(doing({ backup, transfer })).toEqual(['read-stored']);
    expect(at({ backup, transfer, stored }).status.state).toBe('Completed');
    expect(at({ backup, transfer, stored: 'absent' }).status).toMatchObject({ state: 'Error', error: transfer.error });
  });
  it.each<BackupState>(['Pending', 'InProgress', 'Completed', 'Error'])(
    'stops transfers that an unreachable host has continued, in state %s',
    (state) => {
      const seen = {
        backup: aBackup(state),
        transfer: { state: 'running', progress: 1, replicaAddress: 'a' },
      } as const;
      expect(doing({ ...seen, hasLeftovers: true })).toContain('stop-leftovers');
      expect(doing({ ...seen, hasLeftovers: false })).not.toContain('stop-leftovers');
    },
  );
  it('starts again from another replica when its transfer was lost, at most three times', () => {
    const lost = { state: 'failed', error: 'its process was killed', code: 'TRANSFER_ENDED' } as const;
    const engine = anEngine({ r1: 'RW', r2: 'RW' });
    const seen = {
      engine: { ...engine, spec: { ...engine.spec, replicaAddressMap: { r1: '10.0.0.1:1', r2: '10.0.0.2:1' } } },
      stored: 'absent',
    } as const;
    let backup = aBackup();
    for (const times of [1, 2, 3]) {
      const going = {
        ...backup,
        status: { ...backup.status, state: 'InProgress', replicaAddress: 'tcp://10.0.0.1:1' },
      } as const;
      const again = at({ ...seen, backup: going, transfer: lost });
      expect(again).toMatchObject({ status: { state: 'Pending' }, effects: [{ do: 'stop-transfer' }] });
      expect(Object.keys(again.status.messages ?? {})).toHaveLength(times);
      backup = { ...backup, status: again.status };
      expect(at({ ...seen, backup, transfer: lost })).toMatchObject({ status: { state: 'InProgress' }, effects: [] });
      expect(at({ ...seen, backup, transfer: { state: 'absent' } }).effects).toEqual([
        { do: 'start-transfer', replicas: ['r2', 'r1'] },
      ]);
    }
    const last = { ...backup, status: { ...backup.status, state: 'InProgress' } } as const;
    expect(at({ ...seen, backup: last, transfer: lost }).status.state).toBe('Error');
    expect(
      at({ ...seen, backup: aBackup('InProgress'), transfer: { ...lost, code: 'BLOCK_STORE_FILE' } }).status,
    ).toMatchObject({
      state: 'Error',
      error: 'its process was killed',
    });
  });

  it('is deleted one day after it failed', () => {
    expect(doing({ backup: aBackup('Error') }, 86_399_000)).toEqual([]);
    expect(doing({ backup: aBackup('Error') }, 86_400_000)).toEqual(['delete-backup']);
  });
  it('is Unknown when it was found in progress on the target, completes, or is deleted after a day', () => {
    const backup = aBackup('', {}, '');
    expect(at({ backup, stored: inProgress }).status.state).toBe('Unknown');
    expect(at({ backup, stored }).status.state).toBe('Completed');
    expect(doing({ backup: aBackup('Unknown', {}, ''), stored: inProgress }, 86_400_000)).toEqual(['delete-backup']);
  });
  it('deletes its data on the target, but only itself when the target is gone', () => {
    const backup = aBackup('Completed', { deletionTimestamp: 'x' });
    backup.status = { ...backup.status, url: 's3://b@r/?backup=backup-1&volume=vol' };
    expect(doing({ backup })).toEqual(['delete-stored', 'drop-finalizer']);
    expect(doing({ backup, target: aTarget({ backupTargetURL: '' }) })).toEqual(['drop-finalizer']);
    expect(at({ backup, target: aTarget({}, { available: false }) }).waitsFor).toContain('to be available');
    expect(doing({ backup, transfer: { state: 'running', progress: 1, replicaAddress: 'a' } })).toEqual([
      'stop-transfer',
    ]);
  });
  it('takes its status from the target after it was recreated without one, and does not run again', () => {
    expect(doing({ transfer: { state: 'absent' } })).toEqual(['read-stored']);
    expect(at({ stored }).status).toMatchObject({ state: 'Completed', url: 'u' });
    expect(at({ stored }).effects).toEqual([]);
    const { volume: _, ...without } = usual;
    expect(decideBackup({ ...without, stored }, t0).status.state).toBe('Completed');
    expect(decideBackup({ ...without, target: aTarget({}, { available: false }) }, t0).waitsFor).toContain('available');
    expect(at({ stored: 'damaged' }).status).toMatchObject({
      state: 'Error',
      error: expect.stringContaining('cannot be used'),
    });
  });
  it('leaves a complete backup on the target when it never completed itself, has owners, or goes with its namespace', () => {
    const backup = aBackup('Error', { deletionTimestamp: 'x' });
    expect(doing({ backup })).toEqual(['read-stored']);
    expect(doing({ backup, stored })).toEqual(['drop-finalizer']);
    expect(at({ backup, stored }).events[0]).toMatchObject({ reason: 'BackupKept' });
    expect(doing({ backup, stored: 'damaged' })).toEqual(['drop-finalizer']);
    expect(doing({ backup, stored: inProgress })).toEqual(['delete-stored', 'drop-finalizer']);
    expect(doing({ backup, stored: 'absent' })).toEqual(['delete-stored', 'drop-finalizer']);
    const ownerReferences = [{ apiVersion, kind: 'Volume', name: 'vol', uid: 'gone' }];
    const owned = aBackup('Completed', { deletionTimestamp: 'x', ownerReferences });
    owned.status = { ...owned.status, url: 'u' };
    expect(doing({ backup: owned })).toEqual(['drop-finalizer']);
    const complete = { ...owned, metadata: aBackup('Completed', { deletionTimestamp: 'x' }).metadata };
    expect(doing({ backup: complete })).toEqual(['delete-stored', 'drop-finalizer']);
    expect(at({ backup: complete, goesWithNamespace: true })).toMatchObject({
      effects: [{ do: 'drop-finalizer' }],
      events: [],
    });
  });
  it('changes state only as the table allows, and is Completed only if the target has the backup', () => {
    const transfers = fc.constantFrom<BackupSeen['transfer'][]>(
      undefined,
      { state: 'running', progress: 3, replicaAddress: 'a' },
      { state: 'completed' },
      { state: 'failed', error: 'e' },
      { state: 'failed', error: 'e', code: 'TRANSFER_ENDED' },
      { state: 'absent' },
      { state: 'silent', sinceMs: t0 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...backupStates),
        transfers,
        fc.constantFrom(undefined, 'absent' as const, 'damaged' as const, stored, inProgress),
        fc.nat({ max: 90_000_000 }),
        fc.boolean(),
        (state, transfer, file, afterMs, deleting) => {
          const backup = aBackup(state, deleting ? { deletionTimestamp: 'x' } : {});
          const seen = { ...usual, backup, ...(transfer && { transfer }), ...(file && { stored: file }) };
          const { status } = decideBackup(seen, t0 + afterMs);
          const after = status.state ?? '';
          expect(after === state || mayMove<BackupState>(backupMoves, state, after)).toBe(true);
          if (after === 'Completed' && state !== 'Completed') expect(file).toBe(stored);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a backup target', () => {
  const volume = (volumeName: string) => ({
    apiVersion,
    kind: 'BackupVolume',
    metadata: { name: `${volumeName}-1` },
    spec: { volumeName },
  });
  const of = (seen: Partial<BackupTargetSeen>, afterMs = 0) =>
    decideBackupTarget(
      { target: aTarget(), backupVolumes: [volume('a'), volume('b')], busy: new Set(), ...seen },
      t0 + afterMs,
    );
  const synced = (spec: BackupTarget['spec'] = {}) =>
    aTarget(spec, { available: true, lastSyncedAt: '2026-03-01T00:00:00Z' });
  it('is read at first, every five minutes, and ten seconds after a request', () => {
    expect(of({}).effects).toEqual([{ do: 'look' }]);
    expect(of({ target: synced() }, 299_000).again?.afterMs).toBe(1000);
    expect(of({ target: synced() }, 300_000).effects).toEqual([{ do: 'look' }]);
    const asked = synced({ syncRequestedAt: '2026-03-01T00:00:03Z' });
    expect(of({ target: asked }, 4000).again?.afterMs).toBe(6000);
    expect(of({ target: asked }, 10_000).effects).toEqual([{ do: 'look' }]);
    expect(of({ target: synced({ pollInterval: '0s' }) }, 9_000_000).effects).toEqual([]);
  });
  it('creates a BackupVolume for each volume and forgets those that are gone and not in use', () => {
    const { effects, status } = of({ look: { atMs: t0, volumes: ['a', 'c'] } });
    expect(effects).toEqual([
      { do: 'create-backup-volume', volume: 'c' },
      { do: 'forget-backup-volume', name: 'b-1' },
    ]);
    expect(status).toMatchObject({ available: true, lastSyncedAt: '2026-03-01T00:00:00Z' });
    expect(of({ look: { atMs: t0, volumes: ['a'] }, busy: new Set(['b']) }).effects).toEqual([]);
  });
  it('forgets nothing when it could not be read, and emits one Event', () => {
    const first = of({ look: { atMs: t0, error: 'no such bucket' } });
    expect([first.effects, first.events.length, first.status.available]).toEqual([[], 1, false]);
    expect(
      of({ target: aTarget({}, first.status), look: { atMs: t0 + 1, error: 'no such bucket' } }, 1).events,
    ).toEqual([]);
  });
  it('drops its finalizer when its BackupVolumes are gone', () => {
    const target = { ...aTarget(), metadata: { name: 'x', finalizers: ['longhorn.io'], deletionTimestamp: 'x' } };
    expect(of({ target }).effects).toHaveLength(2);
    expect(of({ target, backupVolumes: [] }).effects).toEqual([{ do: 'drop-finalizer' }]);
  });
});
