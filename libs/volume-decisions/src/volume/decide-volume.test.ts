import {
  type Engine,
  type EngineSpec,
  type EngineStatus,
  type ReplicaSpec,
  storageAnnotations,
} from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aCluster, aDisk, aNode } from '../scheduler/example-cluster.ts';
import { defaultSettings } from '../settings/read-settings.ts';
import { changedEngine } from './changed-engine.ts';
import { promisedReplica } from './changed-replica.ts';
import { decideVolume } from './decide-volume.ts';
import { anEngine, aReplica, aVolumeObject } from './example-volume.ts';
import { wholeSet } from './fold-failures.ts';
import { decideSalvage } from './salvage.ts';
import type { VolumeSeen } from './volume-seen.ts';

const nowMs = Date.UTC(2026, 2, 1);
const volume = (spec = {}, status = {}, metadata = {}) => {
  const object = aVolumeObject(
    { size: '100', nodeID: 'n1', ...spec },
    { state: 'attached', currentNodeID: 'n1', ...status },
  );
  return { ...object, metadata: { ...object.metadata, uid: 'uid', ...metadata } };
};
const serving = { currentState: 'running', started: true, endpoint: '/dev/longhorn/vol', currentSize: '100' } as const;
const whole = { a: '10.0.0.1:1', b: '10.0.0.2:1', c: '10.0.0.3:1' };
const engine = (spec: Partial<EngineSpec> = {}, status: EngineStatus = {}, annotations = {}): Engine => ({
  ...anEngine({}),
  metadata: { name: 'vol-e-0', annotations: { [storageAnnotations.generation]: '3', ...annotations } },
  spec: {
    volumeName: 'vol',
    volumeSize: '100',
    nodeID: 'n1',
    desireState: 'running',
    replicaAddressMap: whole,
    ...spec,
  },
  status: { ...serving, replicaModeMap: { a: 'RW', b: 'RW', c: 'RW' }, ...status },
});
const replica = (name: string, node: string, spec: Partial<ReplicaSpec> = {}, promised = '3') => ({
  ...aReplica(
    name,
    node,
    { image: 'image', desireState: 'running', volumeSize: '100', ...spec },
    { annotations: { [storageAnnotations.promised]: promised } },
  ),
  status: { currentState: 'running', storageIP: '10.0.0.9', port: 5 } as const,
});
const three = [replica('a', 'n1'), replica('b', 'n2'), replica('c', 'n3')];
const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name));
const seen = (parts: Partial<VolumeSeen>): VolumeSeen => ({
  volume: volume(),
  engine: engine(),
  replicas: three,
  snapshots: [],
  hasAttachment: true,
  cluster: aCluster(...nodes),
  downNodes: new Set(),
  settings: defaultSettings,
  rebuildsOn: new Map(),
  start: { sinceGenerationMs: 0 },
  uuids: [
    '00000001-0000-4000-8000-000000000000',
    '00000002-0000-4000-8000-000000000000',
    '00000003-0000-4000-8000-000000000000',
  ],
  ...parts,
});
const decide = (parts: Partial<VolumeSeen>, at = nowMs) => decideVolume(seen(parts), at);
const doing = (parts: Partial<VolumeSeen>, at = nowMs) => decide(parts, at).effects;
const failed = (name: string, node: string, spec: Partial<ReplicaSpec> = {}) =>
  replica(name, node, { failedAt: '2026-02-28T23:00:00Z', desireState: 'stopped', ...spec });
const degraded = { lastDegradedAt: '2026-02-28T23:55:00Z', robustness: 'degraded' };

describe('decideVolume', () => {
  it('creates engine and replicas of a new volume, and places all of them', () => {
    const fresh = volume({ nodeID: '' }, { state: 'creating' });
    const { engine: _, ...none } = seen({ volume: fresh, replicas: [] });
    expect(decideVolume(none, nowMs).effects).toMatchObject([
      { do: 'create-engine', object: { metadata: { name: 'vol-e-0' } } },
    ]);
    const idle = engine(
      { nodeID: '', desireState: 'stopped', replicaAddressMap: {} },
      { currentState: 'stopped', replicaModeMap: {} },
      { [storageAnnotations.generation]: '0' },
    );
    const made = doing({ volume: fresh, engine: idle, replicas: [] });
    expect(made.map((effect) => effect.do === 'create-replica' && effect.object.metadata.name)).toEqual([
      'vol-r-00000001',
      'vol-r-00000002',
      'vol-r-00000003',
    ]);
    const placed = decide({
      volume: fresh,
      engine: idle,
      replicas: ['a', 'b', 'c'].map((name) => replica(name, '', { healthyAt: '' })),
    });
    const places = placed.effects.map((effect) => effect.do === 'place-replica' && effect.place.node);
    expect(new Set(places).size).toBe(3);
  });
  it.each([
    [{ encrypted: true }, 'encrypted volumes are not supported by this volume manager: encrypt the disks of the nodes'],
    [{ backingImage: 'parrot' }, 'backing images are not supported by this volume manager: clone or restore a volume'],
    [{ accessMode: 'rwx' }, 'access mode rwx is not supported by this volume manager: take rwo, or rwop'],
  ])('creates nothing for a new volume with %j, and reports the reason once', (spec, message) => {
    const fresh = volume({ nodeID: '', ...spec }, { state: '' });
    const { engine: _, ...none } = seen({ volume: fresh, replicas: [] });
    const { effects, events, status, waitsFor } = decideVolume(none, nowMs);
    expect(effects).toEqual([]);
    expect(events).toEqual([
      { type: 'Warning', reason: 'NotSupported', message: `Nothing is created for it: ${message}` },
    ]);
    expect(status.conditions).toMatchObject([{ type: 'Scheduled', status: 'False', reason: 'NotSupported', message }]);
    expect(waitsFor).toContain(message);
    expect(decideVolume({ ...none, volume: { ...fresh, status } }, nowMs + 1)).toMatchObject({ status, events: [] });
    expect(decide({ volume: volume(spec) }).status.state).toBe('attached');
  });
  it('recreates a lost engine with the generation that its replicas have promised', () => {
    const { engine: _, ...none } = seen({});
    expect(decideVolume(none, nowMs).effects).toMatchObject([
      {
        object: {
          metadata: {
            annotations: { [storageAnnotations.generation]: '3', [storageAnnotations.starting]: 'unproved' },
          },
        },
      },
    ]);
  });
  it('reports in the wording of Longhorn why a replica has no place', () => {
    const full = aCluster(
      ...nodes.map((node) => ({ ...node, disks: [aDisk(`${node.name}-a`, { storageAvailable: 0n })] })),
    );
    const four = volume({ numberOfReplicas: 4 });
    const { status, again } = decide({
      volume: four,
      cluster: full,
      replicas: [...three, replica('d', '', { healthyAt: '' })],
    });
    expect(status.conditions?.find(({ type }) => type === 'Scheduled')).toMatchObject({
      status: 'False',
      reason: 'ReplicaSchedulingFailure',
      message: 'insufficient storage',
    });
    expect(again?.afterMs).toBe(30_000);
  });
  it('does nothing for a healthy volume after it has written the status once', () => {
    const { status, effects } = decide({});
    expect([status.robustness, effects]).toEqual(['healthy', []]);
    expect(decide({ volume: volume({}, status) })).toEqual({ status, effects: [], events: [] });
  });
  it('records failures before anything else, and removes the failed replicas from the addresses', () => {
    const { effects, status } = decide({
      engine: engine({}, { replicaModeMap: { a: 'RW', b: 'RW', c: 'ERR' } }),
      volume: volume({ nodeID: 'n2' }),
    });
    expect(effects.map((effect) => effect.do)).toEqual(['fail-replica', 'set-addresses']);
    expect(effects[1]).toMatchObject({ addresses: { a: whole.a, b: whole.b } });
    expect(status.state).toBe('attached');
  });

  const stopped = { currentState: 'stopped', replicaModeMap: { a: 'RW', b: 'RW', c: 'RW' }, endpoint: '' } as const;
  const detached = volume({}, { state: 'detached', currentNodeID: '' });
  it('starts with a new generation, conditional on what was read', () => {
    const { effects, status } = decide({
      volume: detached,
      engine: engine({ desireState: 'stopped' }, stopped),
      start: { sinceGenerationMs: 9_000 },
    });
    expect(effects).toEqual([
      {
        do: 'begin-start',
        from: 3,
        nodeID: 'n1',
        proof: 'ended',
        addresses: whole,
        disableFrontend: false,
        readPrimary: 'a',
      },
    ]);
    expect(status.state).toBe('attaching');
  });
  it('waits after an unclean end, but not after a clean one', () => {
    const clean = engine({ desireState: 'stopped' }, stopped, { [storageAnnotations.cleanStop]: '3' });
    expect(doing({ volume: detached, engine: engine({ desireState: 'stopped' }, stopped) })).toEqual([]);
    expect(decide({ volume: detached, engine: engine({ desireState: 'stopped' }, stopped) }).again?.afterMs).toBe(
      5_000,
    );
    expect(doing({ volume: detached, engine: clean })).toMatchObject([{ do: 'begin-start' }]);
    expect(doing({ volume: detached, engine: clean })[0]).not.toHaveProperty('readPrimary');
  });

  const attaching = volume({}, { state: 'attaching', currentNodeID: '' });
  const starting = (
    proof = 'ended',
    status: EngineStatus = { currentState: 'stopped', replicaModeMap: {}, started: false },
  ) => engine({ desireState: 'stopped' }, status, { [storageAnnotations.starting]: proof });
  const silent = replica('c', 'n3', {}, '2');
  it('lets the engine start with all replicas that have promised', () => {
    const [go] = doing({ volume: attaching, engine: starting() });
    expect(go).toMatchObject({ do: 'let-start', addresses: { a: '10.0.0.9:5', b: '10.0.0.9:5', c: '10.0.0.9:5' } });
  });
  it.each<[string, Partial<VolumeSeen>, string]>([
    [
      'modes of the last engine are still recorded',
      { engine: starting('ended', { currentState: 'stopped', replicaModeMap: { a: 'RW' } }) },
      'the modes of the last engine are cleared first',
    ],
    [
      'the last engine may serve reads',
      { engine: starting('unproved'), start: { sinceGenerationMs: 60_000, sinceFirstPromiseMs: 9_999 } },
      'the read lease of the last engine has to expire, because it is not known whether that engine has ended',
    ],
    [
      'one replica has not answered',
      { engine: starting(), replicas: [...three.slice(0, 2), silent] },
      'replicas have not promised the start yet: c on n3',
    ],
    [
      'no replica answers, however long that lasts',
      { engine: starting(), replicas: [silent], start: { sinceGenerationMs: 900_000 } },
      'every replica with all data is on a node that does not answer: c on n3',
    ],
  ])('does not start while %s', (_, parts, because) => {
    const decision = decide({ volume: attaching, ...parts });
    expect(decision.effects).toEqual([]);
    expect(decision.waitsFor).toBe(because);
  });
  it('starts when the lease of the last engine has expired', () => {
    const start = { sinceGenerationMs: 60_000, sinceFirstPromiseMs: 10_000 };
    expect(doing({ volume: attaching, engine: starting('unproved'), start })).toMatchObject([{ do: 'let-start' }]);
  });
  it('waits longer for a replica whose host answers, because other volumes may be ahead of it there', () => {
    const at = (sinceGenerationMs: number) =>
      decideVolume(
        seen({
          volume: attaching,
          engine: starting(),
          replicas: [...three.slice(0, 2), silent],
          answering: new Set(['n3']),
          start: { sinceGenerationMs },
        }),
        nowMs,
      );
    expect(at(8_000).effects).toEqual([]);
    expect(at(8_000).again?.afterMs).toBe(82_000);
    expect(at(90_000).effects).toMatchObject([{ do: 'fail-replica', replica: 'c' }]);
  });
  it('fails a replica that did not answer within the reply timeout before the engine starts without it', () => {
    const effects = doing({
      volume: attaching,
      engine: starting(),
      replicas: [...three.slice(0, 2), silent],
      start: { sinceGenerationMs: 8_000 },
    });
    expect(effects).toMatchObject([
      { do: 'fail-replica', replica: 'c', cause: 'it did not promise start 3 of the engine within 8s' },
    ]);
  });
  it("records the host's error for a replica that could not be started", () => {
    const message = 'c is damaged: layer-0.qcow2 was cut short';
    const conditions = [{ type: 'InstanceCreation', status: 'False', reason: 'REPLICA_CORRUPT', message }] as const;
    const damaged = { ...silent, status: { currentState: 'error', conditions } } as unknown as typeof silent;
    const parts = { volume: attaching, engine: starting(), replicas: [...three.slice(0, 2), damaged] };
    expect(doing({ ...parts, start: { sinceGenerationMs: 1_000 } })).toMatchObject([
      { do: 'fail-replica', replica: 'c', cause: `it did not promise start 3 of the engine: ${message}` },
    ]);
  });

  const killed = (of: (typeof three)[number] | undefined, generation = 2) =>
    promisedReplica(of ?? silent, { generation: 3, killedIn: generation });
  const unclean = engine(
    { desireState: 'stopped' },
    { currentState: 'stopped', replicaModeMap: {}, started: false },
    { [storageAnnotations.starting]: 'ended', [storageAnnotations.readPrimary]: 'a' },
  );
  it('reads from a replica that was not killed, even if another one was recorded as readPrimary', () => {
    const replicas = [killed(three[0]), killed(three[1]), three[2] ?? silent];
    const decision = decide({ volume: attaching, engine: unclean, replicas });
    expect(decision.effects).toMatchObject([{ do: 'let-start', readPrimary: 'c' }]);
    expect(decision.effects[0]).toHaveProperty('addresses.a');
    expect(decision.events).toEqual([]);
    const next = engine({ desireState: 'stopped' }, stopped, { [storageAnnotations.readPrimary]: 'a' });
    const start = { sinceGenerationMs: 5_000 };
    expect(doing({ volume: detached, engine: next, replicas, start })).toMatchObject([{ readPrimary: 'c' }]);
  });
  it('reads from any replica when all were killed, and reports that writes may be missing', () => {
    const replicas = [killed(three[0]), killed(three[1])];
    const { effects, events } = decide({ volume: attaching, engine: unclean, replicas });
    expect(effects).toMatchObject([{ do: 'let-start', readPrimary: 'a' }]);
    expect(events).toEqual([
      {
        type: 'Warning',
        reason: 'AllReplicasKilled',
        message:
          'All replicas with the data were killed while they were in use: a on n1 in start 2, b on n2 in start 2; writes that were acknowledged and not flushed may be missing; a is read from until all are equal',
        after: effects[0],
      },
    ]);
  });
  it('does not start with only killed replicas until the node of the unreachable replica is known to be down', () => {
    const late = {
      volume: attaching,
      engine: unclean,
      replicas: [killed(three[0]), silent],
      start: { sinceGenerationMs: 900_000 },
    };
    expect(decide(late)).toMatchObject({ effects: [], waitsFor: expect.stringContaining('c on n3') });
    expect(doing({ ...late, downNodes: new Set(['n3']) })).toMatchObject([{ do: 'fail-replica', replica: 'c' }]);
  });
  it('begins another start when all replicas were killed after they had promised this one', () => {
    const replicas = three.map((each) => killed(each, 3));
    const [begin] = doing({ volume: attaching, engine: unclean, replicas });
    expect(begin).toMatchObject({ do: 'begin-start', from: 3, proof: 'ended', addresses: whole, readPrimary: 'a' });
  });
  it('never treats a replica with an unfinished rebuild as complete, even when modes are cleared and all replicas failed', () => {
    const rebuilt = replica('c', 'n3', {
      healthyAt: '',
      lastHealthyAt: '2026-02-28T22:00:00Z',
      failedAt: '2026-02-28T23:00:00Z',
    });
    const died = engine(
      { desireState: 'stopped' },
      { currentState: 'stopped', replicaModeMap: { a: 'RW', b: 'RW', c: 'WO' } },
    );
    const replicas = [...three.slice(0, 2), rebuilt];
    const start = { sinceGenerationMs: 5_000 };
    const [begin] = doing({ volume: detached, engine: died, replicas, start });
    if (begin?.do !== 'begin-start') throw new Error('no start begins');
    const begun = changedEngine(died, begin) ?? died;
    const cleared = { ...begun, status: { currentState: 'stopped', replicaModeMap: {} } } as Engine;
    expect([...wholeSet(cleared)].sort()).toEqual(['a', 'b']);
    const salvaged = decideSalvage({
      ...seen({ volume: volume({}, { state: 'detached', robustness: 'faulted' }), engine: cleared }),
      replicas: [
        failed('a', 'n1'),
        failed('b', 'n2'),
        { ...rebuilt, spec: { ...rebuilt.spec, failedAt: '2026-03-01T00:00:00Z' } },
      ],
    });
    expect(salvaged).toMatchObject({ kind: 'salvage', replicas: ['a', 'b'], mayLackWrites: false });
  });

  it('waits for a failed replica before it creates a new one, and reuses it when it can', () => {
    const engineOfTwo = engine(
      { replicaAddressMap: { a: whole.a, b: whole.b } },
      { replicaModeMap: { a: 'RW', b: 'RW' } },
    );
    const two = {
      engine: engineOfTwo,
      volume: volume({}, degraded),
      replicas: [...three.slice(0, 2), failed('c', 'n3')],
    };
    expect(doing(two)).toEqual([{ do: 'request-rebuild', replica: 'c' }]);
    const down = aCluster(...nodes.map((node) => ({ ...node, ready: node.name !== 'n3' })));
    expect(decide({ ...two, cluster: down })).toMatchObject({ effects: [], again: { afterMs: 300_000 } });
    expect(doing({ ...two, cluster: down }, nowMs + 300_000)).toMatchObject([{ do: 'create-replica' }]);
    expect(decide({ ...two, rebuildsOn: new Map([['n3', 5]]) })).toMatchObject({
      effects: [],
      waitsFor: '5 replicas are being rebuilt on n3 already',
    });
    // A new replica that finds no place, because the failed one still has it, blocks nothing.
    const homeless = failed('d', '');
    const waiting = { ...homeless, spec: { ...homeless.spec, failedAt: '', healthyAt: '' } };
    const full = aCluster(...nodes.filter(({ name }) => ['n1', 'n2', 'n3'].includes(name)));
    const both = { ...two, replicas: [...two.replicas, waiting], cluster: full };
    expect(doing(both)).toContainEqual({ do: 'request-rebuild', replica: 'c' });
  });
  it('follows one rebuild at a time to its end', () => {
    const coming = replica('c', 'n3', { healthyAt: '', failedAt: '2026-02-28T23:00:00Z' });
    const other = replica('d', 'n4', { healthyAt: '', desireState: 'stopped' });
    const during = (mode: 'WO' | 'ERR' | 'RW', addresses: Record<string, string>) => ({
      engine: engine({ replicaAddressMap: addresses }, { replicaModeMap: { a: 'RW', b: 'RW', c: mode } }),
      volume: volume({ numberOfReplicas: 4 }, degraded),
      replicas: [...three.slice(0, 2), coming, other],
    });
    const two = { a: whole.a, b: whole.b };
    expect(doing(during('WO', two))).toMatchObject([{ do: 'set-addresses', addresses: { c: '10.0.0.9:5' } }]);
    expect(decide(during('WO', whole))).toMatchObject({ effects: [], waitsFor: 'replica c on n3 is being rebuilt' });
    expect(doing(during('ERR', two))).toMatchObject([{ do: 'rebuild-failed', replica: 'c' }]);
    expect(doing(during('RW', whole))).toEqual([{ do: 'mark-healthy', replica: 'c', at: '2026-03-01T00:00:00Z' }]);
  });
  it('deletes a stale failed replica, but only while others are healthy', () => {
    const stale = failed('c', 'n3', { failedAt: '2026-02-27T00:00:00Z' });
    const parts = {
      engine: engine({ replicaAddressMap: {} }, { replicaModeMap: { a: 'RW', b: 'RW' } }),
      replicas: [...three.slice(0, 2), stale],
      volume: volume({ staleReplicaTimeout: 2880, numberOfReplicas: 2 }),
    };
    expect(doing(parts)).toEqual([{ do: 'delete', kind: 'Replica', name: 'c' }]);
    const all = [failed('a', 'n1'), failed('b', 'n2'), stale];
    expect(doing({ ...parts, replicas: all }).filter((effect) => effect.do === 'delete')).toEqual([]);
  });
  it('evicts a replica from a node: creates another one first, then deletes the evicted one', () => {
    const emptied = aCluster(
      ...nodes.map((node) =>
        node.name === 'n3' ? { ...node, evictionRequested: true, allowScheduling: false } : node,
      ),
    );
    expect(doing({ cluster: emptied })).toMatchObject([{ do: 'create-replica' }]);
    const extra = {
      cluster: emptied,
      replicas: [...three, replica('d', 'n4')],
      engine: engine(
        { replicaAddressMap: { ...whole, d: 'x:1' } },
        { replicaModeMap: { a: 'RW', b: 'RW', c: 'RW', d: 'RW' } },
      ),
    };
    expect(doing(extra)).toEqual([{ do: 'delete', kind: 'Replica', name: 'c' }]);
    expect(doing({ cluster: emptied, downNodes: new Set(['n3']) })).toEqual([]);
  });
  it('deletes a failed replica on an evicted node only when the volume has all its replicas', () => {
    const emptied = aCluster(
      ...nodes.map((node) =>
        node.name === 'n4' ? { ...node, evictionRequested: true, allowScheduling: false } : node,
      ),
    );
    const left = failed('d', 'n4');
    expect(doing({ cluster: emptied, replicas: [...three, left] })).toEqual([
      { do: 'delete', kind: 'Replica', name: 'd' },
    ]);
    expect(doing({ replicas: [...three, left] })).toEqual([]);
    const two = {
      engine: engine({ replicaAddressMap: { a: whole.a, b: whole.b } }, { replicaModeMap: { a: 'RW', b: 'RW' } }),
      volume: volume({}, degraded),
      replicas: [...three.slice(0, 2), left],
    };
    expect(doing({ cluster: emptied, ...two }).filter((effect) => effect.do === 'delete')).toEqual([]);
  });
  it.each(['ten', '', '-1', '0x10'])('ignores size %j and keeps its decision', (size) => {
    expect(decide({ volume: volume({ size }) }).effects).toEqual(decide({ volume: volume({}) }).effects);
  });
  it('grows while it is attached, and only if all disks have room', () => {
    const larger = volume({ size: '200' });
    expect(doing({ volume: larger }).map((effect) => effect.do)).toEqual([
      'grow-replica',
      'grow-replica',
      'grow-replica',
      'grow-engine',
    ]);
    const tight = aCluster(
      ...nodes.map((node) =>
        node.name === 'n2' ? { ...node, disks: [aDisk('n2-a', { storageAvailable: 0n })] } : node,
      ),
    );
    expect(decide({ volume: larger, cluster: tight }).waitsFor).toContain(
      'the disk of replica b on n2 has no room for 100 bytes more',
    );
    expect(decide({ volume: larger }).status.expansionRequired).toBe(true);
    expect(
      decide({
        volume: volume({ size: '200', nodeID: '' }, { state: 'detached' }),
        engine: engine({ desireState: 'stopped' }, stopped),
      }),
    ).toMatchObject({ effects: [], waitsFor: 'it grows when it is attached' });
  });
  it('detaches when another node is wanted or its engine has ended, but not because its node is down', () => {
    expect(decide({ volume: volume({ nodeID: 'n2' }, { robustness: 'healthy' }) })).toMatchObject({
      status: { state: 'detaching' },
      effects: [{ do: 'stop-engine' }],
      events: [],
    });
    expect(decide({ engine: engine({}, { currentState: 'stopped', started: true }) }).events).toEqual(
      expect.arrayContaining([expect.objectContaining({ reason: 'DetachedUnexpectedly' })]),
    );
    const lost = decide({ downNodes: new Set(['n1']), engine: engine({}, { currentState: 'unknown' }) });
    expect(lost).toMatchObject({ effects: [], status: { state: 'attached' } });
    expect(lost.waitsFor).toContain('node n1 is down');
  });
  it('requests a new mount when its engine or device ended by itself, once per end', () => {
    const now = '2026-03-01T00:00:00Z';
    const asked = (parts: Partial<VolumeSeen>) => decide(parts).status.remountRequestedAt;
    expect(asked({ engine: engine({}, { currentState: 'stopped', started: true }) })).toBe(now);
    expect(asked({ volume: volume({ nodeID: 'n2' }) })).toBeUndefined();
    const condition = { type: 'InstanceCreation', status: 'False', message: 'its process has ended' } as const;
    const lost = (reason: string) =>
      engine({}, { endpoint: '', conditions: [{ ...condition, reason, lastTransitionTime: '2026-02-28T23:59:59Z' }] });
    const decision = decide({ engine: lost('FRONTEND_ENDED') });
    expect(decision.status.remountRequestedAt).toBe(now);
    expect(decision.events).toContainEqual(expect.objectContaining({ reason: 'DeviceLost' }));
    expect(asked({ engine: lost('PROGRAM_NOT_STARTED') })).toBeUndefined();
    const before = { remountRequestedAt: '2026-02-28T23:00:00Z' };
    expect(asked({ engine: lost('FRONTEND_ENDED'), volume: volume({}, before) })).toBe(now);
    const after = { remountRequestedAt: '2026-02-28T23:59:59Z' };
    expect(asked({ engine: lost('FRONTEND_ENDED'), volume: volume({}, after) })).toBe(after.remountRequestedAt);
  });
  it('deletes all objects of a deleted volume before it releases the volume', () => {
    const going = volume({}, {}, { deletionTimestamp: '2026-03-01T00:00:00Z' });
    expect(doing({ volume: going })).toEqual([{ do: 'stop-engine' }]);
    const ended = engine({ desireState: 'stopped' }, stopped);
    expect(doing({ volume: going, engine: ended }).map((effect) => effect.do === 'delete' && effect.kind)).toEqual([
      'Engine',
      'Replica',
      'Replica',
      'Replica',
      'VolumeAttachment',
    ]);
    expect(decide({ volume: going, engine: ended }).waitsFor).toContain('Replica b');
    const { engine: _, ...rest } = seen({ volume: going, replicas: [], hasAttachment: false });
    expect(decideVolume(rest, nowMs).effects).toEqual([{ do: 'release-volume' }]);
  });
  it('clears the failures that a salvage may clear, and names the replica to read from', () => {
    const all = ['a', 'b', 'c'].map((name, n) => failed(name, `n${n + 1}`));
    const { effects, status } = decide({
      volume: volume({}, { state: 'detached' }),
      replicas: all,
      engine: engine({ desireState: 'stopped' }, stopped),
    });
    expect(effects.map((effect) => effect.do)).toEqual([
      'read-from',
      'clear-failure',
      'clear-failure',
      'clear-failure',
    ]);
    expect(status).toMatchObject({ robustness: 'unknown', lastAutoSalvagedAt: '2026-03-01T00:00:00Z' });
  });
});

describe('a clone', () => {
  const stopped = engine(
    { replicaAddressMap: {}, desireState: 'stopped' },
    { currentState: 'stopped', started: false },
  );
  const fresh = { engine: stopped, replicas: [], hasAttachment: false };
  const clone = (spec: { numberOfReplicas?: number } = {}, status = {}) =>
    volume({ dataSource: 'snap://other/s1', nodeID: '', ...spec }, status);
  it('has its source recorded before anything is created', () => {
    const { effects, status } = decideVolume(seen({ ...fresh, volume: clone({}, { state: '' }) }), nowMs);
    expect(effects).toEqual([]);
    const cloneStatus = { sourceVolume: 'other', snapshot: 's1', state: 'initiated', attemptCount: 0 };
    expect(status).toMatchObject({ state: 'creating', cloneStatus });
  });
  it('that has lost its status counts as complete when its engine is not asked for the copy any more', () => {
    const again = (spec: Partial<EngineSpec>) => decideVolume(seen({ engine: engine(spec), volume: clone() }), nowMs);
    expect(again({}).status.cloneStatus).toMatchObject({ state: 'completed' });
    const begun = again({ requestedDataSource: 'snap://other/s1' });
    expect(begun.status.cloneStatus).toMatchObject({ state: 'initiated', attemptCount: 1 });
    expect(begun.effects).toEqual([]);
  });
});

describe('a volume from a backup that has lost its status', () => {
  const fromBackup = 's3://b@r/?backup=x&volume=y';
  const again = (spec: Partial<EngineSpec>) =>
    decideVolume(seen({ engine: engine(spec), volume: volume({ fromBackup }) }), nowMs);
  it('counts as complete when its engine is not asked for a restore any more', () => {
    expect(again({}).status).toMatchObject({ restoreInitiated: true, restoreRequired: false });
  });
  it('is restored again, and not attached for any other ticket, when its engine is still asked for a restore', () => {
    const { status, effects } = again({ requestedBackupRestore: 'x' });
    expect(status).toMatchObject({ restoreInitiated: true, restoreRequired: true });
    expect(effects).toEqual([]);
  });
});
