import type { Instance, ReplicaFacts } from '@lateen/block-engine';
import { type Replica, type ReplicaSpec, type ReplicaStatus, storageAnnotations } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import type { HostFacts } from '../instance/host-facts.ts';
import { promisedReplica } from '../volume/changed-replica.ts';
import { anEngine, aReplica } from '../volume/example-volume.ts';
import { decideReplica } from './decide-replica.ts';

const engine = (modes = {}, generation = '3') => ({
  ...anEngine(modes),
  metadata: { name: 'vol-e-0', annotations: { [storageAnnotations.generation]: generation } },
});
const host = (instances: Instance[] = [], reach: HostFacts['reach'] = 'answers'): HostFacts => ({
  reach,
  ip: '10.0.0.1',
  instanceManager: 'im',
  instances,
});
const running = (generation: number, state: Instance['state'] = 'running'): Instance => ({
  kind: 'replica',
  name: 'a',
  volume: 'vol',
  generation,
  state,
  uuid: 'u',
  port: 10_001,
  replica: { actualBytes: 0n, promisedGeneration: generation, recordState: 'whole', snapshots: [] },
});
const replica = (
  spec: Partial<ReplicaSpec>,
  status: ReplicaStatus = {},
  metadata: Partial<Replica['metadata']> = {},
) => ({
  ...aReplica('a', 'n1', { desireState: 'running', diskPath: '/data/', dataDirectoryName: 'a-1', ...spec }, metadata),
  status,
});
const decide = (object: Replica, at: HostFacts, of = engine()) =>
  decideReplica({ replica: object, engine: of, volumeUid: 'uid', host: at }, 0);
const doing = (decision: ReturnType<typeof decide>) => decision.effects.map((effect) => effect.do);
const served = { currentState: 'running', port: 10_001, uuid: 'u' } as const;
const deletion = { deletionTimestamp: '2026-03-01T00:00:00Z' };

describe('decideReplica', () => {
  it('asks for the current generation, and allows a new folder only for a replica that never had data', () => {
    const known = decide(replica({}), host());
    expect(known.effects).toMatchObject([
      {
        do: 'ensure-replica',
        request: { generation: 3, mayCreate: false, directory: '/data/replicas/a-1', volumeUid: 'uid' },
      },
    ]);
    expect(known.status.currentState).toBe('starting');
    expect(decide(replica({ healthyAt: '' }), host()).effects).toMatchObject([{ request: { mayCreate: true } }]);
    const before = { annotations: { [storageAnnotations.promised]: '2' } };
    expect(doing(decide(replica({}, served, before), host([running(2)])))).toEqual(['ensure-replica']);
  });
  it.each([
    ['a replica without data while another one has data', { healthyAt: '' }, ['b'], true],
    ['a failed replica that is to be used again', { healthyAt: '', failedAt: 'then' }, ['b'], true],
    ['a replica of a volume that was never written', { healthyAt: '' }, [], false],
    ['a replica that the engine was started with', { healthyAt: '' }, ['a', 'b'], false],
    ['a replica that has all data', {}, ['b'], false],
  ])('asks for a rebuild of %s: %j', (_, spec, whole, rebuilding) => {
    const started = { ...engine(), spec: anEngine({}, whole).spec };
    expect(decide(replica(spec), host(), started).effects).toMatchObject([{ request: { rebuilding } }]);
  });
  it('writes its address to the status before it records the promise', () => {
    const first = decide(replica({}, { currentState: 'starting' }), host([running(3)]));
    expect([doing(first), first.status]).toMatchObject([
      [],
      { currentState: 'running', port: 10_001, storageIP: '10.0.0.1' },
    ]);
    expect(decide(replica({}, served), host([running(3)])).effects).toEqual([{ do: 'note-promise', generation: 3 }]);
    const noted = { annotations: { [storageAnnotations.promised]: '3' } };
    expect(doing(decide(replica({}, served, noted), host([running(3)])))).toEqual([]);
  });
  it('records with the promise that its process was killed, and removes that note after the data were compared', () => {
    const told = (facts: Partial<ReplicaFacts>, state: Instance['state'] = 'running'): HostFacts => {
      const instance = running(3, state);
      return host([{ ...instance, replica: { ...instance.replica, ...facts } as ReplicaFacts }]);
    };
    expect(decide(replica({}, served), told({ killedGeneration: 2 })).effects).toEqual([
      { do: 'note-promise', generation: 3, killedIn: 2 },
    ]);
    const before = replica({}, served);
    const noted = promisedReplica(before, { generation: 3, killedIn: 2 });
    expect(decide(noted, told({ killedGeneration: 2 })).effects).toEqual([]);
    expect(decide(noted, told({})).effects).toEqual([{ do: 'note-promise', generation: 3 }]);
    const compared = promisedReplica(noted, { generation: 3 });
    expect(compared.metadata.annotations).toEqual({ [storageAnnotations.promised]: '3' });
    // Killed in this start, the process does not run again; the promise records that, too.
    expect(decide(compared, told({ killedGeneration: 3 }, 'error')).effects).toMatchObject([
      { do: 'ensure-replica' },
      { do: 'note-promise', generation: 3, killedIn: 3 },
    ]);
  });
  it.each<[string, Replica, HostFacts, string[], string]>([
    ['stops a failed replica', replica({ failedAt: 'then' }, served), host([running(3)]), ['stop'], 'stopping'],
    [
      'runs a failed replica for its rebuild',
      replica({ failedAt: 'then', healthyAt: '' }),
      host(),
      ['ensure-replica'],
      'starting',
    ],
    [
      'stops a replica that is not wanted',
      replica({ desireState: 'stopped' }, served),
      host([running(3)]),
      ['stop'],
      'stopping',
    ],
    [
      'reports that it has stopped',
      replica({ desireState: 'stopped' }, { currentState: 'stopping' }),
      host(),
      [],
      'stopped',
    ],
    ['reports an unknown state when its host is down', replica({}, served), host([], 'down'), [], 'unknown'],
    ['keeps its state while its host does not answer', replica({}, served), host([], 'silent'), [], 'running'],
    [
      'leaves a replica running that promised a later generation',
      replica({}, served),
      host([running(4)]),
      ['note-promise'],
      'running',
    ],
    [
      'retries a start that failed',
      replica({}, { currentState: 'starting' }),
      host([running(3, 'error')]),
      ['ensure-replica'],
      'error',
    ],
  ])('%s', (_, object, at, effects, state) => {
    const decision = decide(object, at);
    expect([doing(decision), decision.status.currentState]).toEqual([effects, state]);
  });
  it('deletes the data with the replica, but not while the engine depends on it', () => {
    const gone = replica({}, {}, deletion);
    expect(decide(gone, host(), engine({ a: 'RW' }))).toMatchObject({
      effects: [],
      waitsFor: 'the engine has to release it',
    });
    expect(doing(decide(gone, host(), engine({ a: 'ERR' })))).toEqual(['delete-data', 'release-replica']);
    expect(doing(decide(gone, host([running(3)])))).toEqual(['stop']);
    const only = { ...engine(), spec: anEngine({}, ['a']).spec };
    expect(doing(decide(replica({ desireState: 'stopped' }, {}, deletion), host(), only))).toEqual([]);
    expect(decide(gone, host([], 'down')).waitsFor).toBe('the instance manager of n1 is down');
    expect(doing(decide(gone, host([], 'gone')))).toEqual(['release-replica']);
  });
});
