import type { Engine, Replica, Robustness, Volume, VolumeState } from '@lateen/storage-types';
import { storageAnnotations } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aCluster, aDisk, aNode } from '../scheduler/example-cluster.ts';
import { defaultSettings } from '../settings/read-settings.ts';
import { promisedReplica } from './changed-replica.ts';
import { anEngine, aReplica, aVolumeObject } from './example-volume.ts';
import { foldFailures, wholeSet } from './fold-failures.ts';
import { decideRobustness } from './robustness.ts';
import { checkSalvage, decideSalvage, type SalvageSeen } from './salvage.ts';

const t0 = Date.parse('2026-03-01T00:00:00Z');
const restored = { fromBackup: 's3://bucket@here/?backup=b-1&volume=v-1' };
const early = '2026-02-28T23:00:00Z';

describe('foldFailures', () => {
  const engine = anEngine({ a: 'RW', b: 'ERR', c: 'ERR' }, ['a', 'b', 'c']);
  it('lists each failure that its replica does not record yet, and the replicas that no longer have every write', () => {
    engine.status = { ...engine.status, replicaTransitionTimeMap: { b: early } };
    const cause = { annotations: { [storageAnnotations.failureCause]: 'connection lost' } };
    const replicas = [aReplica('c', 'n3', {}, cause), aReplica('b', 'n2'), aReplica('a', 'n1')];
    expect(foldFailures(engine, replicas, t0)).toEqual({
      failures: [
        { replica: 'b', failedAt: early, cause: 'the engine has recorded its failure' },
        { replica: 'c', failedAt: '2026-03-01T00:00:00Z', cause: 'connection lost' },
      ],
      leave: ['b', 'c'],
    });
  });
  it('has nothing to do when all failures are recorded', () => {
    const replicas = [aReplica('b', 'n2', { failedAt: early }), aReplica('c', 'n3', { failedAt: early })];
    expect(foldFailures(anEngine({ a: 'RW', b: 'ERR', c: 'ERR' }, ['a']), replicas, t0)).toEqual({
      failures: [],
      leave: [],
    });
    expect(foldFailures(undefined, replicas, t0)).toEqual({ failures: [], leave: [] });
  });
  it('removes addresses of replicas whose failure the recorder has already written', () => {
    const replicas = [aReplica('b', 'n2', { failedAt: early }), aReplica('c', 'n3', { failedAt: early })];
    expect(foldFailures(engine, replicas, t0)).toEqual({ failures: [], leave: ['b', 'c'] });
  });
  it('lists the replicas that have every write, including one whose mode is not reported yet', () => {
    expect([...wholeSet(anEngine({ a: 'RW', b: 'ERR', c: 'WO' }, ['a', 'b', 'c', 'd']))]).toEqual(['a', 'd']);
    expect(wholeSet(undefined).size).toBe(0);
  });
});

describe('decideRobustness', () => {
  const at = (state: VolumeState, status: Volume['status'] = {}) =>
    aVolumeObject({ numberOfReplicas: 2 }, { state, ...status });
  const decide = (volume: Volume, engine: Engine | undefined, replicas: Replica[]) =>
    decideRobustness({ volume, replicas, nowMs: t0, ...(engine === undefined ? {} : { engine }) });
  const [a, b] = [aReplica('a', 'n1'), aReplica('b', 'n2')];
  const failed = aReplica(
    'b',
    'n2',
    { failedAt: early },
    { annotations: { [storageAnnotations.failureCause]: 'disk full' } },
  );
  const faulted = aReplica('a', 'n1', { failedAt: early });

  it.each<[string, Volume, Engine | undefined, Replica[], Robustness]>([
    ['attached with all replicas in use', at('attached'), anEngine({ a: 'RW', b: 'RW' }), [a, b], 'healthy'],
    [
      'attached with more replicas than it should have',
      at('attached'),
      anEngine({ a: 'RW', b: 'RW', c: 'RW' }),
      [a, b, aReplica('c', 'n3')],
      'healthy',
    ],
    [
      'attached with one failed replica beside enough others',
      aVolumeObject({ numberOfReplicas: 1 }, { state: 'attached' }),
      anEngine({ a: 'RW', b: 'ERR' }),
      [a, failed],
      'healthy',
    ],
    ['attached with a replica that is rebuilt', at('attached'), anEngine({ a: 'RW', b: 'WO' }), [a, b], 'degraded'],
    ['attached with a failed replica', at('attached'), anEngine({ a: 'RW', b: 'ERR' }), [a, failed], 'degraded'],
    [
      'attached with a failed replica that the engine still reports in use',
      at('attached'),
      anEngine({ a: 'RW', b: 'RW' }),
      [a, failed],
      'degraded',
    ],
    ['attached with one replica too few', at('attached'), anEngine({ a: 'RW' }), [a], 'degraded'],
    ['attached with all replicas failed', at('attached'), anEngine({ a: 'RW', b: 'RW' }), [faulted, failed], 'faulted'],
    ['attached before the engine reports its replicas', at('attached'), anEngine({}), [a, b], 'unknown'],
    ['attaching', at('attaching'), anEngine({ a: 'RW', b: 'RW' }), [a, b], 'unknown'],
    ['detached with a usable replica', at('detached'), undefined, [a, failed], 'unknown'],
    ['detached with all replicas failed', at('detached'), undefined, [faulted, failed], 'faulted'],
    ['new, without replicas', at('creating'), undefined, [], 'unknown'],
    ['faulted, with all replicas deleted', at('detached', { robustness: 'faulted' }), undefined, [], 'faulted'],
  ])('is correct when %s', (_, volume, engine, replicas, robustness) => {
    expect(decide(volume, engine, replicas).robustness).toBe(robustness);
  });

  it('reports why a volume is degraded, and since when', () => {
    const noRoom = { type: 'Scheduled', status: 'False', message: 'insufficient storage' } as const;
    const volume = aVolumeObject(
      { numberOfReplicas: 6 },
      { state: 'attached', robustness: 'healthy', conditions: [noRoom] },
    );
    const others = [aReplica('c', 'n3'), aReplica('d', ''), aReplica('e', 'n5')];
    const decision = decide(volume, anEngine({ a: 'RW', b: 'ERR', c: 'WO' }), [a, failed, ...others]);
    expect(decision).toMatchObject({
      lastDegradedAt: '2026-03-01T00:00:00Z',
      causes: [
        'replica b on n2 failed: disk full',
        'replica c on n3 is being rebuilt',
        'replica d cannot be scheduled: insufficient storage',
        'replica e on n5 has not been rebuilt yet',
        'one replica is missing',
      ],
      event: { type: 'Warning', reason: 'Degraded' },
    });
  });
  it('keeps the start of the degraded state until the volume is healthy, even while it is detached', () => {
    const since = { lastDegradedAt: early, robustness: 'degraded' } as const;
    const engine = anEngine({ a: 'RW', b: 'WO' });
    expect(decide(at('attached', since), engine, [a, b])).toMatchObject({ lastDegradedAt: early });
    expect(decide(at('attached', since), engine, [a, b]).event).toBeUndefined();
    expect(decide(at('detached', since), undefined, [a, b])).toMatchObject({
      robustness: 'unknown',
      lastDegradedAt: early,
    });
    const healthy = decide(at('attached', since), anEngine({ a: 'RW', b: 'RW' }), [a, b]);
    expect(healthy).toMatchObject({ lastDegradedAt: '', causes: [], event: { type: 'Normal', reason: 'Healthy' } });
  });
  it('reports that no replica can be used, with the cause of each failure', () => {
    expect(decide(at('detached'), undefined, [faulted, failed]).event).toEqual({
      type: 'Warning',
      reason: 'Faulted',
      message:
        'No replica can be used: replica a on n1 failed: no cause is recorded; replica b on n2 failed: disk full',
    });
  });
});

describe('decideSalvage', () => {
  const late = '2026-02-28T23:00:30Z';
  const replica = (name: string, node: string, failedAt = early) =>
    aReplica(name, node, { failedAt, diskID: `uuid-${node}-a`, lastHealthyAt: early });
  const nodes = [aNode('n1'), aNode('n2'), aNode('n3')];
  const salvage = (parts: Partial<SalvageSeen>) =>
    decideSalvage({
      volume: aVolumeObject({}, { state: 'detached', robustness: 'faulted' }),
      engine: anEngine({ a: 'RW', b: 'RW', c: 'ERR' }, ['a', 'b']),
      replicas: [replica('a', 'n1', early), replica('b', 'n2', late), replica('c', 'n3', late)],
      cluster: aCluster(...nodes),
      settings: defaultSettings,
      ...parts,
    });
  const down = (...names: string[]) =>
    aCluster(...nodes.map((node) => ({ ...node, ready: !names.includes(node.name) })));

  it('takes all replicas that were in use to the end, and none that had failed before, however recently', () => {
    expect(salvage({})).toEqual({
      kind: 'salvage',
      replicas: ['a', 'b'],
      readPrimary: 'b',
      clearModes: false,
      mayLackWrites: false,
      allKilled: false,
    });
  });
  it('never takes a killed replica without one that was not killed, and waits for that one', () => {
    const a = replica('a', 'n1', early);
    const b = promisedReplica(replica('b', 'n2', late), { generation: 3, killedIn: 2 });
    expect(salvage({ replicas: [a, b] })).toMatchObject({ replicas: ['a', 'b'], readPrimary: 'a', allKilled: false });
    expect(salvage({ replicas: [a, b], cluster: down('n1') })).toMatchObject({ kind: 'wait', replicas: ['a'] });
    const gone = aCluster(...nodes.slice(1));
    expect(salvage({ replicas: [a, b], cluster: gone })).toMatchObject({ readPrimary: 'b', allKilled: true });
  });
  it('takes one replica when only one of them is available', () => {
    expect(salvage({ cluster: down('n2') })).toMatchObject({ replicas: ['a'], mayLackWrites: false });
  });
  it('waits for a complete replica rather than take one that lacks writes', () => {
    expect(salvage({ cluster: down('n1', 'n2') })).toEqual({
      kind: 'wait',
      replicas: ['a', 'b'],
      because: 'no replica with all data can be used: a on n1, b on n2',
    });
  });
  it('takes the replica that failed last when all complete ones are gone for good, and reports that writes may be missing', () => {
    expect(salvage({ cluster: aCluster(aNode('n3')) })).toEqual({
      kind: 'salvage',
      replicas: ['c'],
      readPrimary: 'c',
      clearModes: true,
      mayLackWrites: true,
      allKilled: false,
    });
  });
  it('takes all that failed within a minute when the last start is unknown', () => {
    const engine = anEngine({}, []);
    const replicas = [replica('a', 'n1'), replica('b', 'n2', late), replica('c', 'n3', '2026-02-28T22:59:29Z')];
    expect(salvage({ engine, replicas })).toMatchObject({ replicas: ['a', 'b'], readPrimary: 'b' });
  });
  it.each<[string, Partial<SalvageSeen>]>([
    ['one replica can be used', { replicas: [replica('a', 'n1'), aReplica('b', 'n2')] }],
    ['it has no replica', { replicas: [] }],
    ['it is not detached yet', { volume: aVolumeObject({}, { state: 'detaching' }) }],
    ['it is a standby volume', { volume: aVolumeObject({ Standby: true }, { state: 'detached' }) }],
    ['it is being restored', { volume: aVolumeObject(restored, { state: 'detached', restoreRequired: true }) }],
    ['the setting is off', { settings: { flag: () => false } }],
    [
      'no replica has data',
      { engine: anEngine({}, []), replicas: [aReplica('a', 'n1', { failedAt: early, healthyAt: '' })] },
    ],
  ])('leaves a volume alone when %s', (_, parts) => {
    expect(salvage(parts)).toEqual({ kind: 'none' });
  });
  it.each([
    ['its node has no manager', aNode('n1', { managerIsUp: false })],
    ['its node lacks the image', aNode('n1', { engineImages: new Set() })],
    ['its disk is not schedulable', aNode('n1', { disks: [aDisk('n1-a', { schedulable: false })] })],
  ])('does not take a replica while %s', (_, node) => {
    expect(salvage({ cluster: aCluster(node, aNode('n2'), aNode('n3')) })).toMatchObject({ replicas: ['b'] });
  });
});

describe('checkSalvage', () => {
  const faulted = aVolumeObject({}, { state: 'detached', robustness: 'faulted' });
  const replicas = [aReplica('a', 'n1'), aReplica('b', 'n2', { healthyAt: '' })];
  it.each([
    [faulted, ['a'], undefined],
    [faulted, [], 'cannot salvage volume vol: no replica is named'],
    [faulted, ['x'], 'cannot salvage volume vol: it has no replica x'],
    [faulted, ['b'], 'cannot salvage volume vol: replica b never had all the data'],
    [
      aVolumeObject({}, { state: 'attached', robustness: 'faulted' }),
      ['a'],
      'cannot salvage volume vol: it is attached',
    ],
    [aVolumeObject({}, { state: 'detached' }), ['a'], 'cannot salvage volume vol: it is not faulted'],
  ])('case %#: replicas %j', (volume, names, refusal) => {
    expect(checkSalvage({ volume, replicas }, names)).toBe(refusal);
  });
});
