import { type CoreEvent, eventType, getValidName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import { informer, waitForObject } from '@lateen/kube-runtime';
import { type Movement, movementKinds } from '../volume/movement-kinds.ts';
import { watchMovements } from '../volume/watch-movements.ts';
import type { Run, RunNoun } from './run-noun.ts';

export interface FollowPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
}

/** The runs ahead of a run that is queued. */
export interface QueueAhead {
  /** Names of the active runs, at most as many as the controller runs at the same time. */
  running: readonly string[];
  /** How many queued runs come before it. */
  queued: number;
}

/** The state of a run at one moment. */
export interface RunSight<T extends Run> {
  run: T;
  /** The movements of its volumes. */
  movements: readonly Movement[];
  /** The Events about the run's object. */
  events: readonly CoreEvent[];
  /** The runs ahead of it while it is queued. */
  ahead?: QueueAhead | undefined;
}

/** Tells which runs are ahead of a run. */
export interface Queue<T extends Run> {
  /** Called with each state of the run. */
  follow(run: T): void;
  /** Undefined when the run is not queued, or when this is unknown. */
  ahead(run: T): QueueAhead | undefined;
  end(): Promise<void>;
}

/**
 * Follows a run by watches until it has ended and resolves with its last state. Its movements and Events are watched too; a user without
 * the right to read them gets the rest. A watch that breaks is restarted.
 * @param onChange called for each state seen; never after the promise has settled
 * @param queueOf receives the function to call when the queue has changed
 * @throws AppError with the noun's `deletedCode` when the object vanishes first. On abort: rejects with the signal's reason, the run continues.
 */
export async function followRun<T extends Run>(
  ports: FollowPorts,
  noun: RunNoun<T>,
  run: T,
  queueOf: (onChange: () => void) => Queue<T>,
  onChange: (seen: RunSight<T>) => void,
  signal: AbortSignal,
): Promise<RunSight<T>> {
  const { kube, clock, random } = ports;
  const { movements, events } = besides(ports, noun, run);
  let latest = run;
  let isOver = false;
  const sight = (): RunSight<T> => ({
    run: latest,
    movements: movements.list(),
    events: events.list(),
    ahead: queue.ahead(latest),
  });
  const look = () => {
    if (!isOver) onChange(sight());
  };
  const queue = queueOf(look);
  movements.onChange(look);
  events.onChange(look);
  const stop = new AbortController();
  const running = Promise.all([movements.run(stop.signal), events.run(stop.signal)]);
  try {
    latest = await waitForObject<T, T>({
      api: kube,
      type: noun.type,
      key: keyOf(run),
      clock,
      random,
      signal,
      until: (seen) => {
        // A different object of the same name may have replaced it between two watches, for example one synced from the bucket.
        if (seen === undefined || isAnother(seen, run)) throw deleted(noun, run);
        latest = seen;
        queue.follow(seen);
        look();
        return noun.hasEnded(seen) ? seen : undefined;
      },
    });
    return sight();
  } finally {
    isOver = true;
    stop.abort(new AppError('STOPPED', `nobody follows the ${noun.word} any more`));
    await queue.end();
    await running;
  }
}

/** Watches the related objects of the run; an error there only leaves their information out. */
function besides<T extends Run>(
  { kube, clock, random }: FollowPorts,
  { movements: { kinds, label } }: RunNoun<T>,
  run: T,
) {
  const { namespace = '', name } = keyOf(run);
  const base = { api: kube, clock, random, namespace, log: silentLogger };
  return {
    movements: watchMovements({
      ...{ kube, clock, random, namespace },
      labelSelector: `${label}=${getValidName(name)}`,
      kinds: movementKinds.filter(({ type }) => kinds.includes(type.kind)),
    }),
    events: informer<CoreEvent>({
      ...base,
      type: eventType,
      fieldSelector: `involvedObject.uid=${run.metadata.uid ?? ''}`,
    }),
  };
}

const isAnother = (seen: Run, { metadata: { uid } }: Run): boolean => uid !== undefined && seen.metadata.uid !== uid;

const deleted = <T extends Run>({ deletedCode, word }: RunNoun<T>, { metadata }: Run): AppError =>
  new AppError(deletedCode, `${word} "${metadata.name}" was deleted before it ended`);
