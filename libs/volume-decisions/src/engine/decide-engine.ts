import type { Instance } from '@lateen/block-engine';
import {
  type Engine,
  type EngineStatus,
  generationOf,
  type InstanceState,
  instanceStateOf,
  int64Of,
  storageAnnotations,
} from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import type { Decision } from '../decision/decision.ts';
import { instanceOf, isThere } from '../instance/host-facts.ts';
import { nextState } from '../instance/next-state.ts';
import { isFailed, nameOf } from '../volume/replica-facts.ts';
import { startingOf } from '../volume/volume-facts.ts';
import { ensureEngineOf, ensureFrontendOf } from './engine-requests.ts';
import type { EngineEffect, EngineSeen } from './engine-seen.ts';
import { mergeEngineStatus } from './merge-engine-status.ts';
import { restoreOfEngine, restoresOn, stopRestores } from './restore-of-engine.ts';
import { withRoom } from './room-condition.ts';
import { isAskedToBeRebuilt, workOfEngine } from './work-of-engine.ts';

export type EngineDecision = Decision<EngineStatus, EngineEffect>;

/** The result of one step of the engine; `target` is the state that it is moving to. */
interface Turn {
  readonly target: InstanceState;
  readonly effects?: readonly EngineEffect[];
  readonly status?: Partial<EngineStatus>;
  readonly waitsFor?: string;
}

/**
 * What the host of an engine is asked to do, and what the Engine's status reports. Only the host may report `stopped`: nothing of
 * this generation runs there. Between a new generation and the write that lets its engine start, the status that the old engine
 * left is cleared.
 */
export function decideEngine(seen: EngineSeen, nowMs: number): EngineDecision {
  const { engine, host } = seen;
  const instance = instanceOf(host, 'engine', nameOf(engine));
  const merged = startingOf(engine) === undefined ? mergedStatus(seen, instance, nowMs) : (engine.status ?? {});
  const turn = turnOf(seen, instance, merged);
  const state = nextState(instanceStateOf(engine), turn.target);
  const failure = instance?.error ?? instanceOf(host, 'frontend', nameOf(engine))?.error;
  const condition = {
    type: 'InstanceCreation',
    status: failure === undefined ? 'True' : 'False',
    reason: failure?.code ?? '',
    message: failure === undefined ? '' : `${failure.message}${failure.nextStep ? `; ${failure.nextStep}` : ''}`,
  } as const;
  const room = withRoom(
    withCondition(merged.conditions, condition, nowMs),
    turn.target === 'running' ? instance?.engine?.noRoom : undefined,
    nowMs,
  );
  const status: EngineStatus = { ...merged, ...turn.status, currentState: state, conditions: room.conditions };
  const wait = turn.waitsFor === undefined ? {} : { waitsFor: turn.waitsFor };
  const again = room.again === undefined ? {} : { again: room.again };
  return { status, effects: turn.effects ?? [], events: room.events, ...wait, ...again };
}

function mergedStatus(seen: EngineSeen, instance: Instance | undefined, nowMs: number): EngineStatus {
  const { engine, replicas, sinceProgressMs } = seen;
  const status = engine.status ?? {};
  if (instance?.engine === undefined || instance.generation !== generationOf(engine)) return status;
  // The final state of an ended engine was folded in when `stopped` was written; a replica may have been accepted again since.
  if (!isThere(instance) && instanceStateOf(engine) === 'stopped') return status;
  const addresses = engine.spec.replicaAddressMap ?? {};
  const folded = replicas.filter((replica) => isFailed(replica) && !(nameOf(replica) in addresses)).map(nameOf);
  const rebuilding = replicas.filter(isAskedToBeRebuilt).map(nameOf);
  return mergeEngineStatus(status, instance.engine, {
    folded: new Set(folded),
    rebuilding: new Set(rebuilding),
    addresses,
    wantedBytes: int64Of(engine.spec.volumeSize) ?? 0n,
    sinceProgressMs,
    nowMs,
  });
}

function turnOf(seen: EngineSeen, instance: Instance | undefined, status: EngineStatus): Turn {
  const { engine, host } = seen;
  const generation = generationOf(engine);
  const now = instanceStateOf(engine);
  const nodeID = engine.spec.nodeID ?? '';
  if (generation === undefined) return { target: now, waitsFor: 'the generation of the engine cannot be read' };
  if (startingOf(engine) !== undefined) return clear(seen, generation, instance);
  if (nodeID === '') return { target: now, effects: release(seen) };
  if (host.reach !== 'answers') {
    const lost = host.reach === 'silent' || now === 'stopped' ? now : 'unknown';
    // A host that is gone can never be asked again, and an ended engine is not started again only to be deleted.
    const goes = host.reach === 'gone' || now === 'stopped' ? release(seen) : [];
    if (goes.length > 0) return { target: lost, effects: goes };
    return { target: lost, waitsFor: `the instance manager of ${nodeID} is ${host.reach}` };
  }
  if (instance !== undefined && instance.generation > generation)
    return { target: now, waitsFor: `start ${instance.generation} of the engine runs already` };
  if (engine.metadata.deletionTimestamp !== undefined || engine.spec.desireState !== 'running')
    return stop(seen, generation, instance);
  if (isThere(instance) && instance.generation < generation) return stop(seen, generation, instance);
  return run(seen, generation, instance, status);
}

/** Nothing of the new generation runs yet, and nothing can be recorded for the old one any more. */
function clear(seen: EngineSeen, generation: number, instance: Instance | undefined): Turn {
  const old = stopEffects(seen, generation, instance);
  if (seen.host.reach === 'answers' && old.length > 0)
    return { target: 'stopping', effects: old, waitsFor: 'the engine of an earlier start has to end' };
  const status = {
    replicaModeMap: {},
    replicaTransitionTimeMap: {},
    currentReplicaAddressMap: {},
    rebuildStatus: {},
    purgeStatus: {},
    isExpanding: false,
    restoreStatus: {},
    endpoint: '',
    started: false,
  };
  // An abandoned start stays marked as begun; an engine that is deleted is still released, unless an earlier engine may run on a
  // host that does not answer.
  const mayRun = startingOf(seen.engine) !== 'ended' && (seen.host.reach === 'silent' || seen.host.reach === 'down');
  return { target: 'stopped', status, effects: mayRun ? [] : release(seen) };
}

function stop(seen: EngineSeen, generation: number, instance: Instance | undefined): Turn {
  const effects = stopEffects(seen, generation, instance);
  if (effects.length > 0) return { target: 'stopping', effects, waitsFor: 'the engine has to end' };
  return { target: 'stopped', effects: [...cleanStop(seen, generation, instance), ...release(seen)], status: ended };
}

const ended = { endpoint: '', rebuildStatus: {}, purgeStatus: {}, isExpanding: false };

/** The front end is stopped first: otherwise its engine would end below it. */
function stopEffects({ engine, host }: EngineSeen, generation: number, instance: Instance | undefined): EngineEffect[] {
  const name = nameOf(engine);
  const restores = restoresOn(host, engine.spec.volumeName ?? '').filter(isThere);
  if (restores.length > 0) return stopRestores(restores);
  if (isThere(instanceOf(host, 'frontend', name)))
    return [{ do: 'stop', request: { kind: 'frontend', name, generation } }];
  return isThere(instance) ? [{ do: 'stop', request: { kind: 'engine', name, generation } }] : [];
}

/** Not while replicas are still compared: they may still differ after an earlier unclean end. */
function cleanStop({ engine }: EngineSeen, generation: number, instance: Instance | undefined): EngineEffect[] {
  const noted = engine.metadata.annotations?.[storageAnnotations.cleanStop] === String(generation);
  const clean = instance?.generation === generation && instance.engine?.cleanStop === true;
  if (noted || !clean || instance.engine?.readPrimary !== undefined) return [];
  return [{ do: 'note-clean-stop', generation }];
}

/**
 * The reason why a front end ended must be in the status before the next one is requested: the next one waits until the old
 * device is not mounted any more, and pods are told by this status to release it.
 */
const isTold = ({ status }: Engine, error: Instance['error']): boolean =>
  error === undefined || status?.conditions?.some(({ reason }) => reason === error.code) === true;

const release = ({ engine }: EngineSeen): EngineEffect[] =>
  engine.metadata.deletionTimestamp === undefined ? [] : [{ do: 'release-engine' }];

function run(seen: EngineSeen, generation: number, instance: Instance | undefined, status: EngineStatus): Turn {
  const { engine, host } = seen;
  const here = instance?.generation === generation ? instance : undefined;
  if (here?.state === 'error')
    return { target: 'error', status: ended, waitsFor: 'the engine has ended with an error' };
  if (here === undefined || here.state === 'stopped') {
    // The engine has served already: another run would be another start, in another generation.
    if (status.started === true)
      return { target: 'stopped', effects: cleanStop(seen, generation, here), status: ended };
    return { target: 'starting', effects: [{ do: 'ensure-engine', request: ensureEngineOf(seen, generation) }] };
  }
  if (here.state === 'stopping') return { target: 'stopping' };
  if (here.state !== 'running') {
    // Requested again: the first caller may have died before the host received all of it. A repeated request joins the running
    // one.
    const again: EngineEffect = { do: 'ensure-engine', request: ensureEngineOf(seen, generation) };
    return { target: 'starting', effects: status.started === true ? [] : [again] };
  }
  const started = {
    started: true,
    ip: host.ip,
    instanceManagerName: host.instanceManager,
    uuid: here.uuid,
    currentImage: engine.spec.image ?? '',
    currentReplicaAddressMap: { ...engine.spec.replicaAddressMap },
  };
  const frontend = instanceOf(host, 'frontend', nameOf(engine));
  const endpoint = frontend?.state === 'running' && frontend.generation === generation ? (frontend.endpoint ?? '') : '';
  // Only after the start is recorded: nobody writes before that, so replicas cannot differ.
  const wantsFrontend =
    status.started === true &&
    engine.spec.disableFrontend !== true &&
    endpoint === '' &&
    isTold(engine, here.error ?? frontend?.error);
  const offer: EngineEffect[] = wantsFrontend
    ? [{ do: 'ensure-frontend', request: ensureFrontendOf(engine, generation) }]
    : [];
  const restore = status.started === true ? restoreOfEngine(seen, generation) : undefined;
  return {
    target: 'running',
    status: { ...started, endpoint, ...restore?.status },
    effects: [...offer, ...workOfEngine(seen, generation, here, status.snapshots ?? {}), ...(restore?.effects ?? [])],
    ...(restore?.waitsFor === undefined ? {} : { waitsFor: restore.waitsFor }),
  };
}
