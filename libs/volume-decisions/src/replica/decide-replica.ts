import type { DeleteReplicaData, EnsureReplica, Instance, StopInstance } from '@lateen/block-engine';
import {
  type Engine,
  generationOf,
  type InstanceState,
  instanceStateOf,
  int64Of,
  type Replica,
  type ReplicaStatus,
} from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import type { Decision } from '../decision/decision.ts';
import { type HostFacts, instanceOf, isThere } from '../instance/host-facts.ts';
import { nextState } from '../instance/next-state.ts';
import { wholeSet } from '../volume/fold-failures.ts';
import { everHealthy, isFailed, killedInOf, modeOf, nameOf } from '../volume/replica-facts.ts';
import { isBeingDeleted, isServing, promisedGeneration } from '../volume/volume-facts.ts';

export interface ReplicaSeen {
  readonly replica: Replica;
  readonly engine?: Engine;
  /** `metadata.uid` of its volume, which is recorded in its folder. */
  readonly volumeUid: string;
  /** Of the node in `spec.nodeID`. */
  readonly host: HostFacts;
}

export type ReplicaEffect =
  | { readonly do: 'ensure-replica'; readonly request: EnsureReplica }
  | { readonly do: 'stop'; readonly request: StopInstance }
  | { readonly do: 'delete-data'; readonly request: DeleteReplicaData }
  /**
   * The annotations `promised` and `killed-in`, in one update (`promisedReplica`): a reader that sees the promise also sees whether the data lags.
   */
  | { readonly do: 'note-promise'; readonly generation: number; readonly killedIn?: number }
  /** Removes the finalizer of the Replica. */
  | { readonly do: 'release-replica' };

interface Turn {
  readonly target: InstanceState;
  readonly effects?: readonly ReplicaEffect[];
  readonly waitsFor?: string;
}

/** What the host of a replica is asked to do, and what the Replica's status reports about the process that serves it. */
export function decideReplica(seen: ReplicaSeen, nowMs: number): Decision<ReplicaStatus, ReplicaEffect> {
  const { replica, host } = seen;
  const before = replica.status ?? {};
  const instance = instanceOf(host, 'replica', nameOf(replica));
  const turn = turnOf(seen, instance);
  const currentState = nextState(instanceStateOf(replica), turn.target);
  const { code = '', message = '', nextStep } = instance?.error ?? {};
  const text = nextStep === undefined ? message : `${message}; ${nextStep}`;
  const condition = {
    type: 'InstanceCreation',
    status: code === '' ? 'True' : 'False',
    reason: code,
    message: text,
  } as const;
  const process = processOf(host, instance, currentState);
  const status = {
    ...before,
    ...process,
    currentState,
    conditions: withCondition(before.conditions, condition, nowMs),
  };
  const goes = turn.effects?.some((effect) => effect.do === 'release-replica') ?? false;
  const promise = goes ? [] : newPromise(replica, instance, currentState);
  const wait = turn.waitsFor === undefined ? {} : { waitsFor: turn.waitsFor };
  return { status, effects: [...(turn.effects ?? []), ...promise], events: [], ...wait };
}

function processOf(host: HostFacts, instance: Instance | undefined, state: InstanceState): ReplicaStatus {
  if (host.reach !== 'answers') return {};
  if (state !== 'running' || instance?.state !== 'running') return { port: 0 };
  const { ip, instanceManager: instanceManagerName } = host;
  return { ip, storageIP: ip, port: instance.port ?? 0, uuid: instance.uuid, instanceManagerName, started: true };
}

/**
 * A promise is recorded only after the status says where this run serves, because readers of the promise connect there. A kill is recorded whenever
 * the host reports it.
 */
function newPromise(replica: Replica, instance: Instance | undefined, state: InstanceState): ReplicaEffect[] {
  const facts = instance?.replica;
  if (facts === undefined) return [];
  const { promisedGeneration: generation, killedGeneration: killedIn } = facts;
  const { port, uuid, currentState } = replica.status ?? {};
  const written = currentState === 'running' && port === instance?.port && uuid === instance?.uuid;
  const isNew = state === 'running' && written && generation > promisedGeneration(replica);
  const otherKill = generation === promisedGeneration(replica) && killedIn !== killedInOf(replica);
  if (!isNew && !otherKill) return [];
  return [{ do: 'note-promise', generation, ...(killedIn === undefined ? {} : { killedIn }) }];
}

function turnOf(seen: ReplicaSeen, instance: Instance | undefined): Turn {
  const { replica, host } = seen;
  const now = instanceStateOf(replica);
  const { nodeID = '' } = replica.spec;
  if (isBeingDeleted(replica) && !countsOn(seen)) return remove(seen, instance);
  if (nodeID === '') return { target: now };
  if (host.reach !== 'answers') {
    const lost = host.reach === 'silent' || now === 'stopped' ? now : 'unknown';
    return { target: lost, waitsFor: `the instance manager of ${nodeID} is ${host.reach}` };
  }
  return shouldRun(replica) ? run(seen, instance) : stop(seen, instance);
}

/** A failed replica runs only to be rebuilt; it is never served again under its old name. */
const shouldRun = (replica: Replica): boolean =>
  replica.spec.desireState === 'running' && (!isFailed(replica) || (replica.spec.healthyAt ?? '') === '');

function run(seen: ReplicaSeen, instance: Instance | undefined): Turn {
  const { replica, engine } = seen;
  const generation = engine === undefined ? undefined : generationOf(engine);
  if (generation === undefined || generation === 0)
    return { target: instanceStateOf(replica), waitsFor: 'the engine has no generation to promise' };
  if (instance !== undefined && instance.generation > generation)
    return { target: instanceStateOf(replica), waitsFor: `it has promised start ${instance.generation} already` };
  const promised = instance?.replica?.promisedGeneration ?? 0;
  const serves = instance?.generation === generation && promised >= generation;
  if (serves && instance.state === 'running') return { target: 'running' };
  const ensure: ReplicaEffect = { do: 'ensure-replica', request: ensureReplicaOf(seen, generation) };
  if (instance?.state === 'error' && instance.generation === generation)
    return { target: 'error', effects: [ensure], waitsFor: 'it could not be started' };
  return { target: instanceStateOf(replica) === 'running' ? 'running' : 'starting', effects: [ensure] };
}

function ensureReplicaOf({ replica, engine, volumeUid }: ReplicaSeen, generation: number): EnsureReplica {
  return {
    name: nameOf(replica),
    volume: replica.spec.volumeName ?? '',
    volumeUid,
    directory: directoryOf(replica),
    sizeBytes: int64Of(replica.spec.volumeSize) ?? 0n,
    generation,
    // Otherwise a disk that is not mounted would become an empty replica that counts as healthy.
    mayCreate: !everHealthy(replica),
    rebuilding: isToBeRebuilt(replica, engine),
  };
}

/** The volume has data, and this replica does not have all of it. When nothing was ever written to the volume, each replica has everything. */
function isToBeRebuilt(replica: Replica, engine: Engine | undefined): boolean {
  const wasStarted = engine !== undefined && Object.keys(engine.spec.replicaAddressMap ?? {}).length > 0;
  return wasStarted && (replica.spec.healthyAt ?? '') === '' && !wholeSet(engine).has(nameOf(replica));
}

export const directoryOf = ({ spec }: Replica): string =>
  `${(spec.diskPath ?? '').replace(/\/+$/, '')}/replicas/${spec.dataDirectoryName ?? ''}`;

function stop({ replica, engine }: ReplicaSeen, instance: Instance | undefined): Turn {
  if (!isThere(instance)) return { target: 'stopped' };
  const generation = Math.max(instance.generation, engine === undefined ? 0 : (generationOf(engine) ?? 0));
  const request = { kind: 'replica', name: nameOf(replica), generation } as const;
  return { target: 'stopping', effects: [{ do: 'stop', request }], waitsFor: 'it has to end' };
}

/** No engine has dropped it or started without it: it may hold the only data, even if its deletion is requested. It keeps running. */
const countsOn = ({ replica, engine }: ReplicaSeen): boolean =>
  engine !== undefined && !isBeingDeleted(engine) && wholeSet(engine).has(nameOf(replica));

/** Its data is deleted with it, but not while the engine relies on it. */
function remove(seen: ReplicaSeen, instance: Instance | undefined): Turn {
  const { replica, engine, host, volumeUid } = seen;
  const { nodeID = '' } = replica.spec;
  const now = instanceStateOf(replica);
  const mode = modeOf(engine, nameOf(replica));
  if (isServing(engine) && (mode === 'RW' || mode === 'WO'))
    return { target: now, waitsFor: 'the engine has to release it' };
  if (nodeID === '' || host.reach === 'gone') return { target: now, effects: [{ do: 'release-replica' }] };
  if (host.reach !== 'answers') return { target: now, waitsFor: `the instance manager of ${nodeID} is ${host.reach}` };
  if (isThere(instance)) return stop(seen, instance);
  const request = { replica: nameOf(replica), volumeUid, directory: directoryOf(replica) };
  return { target: 'stopped', effects: [{ do: 'delete-data', request }, { do: 'release-replica' }] };
}
