import type { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, type KubeErrorCode, kubeError, type ResourceType, type WatchEvent } from '@lateen/kube';
import type { Dice } from './dice.ts';
import type { ProcessNetwork } from './network.ts';
import type { CallChances } from './plan.ts';

/** One process of a node-agent, from its start to its end. */
export interface ProcessLife {
  node: string;
  dead: boolean;
  calls: number;
  /** Dies at that call. */
  death?: { call: number; when: 'before' | 'after' } | undefined;
  /** Called once, when the process dies. */
  die(): void;
}

export interface FaultyKubeOptions {
  kube: KubeApi;
  life: ProcessLife;
  clock: Clock;
  dice: Dice;
  /** The faults that may happen now; they change during a simulation. */
  chances(): CallChances;
  network: ProcessNetwork;
  note(text: string): void;
}

const lost = () => kubeError('KUBE_UNAVAILABLE', 'the process is dead');
const refusals: readonly KubeErrorCode[] = ['KUBE_UNAVAILABLE', 'KUBE_SERVER_ERROR', 'KUBE_TOO_MANY_REQUESTS'];
const stallMsMax = 8_000;
/** Time after which a call into a cut network gives up, and after which a silent watch does. */
const connectMsMax = 10_000;
const silentMsMax = 150_000;

interface Call {
  name: string;
  writes: boolean;
  guarded: boolean;
  signal: AbortSignal | undefined;
}

/**
 * The API as one process sees it: slow, with errors, with lost answers, and not reachable after the process has died. A write that was in
 * progress when its caller gave up may be carried out nevertheless. Each call has the name of the node, so that the writer is known.
 */
export function faultyKube(options: FaultyKubeOptions): KubeApi {
  const { kube, life } = options;
  const run = <T>(call: Call, act: (own: object) => Promise<T>): Promise<T> => faultyCall(options, call, act);
  const named = (verb: string, type: ResourceType, name = '') => `${verb} ${type.kind}/${name}`;
  const read = (name: string, signal: AbortSignal | undefined): Call => ({
    name,
    writes: false,
    guarded: false,
    signal,
  });
  const write = (name: string, signal: AbortSignal | undefined, guarded = false): Call => ({
    name,
    writes: true,
    guarded,
    signal,
  });
  return {
    get: (type, key, o = {}) =>
      run(read(named('get', type, key.name), o.signal), (own) => kube.get(type, key, { ...o, ...own })),
    list: (type, o = {}) => run(read(named('list', type), o.signal), (own) => kube.list(type, { ...o, ...own })),
    create: (type, object, o = {}) =>
      run(write(named('create', type, object.metadata.name), o.signal), (own) =>
        kube.create(type, object, { ...o, ...own }),
      ),
    update: (type, object, o = {}) =>
      run(write(named('update', type, object.metadata.name), o.signal, true), (own) =>
        kube.update(type, object, { ...o, ...own }),
      ),
    patch: (type, key, patch, o = {}) =>
      run(write(named('patch', type, key.name), o.signal, true), (own) =>
        kube.patch(type, key, patch, { ...o, ...own }),
      ),
    delete: (type, key, o = {}) =>
      run(write(named('delete', type, key.name), o.signal), (own) => kube.delete(type, key, { ...o, ...own })),
    watch: (type, o) =>
      faultyWatch(options, type.kind, () => kube.watch(type, { ...o, ...{ writer: life } }), o.signal),
  };
}

async function faultyCall<T>(
  { life, clock, dice, chances, network, note }: FaultyKubeOptions,
  call: Call,
  act: (own: object) => Promise<T>,
): Promise<T> {
  if (life.dead) throw lost();
  const { slow, slowMsMax, refused, conflict, answerLost } = chances();
  const isLast = life.death?.call === life.calls++;
  const tell = (what: string) => note(`${life.node} ${call.name}: ${what}`);
  if (isLast && life.death?.when === 'before') life.die();
  if (life.dead) throw lost();
  if (network.isCut()) throw await cutOff(clock, dice, call.signal);
  if (dice.chance(slow)) {
    const ms = dice.between(1, slowMsMax);
    tell(`slow, ${ms} ms`);
    await clock.sleep(ms, call.signal).catch((reason: unknown) => {
      // The caller gives up or dies while its request is on the way: the request is carried out at that moment, or never.
      if (call.writes && dice.chance(0.5)) act({ signal: undefined, writer: life }).catch(() => {});
      throw reason;
    });
    if (life.dead) throw lost();
    if (network.isCut()) throw await cutOff(clock, dice, call.signal);
  }
  if (dice.chance(refused)) {
    const code = dice.pick(refusals);
    tell(code);
    throw kubeError(code, 'the simulation refuses the call');
  }
  if (call.guarded && dice.chance(conflict)) {
    tell('KUBE_CONFLICT');
    throw kubeError('KUBE_CONFLICT', 'the simulation says that somebody else was first');
  }
  const answer = await act({ writer: life });
  if (isLast && !life.dead) life.die();
  if (life.dead) throw lost();
  if (call.writes && dice.chance(answerLost)) {
    tell('answer lost');
    throw kubeError('KUBE_UNAVAILABLE', 'the simulation has lost the answer');
  }
  return answer;
}

/** No answer and no error arrive. */
async function cutOff(clock: Clock, dice: Dice, signal: AbortSignal | undefined): Promise<AppError> {
  await clock.sleep(dice.between(1_000, connectMsMax), signal);
  return kubeError('KUBE_UNAVAILABLE', 'the simulation has cut the network');
}

/** A request into a dead connection arrives late, if the network is restored before the timeout. */
async function heldBack(clock: Clock, network: ProcessNetwork, signal: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const silent = clock.sleep(silentMsMax, signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]));
  const late = silent.then(() => {
    throw kubeError('KUBE_UNAVAILABLE', 'the watch was silent for too long');
  });
  late.catch(() => {});
  try {
    await Promise.race([network.whole(), late]);
  } finally {
    over.abort(new Error('the network is back'));
  }
}

/**
 * A lost event always ends the watch, as on the real server: it is sent again to the next watch, or, when that is too old, the next list
 * shows its result.
 */
async function* faultyWatch<T extends { metadata: { name?: string } }>(
  { life, clock, dice, chances, network, note }: FaultyKubeOptions,
  kind: string,
  watch: () => AsyncIterable<WatchEvent<T & { apiVersion: string; kind: string }>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T & { apiVersion: string; kind: string }>, void, void> {
  if (network.isCut()) throw await cutOff(clock, dice, signal);
  for await (const event of watch()) {
    if (life.dead) throw lost();
    if (network.isCut()) await heldBack(clock, network, signal);
    const { watchBreaks, watchExpires, watchRepeats, watchStalls } = chances();
    if (dice.chance(watchBreaks)) {
      note(`${life.node} watch ${kind}: breaks`);
      throw kubeError('KUBE_UNAVAILABLE', 'the simulation breaks the watch');
    }
    if (dice.chance(watchExpires)) {
      note(`${life.node} watch ${kind}: 410`);
      throw kubeError('KUBE_GONE', 'the simulation has no memory of that');
    }
    if (dice.chance(watchStalls)) await clock.sleep(dice.between(1, stallMsMax));
    if (life.dead) throw lost();
    yield event;
    if (dice.chance(watchRepeats)) yield structuredClone(event);
  }
}
