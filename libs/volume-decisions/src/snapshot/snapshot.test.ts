import type { Backup, BackupState, EngineSnapshot, Snapshot, SnapshotStatus, VolumeSpec } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/read-settings.ts';
import { anEngine, aVolumeObject } from '../volume/example-volume.ts';
import { compareSums } from './compare-sums.ts';
import { decideSnapshot } from './decide-snapshot.ts';
import { decideSums, type SumsSeen } from './decide-sums.ts';
import { decideSnapshotPurge } from './purgeable.ts';
import type { SnapshotSeen } from './snapshot-seen.ts';
import { snapshotNeedsAttachment } from './snapshot-ticket.ts';

const apiVersion = 'longhorn.io/v1beta2';
const t0 = Date.parse('2026-03-01T00:00:00Z');
const layer = (parent: string, parts: EngineSnapshot = {}): EngineSnapshot => ({
  parent,
  created: '2026-02-01T00:00:00Z',
  ...parts,
});
const head = (parent: string) => ({ 'volume-head': layer(parent) });
const running = (snapshots: Record<string, EngineSnapshot>) => {
  const engine = anEngine({ r1: 'RW' });
  return { ...engine, status: { ...engine.status, snapshots } };
};
const aSnapshot = (status?: SnapshotStatus, metadata: Partial<Snapshot['metadata']> = {}): Snapshot => ({
  apiVersion,
  kind: 'Snapshot',
  metadata: { name: 's1', finalizers: ['longhorn.io'], ...metadata },
  spec: { volume: 'vol', createSnapshot: true, labels: { a: 'b' } },
  ...(status === undefined ? {} : { status }),
});
const usual: SnapshotSeen = {
  snapshot: aSnapshot(),
  volume: aVolumeObject({ size: '1073741824' }),
  engine: running(head('')),
  backups: [],
  clones: [],
  settings: defaultSettings,
};
const at = (seen: Partial<SnapshotSeen> = {}) => decideSnapshot({ ...usual, ...seen }, t0);
const doing = (seen: Partial<SnapshotSeen> = {}) => at(seen).effects.map((effect) => effect.do);
const deleted = aSnapshot({ creationTime: 'x', readyToUse: true }, { deletionTimestamp: '2026-03-01T00:00:00Z' });
const { engine: _, ...withoutEngine } = usual;

describe('a snapshot', () => {
  it('gets a finalizer before it is taken', () => {
    expect(doing({ snapshot: aSnapshot(undefined, { finalizers: [] }) })).toEqual(['add-finalizer']);
  });
  it('is not taken while the volume is being restored', () => {
    const spec = { size: '1073741824', fromBackup: 's3://b@r/?backup=x&volume=y' };
    const restoring = aVolumeObject(spec, { restoreInitiated: true, restoreRequired: true });
    expect(at({ volume: restoring })).toMatchObject({
      effects: [],
      waitsFor: expect.stringContaining('its content is being restored from s3://b@r/'),
    });
    const restored = aVolumeObject(spec, { restoreInitiated: true, restoreRequired: false });
    expect(doing({ volume: restored })).toEqual(['take-snapshot']);
  });
  it('is taken with its labels, and copies its status from the engine', () => {
    expect(at().effects).toEqual([{ do: 'take-snapshot', labels: { a: 'b' }, freeze: false }]);
    const { status } = at({ engine: running({ s1: layer('', { size: '4096', usercreated: true }), ...head('s1') }) });
    expect(status).toMatchObject({
      readyToUse: true,
      size: 4096,
      restoreSize: 1073741824,
      userCreated: true,
      error: '',
    });
  });
  it('waits for an engine, and requires the volume to be attached', () => {
    const decision = decideSnapshot(withoutEngine, t0);
    expect([decision.effects, decision.waitsFor]).toEqual([[], expect.stringContaining('to be attached')]);
    expect(snapshotNeedsAttachment(withoutEngine)).toBe(true);
  });
  it('is not taken again when it is lost, because a later snapshot would have other data', () => {
    const { effects, status, events } = at({ snapshot: aSnapshot({ creationTime: 'x', readyToUse: true }) });
    expect([effects, status.readyToUse, events[0]?.reason]).toEqual([[], false, 'SnapshotError']);
    expect(at({ snapshot: aSnapshot(status) }).events).toEqual([]);
  });
  it('keeps its status while no engine runs', () => {
    const status = { creationTime: 'x', readyToUse: true };
    expect(decideSnapshot({ ...withoutEngine, snapshot: aSnapshot(status) }, t0).status).toEqual(status);
  });
  it.each([
    ['count', { snapshotMaxCount: 2 }, 'the volume has 2 snapshots and may have 2'],
    ['bytes', { snapshotMaxSize: '8192' }, 'the snapshots of the volume take 8192 bytes and may take 8192'],
  ] as const)('is refused at the limit of %s', (_title, spec, error) => {
    const engine = running({ a: layer('', { size: '4096' }), b: layer('a', { size: '4096' }), ...head('b') });
    expect(at({ engine, volume: aVolumeObject(spec) })).toMatchObject({ effects: [], status: { error } });
  });
});

describe('a snapshot that is being deleted', () => {
  const of = (snapshots: Record<string, EngineSnapshot>, parts: Partial<SnapshotSeen> = {}) =>
    at({ snapshot: deleted, engine: running(snapshots), ...parts });
  it('is marked as removed, merged, and released when its data is gone', () => {
    const chain = (removed: boolean) => ({ s1: layer('', { removed }), s2: layer('s1'), ...head('s2') });
    expect(of(chain(false)).effects).toEqual([{ do: 'mark-removed' }]);
    expect(of(chain(true))).toMatchObject({ effects: [], waitsFor: 'the purge of the volume' });
    expect(of(head('')).effects).toEqual([{ do: 'drop-finalizer' }]);
  });
  it('stays when the volume head builds on it, reports why, and does not keep the volume attached', () => {
    const { effects, waitsFor } = of({ s1: layer('', { removed: true }), ...head('s1') });
    expect([effects, waitsFor]).toEqual([[], expect.stringContaining('the head builds on it')]);
    const engine = running({ s1: layer('', { removed: true }), ...head('s1') });
    expect(snapshotNeedsAttachment({ ...usual, snapshot: deleted, engine })).toBe(false);
    const stopped = { ...engine, status: { ...engine.status, currentState: 'stopped' as const } };
    expect(snapshotNeedsAttachment({ ...usual, snapshot: deleted, engine: stopped })).toBe(false);
  });
  it('waits for a backup that reads it and for a rebuild that copies it', () => {
    const backup = (state: BackupState): Backup => ({
      apiVersion,
      kind: 'Backup',
      metadata: { name: 'b' },
      spec: {},
      status: { state },
    });
    const chain = { s1: layer('', { removed: true }), s2: layer('s1'), ...head('s2') };
    expect(of(chain, { backups: [backup('InProgress')] }).waitsFor).toContain('backup b');
    expect(of(chain, { backups: [backup('Completed')] }).waitsFor).toBe('the purge of the volume');
    const engine = running(chain);
    const rebuilding = { ...engine, status: { ...engine.status, replicaModeMap: { r1: 'RW', r2: 'WO' } as const } };
    expect(at({ snapshot: deleted, engine: rebuilding }).waitsFor).toContain('rebuild');
  });
  it('is deleted with its volume', () => {
    const { volume: _volume, ...gone } = usual;
    expect(decideSnapshot({ ...gone, snapshot: deleted }, t0).effects).toEqual([{ do: 'drop-finalizer' }]);
  });
});

describe('purge', () => {
  it('in random trees, merges only removed snapshots, never the parent of the head or a snapshot with two children', () => {
    const tree = fc.array(fc.record({ parent: fc.nat(), removed: fc.boolean(), listed: fc.boolean() }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(tree, fc.nat(), (rows, at) => {
        const snapshots: Record<string, EngineSnapshot> = {};
        for (const [n, row] of rows.entries())
          snapshots[`s${n}`] = layer(n === 0 ? '' : `s${row.parent % n}`, { removed: row.removed });
        const below = rows.length === 0 ? '' : `s${at % rows.length}`;
        snapshots['volume-head'] = layer(below, { removed: true });
        const { merge, kept } = decideSnapshotPurge(snapshots);
        const standOn = (name: string) => Object.values(snapshots).filter(({ parent }) => parent === name).length;
        const removed = Object.keys(snapshots).filter((name) => name !== 'volume-head' && snapshots[name]?.removed);
        expect([...merge, ...Object.keys(kept)].sort()).toEqual(removed.sort());
        for (const name of merge) expect([name === below, standOn(name) > 1]).toEqual([false, false]);
        for (const name of Object.keys(kept)) expect(name === below || standOn(name) > 1).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
  it('counts a child that only its parent lists', () => {
    const snapshots = { a: layer('', { removed: true, children: { b: true, c: true } }), b: layer('a'), ...head('b') };
    expect(decideSnapshotPurge(snapshots)).toEqual({
      merge: [],
      kept: { a: expect.stringContaining('b and c build on it') },
    });
  });
});

describe('snapshot checksums', () => {
  const of = (name: string, status: SnapshotStatus): Snapshot => ({
    ...aSnapshot({ readyToUse: true, ...status }),
    metadata: { name },
  });
  const on = (name: string, snapshots: Snapshot[], spec: Partial<VolumeSpec> = {}): SumsSeen['volumes'][number] => {
    const engine = running({});
    return {
      volume: { ...aVolumeObject(spec), metadata: { name } },
      engine: { ...engine, spec: { ...engine.spec, nodeID: 'n1' } },
      snapshots,
    };
  };
  const old = { checksum: 'x', checksumCalculatedAt: '2026-01-01T00:00:00Z' };
  const due = (volumes: SumsSeen['volumes'], running: SumsSeen['running'] = []) =>
    decideSums({ volumes, running, settings: defaultSettings }, t0);
  it('are computed when the interval has passed, the oldest first, one per volume and five per node at once', () => {
    const fresh = of('fresh', { checksum: 'x', checksumCalculatedAt: '2026-02-28T23:59:59Z' });
    const one = on('v', [of('b', { ...old, checksumCalculatedAt: '2026-01-02T00:00:00Z' }), of('a', old), fresh]);
    expect(due([one])).toEqual([{ volume: 'v', node: 'n1', snapshot: 'a', onlyChanged: true }]);
    const many = [1, 2, 3, 4, 5, 6, 7].map((n) => on(`v${n}`, [of('a', old)]));
    expect(due(many)).toHaveLength(5);
    expect(due(many, [{ volume: 'v1', node: 'n1' }]).map(({ volume }) => volume)).toEqual(['v2', 'v3', 'v4', 'v5']);
  });
  it.each<[string, string, SnapshotStatus, boolean]>([
    ['fast-check', 'that has a checksum', old, true],
    ['fast-check', 'without a checksum, because its replicas did not agree', { ...old, checksum: '' }, false],
    ['fast-check', 'that was never checksummed', { creationTime: '2026-01-01T00:00:00Z' }, false],
    ['enabled', 'that has a checksum', old, false],
    ['enabled', 'that was never checksummed', { creationTime: '2026-01-01T00:00:00Z' }, false],
  ])('with %s, for a snapshot %s', (snapshotDataIntegrity, _what, status, onlyChanged) => {
    const spec = { snapshotDataIntegrity } as VolumeSpec;
    expect(due([on('v', [of('a', status)], spec)]).map((task) => task.onlyChanged)).toEqual([onlyChanged]);
  });
  it('follow the setting of the volume: always, never, on request', () => {
    expect(due([on('v', [of('a', old)], { snapshotDataIntegrity: 'enabled' })])[0]?.onlyChanged).toBe(false);
    expect(due([on('v', [of('a', old)], { snapshotDataIntegrity: 'disabled' })])).toEqual([]);
    const now = of('a', { creationTime: '2026-02-28T23:00:00Z', checksum: '' });
    const asked = { snapshotHashingRequestedAt: '2026-02-28T23:30:00Z' };
    expect(due([on('v', [of('a', { ...now.status, creationTime: '2026-03-01T00:00:00Z' })])])).toEqual([]);
    expect(due([on('v', [now], asked)])).toHaveLength(1);
  });
  it.each([
    [{}, undefined],
    [{ r1: 'a', r2: 'a', r3: 'a' }, { agreed: 'a' }],
    [
      { r1: 'a', r2: 'b', r3: 'a' },
      { agreed: 'a', fail: ['r2'], cause: 'checksum of snapshot s differs from the majority' },
    ],
    [
      { r1: 'a', r2: 'b' },
      { open: true, event: expect.objectContaining({ reason: 'ChecksumsDiffer' }) },
    ],
    [
      { r1: 'a', r2: 'b', r3: 'c' },
      { open: true, event: expect.anything() },
    ],
    [
      { r1: 'a', r2: 'a', r3: 'b', r4: 'b' },
      { open: true, event: expect.anything() },
    ],
  ])('of replicas %j result in %j', (sums, wanted) => {
    expect(compareSums('s', sums)).toEqual(wanted);
  });
});
