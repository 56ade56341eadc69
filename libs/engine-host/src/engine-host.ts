import {
  type Call,
  type EngineOf,
  type EnsureEngine,
  hostError,
  type Instance,
  type InstanceHost,
  type StopInstance,
} from '@lateen/block-engine';
import { InstanceBoard } from '@lateen/instance-host';
import { orAborted } from '@lateen/kernel';
import { EngineRunner } from './engine/engine-runner.ts';
import { type EngineHostLimits, type EngineHostPorts, engineHostLimits } from './engine-host-ports.ts';
import { type EngineOperations, engineOperations } from './operations/engine-operations.ts';

/** The host of one engine; disposing it stops the engine with the deadline of a stop. */
export type EngineHost = InstanceHost & AsyncDisposable;

/**
 * The host that is the process of one engine (docs/adr/0055). It accepts one `ensureEngine` in its life: after the engine has ended, another
 * generation runs in another process. Of `InstanceHost` only the calls that concern this engine work; the others are `INVALID_ARGUMENT`.
 */
export function engineHost(ports: EngineHostPorts, limits: Partial<EngineHostLimits> = {}): EngineHost {
  const all = { ...engineHostLimits, ...limits };
  const board = new InstanceBoard(ports.clock);
  let runner: EngineRunner | undefined;

  const ensureEngine = async (request: EnsureEngine, { signal }: Call): Promise<Instance> => {
    signal.throwIfAborted();
    checkRequest(request);
    const there = board.get({ kind: 'engine', name: request.name }) ?? board.all()[0];
    if (there !== undefined) checkAgain(there, request);
    runner ??= new EngineRunner({ ports, limits: all, board, request });
    return orAborted(runner.started, signal);
  };
  const runnerOf = ({ engine, generation }: EngineOf) => {
    if (runner === undefined || runner.request.name !== engine)
      throw hostError('INSTANCE_NOT_FOUND', `engine ${engine} does not run here`);
    if (runner.request.generation !== generation)
      throw hostError('GENERATION_OVER', `engine ${engine} runs here under ${runner.request.generation}`);
    return runner.live();
  };
  return {
    ...refusals,
    ...engineOperations(runnerOf),
    info: async () => ports.info(),
    ensureEngine,
    stop: (request, o) => stop(runner, request, o),
    watch: (o) => board.watch(o),
    [Symbol.asyncDispose]: async () => void (await runner?.stop()),
  };
}

function checkRequest({ name, replicas, generation }: EnsureEngine): void {
  if (replicas.length === 0) throw hostError('INVALID_ARGUMENT', `engine ${name} is to start without replicas`);
  if (generation < 1) throw hostError('INVALID_ARGUMENT', `engine ${name} is to start without a generation`);
}

/** This process has started its engine already. Only the same engine may be requested again. */
function checkAgain({ name, generation, state }: Instance, request: EnsureEngine): void {
  if (name !== request.name) throw hostError('INVALID_ARGUMENT', `this is the process of engine ${name}`);
  const isThere = state === 'starting' || state === 'running' || state === 'stopping';
  if (generation > request.generation)
    throw hostError('GENERATION_OVER', `engine ${name} runs under generation ${generation}`);
  if (generation < request.generation)
    throw hostError('ENGINE_RUNNING', `the process of generation ${generation} of engine ${name} is still there`);
  if (!isThere || state === 'stopping')
    throw hostError('GENERATION_OVER', `engine ${name} has had its start under generation ${generation}`);
}

async function stop(runner: EngineRunner | undefined, request: StopInstance, { signal }: Call) {
  if (request.kind !== 'engine') throw notHere('stop');
  if (runner === undefined || runner.request.name !== request.name) return { clean: false };
  if (runner.request.generation > request.generation)
    throw hostError('GENERATION_OVER', `engine ${request.name} runs under ${runner.request.generation}`);
  return { clean: await orAborted(runner.stop(), signal) };
}

const notHere = (call: string) =>
  hostError('INVALID_ARGUMENT', `the process of an engine does nothing about ${call}: ask the instance manager`);

type Refused = Exclude<keyof InstanceHost, keyof EngineOperations | 'info' | 'ensureEngine' | 'stop' | 'watch'>;

const one = (call: string) => async () => {
  throw notHere(call);
};
const many = (call: string) => () => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      throw notHere(call);
    },
  }),
});

const refusals: Pick<InstanceHost, Refused> = {
  ensureReplica: one('replicas'),
  ensureFrontend: one('front ends'),
  promiseGeneration: one('replicas'),
  deleteReplicaData: one('replicas'),
  engineTrim: one('mounted file systems'),
  snapshotSum: many('sums of snapshots'),
  openSnapshot: one('readers of snapshots'),
  closeSnapshot: one('readers of snapshots'),
  startBackup: many('backups'),
  startRestore: many('restores'),
  startClone: many('clones'),
  inspectDisk: one('disks'),
  registerDisk: one('disks'),
  listReplicaFolders: many('disks'),
};
