import type { EngineState, Instance } from '@lateen/block-engine';
import {
  type Engine,
  type EngineSpec,
  type EngineStatus,
  type Setting,
  storageAnnotations,
} from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import type { HostFacts } from '../instance/host-facts.ts';
import { defaultSettings, readSettings } from '../settings/read-settings.ts';
import { anEngine, aReplica } from '../volume/example-volume.ts';
import { decideEngine } from './decide-engine.ts';

const addresses = { a: '10.0.0.1:10001', b: '10.0.0.2:10002' };
const engine = (spec: Partial<EngineSpec>, status: EngineStatus, annotations = {}): Engine => ({
  ...anEngine({}),
  metadata: { name: 'vol-e-0', namespace: 'ns', annotations: { [storageAnnotations.generation]: '3', ...annotations } },
  spec: {
    volumeName: 'vol',
    nodeID: 'n1',
    volumeSize: '100',
    desireState: 'running',
    replicaAddressMap: addresses,
    ...spec,
  },
  status,
});
const facts: EngineState = {
  modes: { a: 'RW', b: 'RW' },
  failures: [],
  holding: false,
  paused: false,
  sizeBytes: 100n,
  cleanStop: false,
  snapshots: [],
};
const instance = (state: Instance['state'], parts: Partial<EngineState> = {}, generation = 3): Instance => ({
  kind: 'engine',
  name: 'vol-e-0',
  volume: 'vol',
  generation,
  state,
  uuid: 'u',
  engine: { ...facts, ...parts },
});
const frontend: Instance = { ...instance('running'), kind: 'frontend', endpoint: '/dev/longhorn/vol' };
const host = (instances: Instance[] = [], reach: HostFacts['reach'] = 'answers'): HostFacts => ({
  reach,
  ip: '10.0.0.1',
  instanceManager: 'im',
  instances,
});
const replicas = [aReplica('a', 'n1'), aReplica('b', 'n2')];
const managers = new Map([
  ['n1', 'n1:8500'],
  ['n2', 'n2:8500'],
  ['n3', 'n3:8500'],
]);
const decide = (object: Engine, at: HostFacts, of = replicas, settings = defaultSettings) =>
  decideEngine(
    {
      engine: object,
      volumeUid: 'uid',
      replicas: of,
      host: at,
      managers,
      settings,
      sinceProgressMs: 0,
    },
    0,
  );
const doing = (decision: ReturnType<typeof decide>) => decision.effects.map((effect) => effect.do);

describe('decideEngine', () => {
  it('starts exactly the replicas that the start allows and compares them after an unclean end', () => {
    const { effects, status } = decide(engine({}, {}, { [storageAnnotations.readPrimary]: 'b' }), host());
    expect(status.currentState).toBe('starting');
    expect(effects).toMatchObject([
      {
        do: 'ensure-engine',
        request: {
          generation: 3,
          compareHeads: true,
          readPrimary: 'b',
          replyTimeoutMs: 8000,
          replicas: [
            { replica: 'a', host: '10.0.0.1', port: 10001, local: true },
            { replica: 'b', local: false },
          ],
          record: { namespace: 'ns', engine: 'vol-e-0' },
        },
      },
    ]);
    const clean = decide(engine({}, {}, { [storageAnnotations.cleanStop]: '2' }), host());
    expect(clean.effects).toMatchObject([{ request: { compareHeads: false } }]);
  });
  it('creates the device only after the status says that the engine has started', () => {
    const first = decide(engine({}, { currentState: 'starting' }), host([instance('running')]));
    expect([doing(first), first.status.started, first.status.currentState]).toEqual([[], true, 'running']);
    const second = decide(engine({}, first.status), host([instance('running')]));
    expect(doing(second)).toEqual(['ensure-frontend']);
    const third = decide(engine({}, second.status), host([instance('running'), frontend]));
    expect([doing(third), third.status.endpoint]).toEqual([[], '/dev/longhorn/vol']);
    expect(decide(engine({}, third.status), host([instance('running'), frontend]))).toMatchObject({
      status: third.status,
      effects: [],
    });
    expect(doing(decide(engine({ disableFrontend: true }, first.status), host([instance('running')])))).toEqual([]);
  });
  it('clears the endpoint of a front end that ended before it asks for the next one', () => {
    const error = { code: 'FRONTEND_ENDED', message: 'its process has ended', retry: 'never' } as const;
    const at = host([instance('running'), { ...frontend, state: 'error', error }]);
    const started = { currentState: 'running', started: true, endpoint: '/dev/longhorn/vol' } as const;
    const told = decide(engine({}, started), at);
    expect(doing(told)).toEqual([]);
    expect(told.status).toMatchObject({ endpoint: '', conditions: [{ status: 'False', reason: 'FRONTEND_ENDED' }] });
    expect(doing(decide(engine({}, told.status), at))).toEqual(['ensure-frontend']);
  });
  it('repeats the start request while the engine is starting, because the first request may have been cut off', () => {
    const { effects, status } = decide(engine({}, { currentState: 'starting' }), host([instance('starting')]));
    expect([effects.map((effect) => effect.do), status.currentState]).toEqual([['ensure-engine'], 'starting']);
    const started = { currentState: 'running', started: true } as const;
    expect(doing(decide(engine({}, started), host([instance('starting')])))).toEqual([]);
  });
  it('does not start the same generation twice', () => {
    const started = { currentState: 'running', started: true, endpoint: '/dev/longhorn/vol' } as const;
    const { effects, status } = decide(engine({}, started), host());
    expect([effects, status.currentState, status.endpoint]).toEqual([[], 'stopping', '']);
  });
  it('clears the status of the old engine only when a new start is prepared', () => {
    const left = {
      currentState: 'running',
      replicaModeMap: { a: 'RW', b: 'ERR' },
      endpoint: 'x',
      started: true,
    } as const;
    const { status } = decide(
      engine({ desireState: 'stopped' }, left, { [storageAnnotations.starting]: 'unproved' }),
      host(),
    );
    expect(status).toMatchObject({ replicaModeMap: {}, endpoint: '', started: false });
    const ended = decide(engine({ desireState: 'stopped' }, left), host([instance('stopped')])).status;
    expect(ended).toMatchObject({ replicaModeMap: { a: 'RW', b: 'ERR' }, endpoint: '' });
  });
  it('stops the front end first, and notes a clean stop only when no comparison is pending', () => {
    const stopped = (state: EngineStatus) => engine({ desireState: 'stopped' }, state);
    const running = { currentState: 'running', started: true } as const;
    expect(decide(stopped(running), host([instance('running'), frontend])).effects).toMatchObject([
      { request: { kind: 'frontend' } },
    ]);
    expect(decide(stopped(running), host([instance('running')])).effects).toMatchObject([
      { request: { kind: 'engine', generation: 3 } },
    ]);
    const clean = decide(stopped({ currentState: 'stopping' }), host([instance('stopped', { cleanStop: true })]));
    expect([clean.effects, clean.status.currentState]).toEqual([[{ do: 'note-clean-stop', generation: 3 }], 'stopped']);
    const compared = decide(
      stopped({ currentState: 'stopping' }),
      host([instance('stopped', { cleanStop: true, readPrimary: 'a' })]),
    );
    expect(compared.effects).toEqual([]);
  });
  it.each<[HostFacts['reach'], string]>([
    ['silent', 'running'],
    ['down', 'unknown'],
    ['gone', 'unknown'],
  ])('never reports that it has stopped when its host is %s', (reach, state) => {
    expect(decide(engine({}, { currentState: 'running', started: true }), host([], reach)).status.currentState).toBe(
      state,
    );
  });
  it.each<[string, HostFacts['reach'], string | undefined, NonNullable<EngineStatus['currentState']>, string[]]>([
    ['that has ended while its host is down', 'down', undefined, 'stopped', ['release-engine']],
    ['whose node is gone', 'gone', undefined, 'unknown', ['release-engine']],
    ['that may still run on a host that is down', 'down', undefined, 'unknown', []],
    ['whose start was given up', 'answers', 'unproved', 'stopped', ['release-engine']],
    [
      'whose start was given up after the previous one ended, while its host is down',
      'down',
      'ended',
      'stopped',
      ['release-engine'],
    ],
    ['whose start was given up while the previous one may still run', 'silent', 'unproved', 'stopped', []],
  ])('releases a deleted engine only when it is safe: engine %s', (_, reach, starting, currentState, effects) => {
    const of = engine(
      { desireState: 'stopped' },
      { currentState },
      starting && { [storageAnnotations.starting]: starting },
    );
    const deleted = { ...of, metadata: { ...of.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    expect(doing(decide(deleted, host([], reach)))).toEqual(effects);
  });
  it.each<[string, Partial<EngineState>, Record<string, string>, string | undefined]>([
    ['merges a snapshot that only a rebuild has made when another snapshot builds on it', {}, {}, 'r1'],
    [
      'repeats a failed purge for what is left on some replicas',
      {
        snapshots: [],
        purge: { replica: 'a', doneBytes: 0n, totalBytes: 0n, error: { code: 'NOT_POSSIBLE_NOW', message: 'read' } },
      },
      {},
      'what the last purge has left',
    ],
    ['does not merge when the setting says so', {}, { 'auto-cleanup-system-generated-snapshot': 'false' }, undefined],
    ['merges nothing when the setting says so', {}, { 'disable-snapshot-purge': 'true' }, undefined],
    ['waits for the end of a rebuild', { modes: { a: 'RW', b: 'WO' } }, {}, undefined],
    ['waits until all replicas have the same snapshots', { readPrimary: 'a' }, {}, undefined],
    ['waits for the running purge', { purge: { replica: 'a', doneBytes: 0n, totalBytes: 0n } }, {}, undefined],
    ['waits until the snapshots are known', { snapshotsError: 'no answer' }, {}, undefined],
  ])('%s', (_, parts, values, what) => {
    const status = { currentState: 'running', started: true, endpoint: 'x' } as const;
    const snapshot = (name: string, parent: string, children: string[], userCreated: boolean) => ({
      ...{ name, parent, children, userCreated, removed: false, created: '', sizeBytes: 1n, labels: {} },
    });
    const snapshots = [
      snapshot('r1', '', ['s1'], false),
      snapshot('s1', 'r1', ['r2'], true),
      snapshot('r2', 's1', ['volume-head'], false),
      snapshot('volume-head', 'r2', [], false),
    ];
    const at = host([instance('running', { snapshots, ...parts }), frontend]);
    const stored = Object.entries(values).map(
      ([name, value]): Setting => ({ apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata: { name }, value }),
    );
    const { settings } = readSettings(stored);
    const { effects } = decide(engine({}, status), at, replicas, settings);
    const request = { engine: 'vol-e-0', generation: 3 };
    expect(effects).toEqual(what === undefined ? [] : [{ do: 'purge', request, what }]);
  });
  it('rebuilds one replica at a time, of this generation, after its failure is folded', () => {
    const status = {
      currentState: 'running',
      started: true,
      endpoint: 'x',
      replicaModeMap: { a: 'RW', b: 'RW' },
    } as const;
    const promised = { annotations: { [storageAnnotations.promised]: '3' } };
    const coming = {
      ...aReplica('c', 'n3', { healthyAt: '', desireState: 'running' }, promised),
      status: { currentState: 'running' as const, storageIP: '10.0.0.3', port: 7 },
    };
    const at = host([instance('running'), frontend]);
    expect(decide(engine({}, status), at, [...replicas, coming]).effects).toMatchObject([
      {
        do: 'add-replica',
        request: {
          replica: { replica: 'c', host: '10.0.0.3', port: 7 },
          managers: { a: 'n1:8500', b: 'n2:8500', c: 'n3:8500' },
          fast: true,
          copiesAtOnce: 1,
        },
      },
    ]);
    const unfolded = engine({}, { ...status, replicaModeMap: { ...status.replicaModeMap, c: 'ERR' } });
    expect(doing(decide(unfolded, at, [...replicas, coming]))).toEqual([]);
    expect(doing(decide(engine({}, status), at, [...replicas, { ...coming, metadata: { name: 'c' } }]))).toEqual([]);
  });
  it('drops a failed replica, but not the last one', () => {
    const status = {
      currentState: 'running',
      started: true,
      endpoint: 'x',
      replicaModeMap: { a: 'RW', b: 'RW' },
    } as const;
    const at = host([instance('running'), frontend]);
    const failed = aReplica('b', 'n2', { failedAt: 'then' });
    expect(decide(engine({}, status), at, [aReplica('a', 'n1'), failed]).effects).toMatchObject([
      { do: 'drop-replica', request: { replica: 'b' } },
    ]);
    expect(doing(decide(engine({}, status), at, [aReplica('a', 'n1', { failedAt: 'then' }), failed]))).toEqual([]);
  });
  it('drops a failed replica before it grows, because a replica without room would block the growth', () => {
    const modes = { a: 'RW', b: 'RW' } as const;
    const running = { currentState: 'running', started: true, endpoint: 'x', replicaModeMap: modes } as const;
    const status = { ...running, isExpanding: true };
    const failed = aReplica('b', 'n2', { failedAt: 'then' });
    const of = [aReplica('a', 'n1'), failed];
    const at = host([instance('running'), frontend]);
    expect(doing(decide(engine({ volumeSize: '200' }, status), at, of))).toEqual(['drop-replica', 'grow']);
  });
  it('asks for growth again after a growth failed, because the executor limits the retries', () => {
    const status = { currentState: 'running', started: true, endpoint: 'x', isExpanding: true } as const;
    const at = host([instance('running'), frontend]);
    expect(decide(engine({ volumeSize: '200' }, status), at).effects).toMatchObject([
      { do: 'grow', request: { sizeBytes: 200n } },
    ]);
    const before = { ...status, lastExpansionError: 'no room' };
    expect(doing(decide(engine({ volumeSize: '200' }, before), at))).toEqual(['grow']);
  });
  it('sets isExpanding before it asks the host to grow, until the size is reached or the engine stops', () => {
    const running = { currentState: 'running', started: true, endpoint: 'x' } as const;
    const at = host([instance('running'), frontend]);
    const first = decide(engine({ volumeSize: '200' }, running), at);
    expect([first.status.isExpanding, doing(first)]).toEqual([true, []]);
    const grown = host([instance('running', { sizeBytes: 200n }), frontend]);
    expect(decide(engine({ volumeSize: '200' }, first.status), grown).status.isExpanding).toBe(false);
    const stops = decide(engine({ volumeSize: '200', desireState: 'stopped' }, first.status), host([]));
    expect(stops.status.isExpanding).toBe(false);
  });
  it('reports that its only replica has no room for writes', () => {
    const running = { currentState: 'running', started: true, endpoint: 'x' } as const;
    const noRoom = { replica: 'a', message: 'no room left: disk full', atMs: 0 };
    const at = host([instance('running', { noRoom }), frontend]);
    const { status, events, again } = decide(engine({}, running), at);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'RoomForWrites', status: 'False', reason: 'NoRoom' }),
    );
    expect([events, again]).toMatchObject([[{ type: 'Warning', reason: 'NoRoom' }], { afterMs: 150_000 }]);
  });
});
