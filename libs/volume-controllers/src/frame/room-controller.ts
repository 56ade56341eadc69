import { isDeepStrictEqual } from 'node:util';
import { isAppError } from '@lateen/errors';
import { isAlreadyExists, isConflict, isNotFound, keyOf, keyText, type ObjectKey } from '@lateen/kube';
import {
  again,
  type Controller,
  controller,
  eventSubject,
  type Outcome,
  type Reconciler,
  settled,
  type Watch,
  type WorkQueue,
  waiting,
} from '@lateen/kube-runtime';
import type { EngineImage } from '@lateen/storage-types';
import { ownerRules } from '@lateen/volume-decisions';
import { ownerOf, verdictOf } from '../owner/ownership.ts';
import { EffectPauses } from './effect-pauses.ts';
import { GuardedWrites } from './guarded-writes.ts';
import { OwnWrites } from './own-writes.ts';
import { isGap, type Pass, type Room, type StatusOf, type StorageObject } from './room.ts';
import type { RoomContext } from './room-context.ts';
import { watchedByAll } from './wakes.ts';

/** After a conflict the other writer's change queues the key; this delay is for a watch that is late. */
const conflictRetryMs = 1_000;

/** Minimum delay before a decision is made again. */
export const soonestAgainMs = 100;

/**
 * The loop of one room: check the owner, gather, decide, apply the effects in order, write the status last, then send the Events; an Event of an
 * effect is sent as soon as the effect is carried out. A conflict ends the pass, and the other writer's change is read first. When an effect fails
 * that is not a write to the API server, the effects after it are skipped, the status is written nevertheless, because it reports what is known, and
 * the key is queued again as the error says.
 */
export function roomController<T extends StorageObject, Seen, Effect>(
  context: RoomContext,
  room: Room<T, Seen, Effect>,
): Controller {
  const own = new OwnWrites(context.caches, context.clock);
  const pauses = new EffectPauses(context.clock, context.random);
  return controller(context, {
    name: room.name,
    for: room.informer,
    watches: [
      ...room.watches,
      { informer: room.informer, feed: (queue) => wakeOnOwners(context, room, queue) },
      ...watchedImages(context, room),
    ],
    reconciler: (): Reconciler => ({
      reconcile: (key, signal) => reconcile({ context, room, own, pauses }, key, signal),
    }),
    workers: room.workers,
  });
}

/** When managers come and go, their objects may change the owner. */
function wakeOnOwners<T extends StorageObject>(
  { managers, namespace }: RoomContext,
  { informer }: Pick<Room<T, never, never>, 'informer'>,
  queue: WorkQueue,
): void {
  managers.onChange(() => {
    for (const { metadata } of informer.list()) queue.add(keyText({ namespace, ...named(metadata) }));
  });
}

/**
 * The same for engine images, for kinds whose owner needs the image: otherwise nobody would take a volume that was made before its image was on any
 * node.
 */
const watchedImages = <T extends StorageObject>(
  { caches }: RoomContext,
  { informer, ownership }: Pick<Room<T, never, never>, 'informer' | 'ownership'>,
): Watch[] =>
  typeof ownership === 'function' || !ownerRules[ownership].needsImage
    ? []
    : [watchedByAll(informer, caches.engineImages, isElsewhere)];

const isElsewhere = (before: EngineImage, after: EngineImage): boolean =>
  !isDeepStrictEqual(before.status?.nodeDeploymentMap, after.status?.nodeDeploymentMap);

const named = ({ namespace, name = '' }: { readonly namespace?: string; readonly name?: string }): ObjectKey => ({
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

interface Work<T extends StorageObject, Seen, Effect> {
  readonly context: RoomContext;
  readonly room: Room<T, Seen, Effect>;
  readonly own: OwnWrites;
  readonly pauses: EffectPauses;
}

async function reconcile<T extends StorageObject, Seen, Effect>(
  work: Work<T, Seen, Effect>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const { context, room, own } = work;
  const read = room.informer.get(key);
  const verdict = read === undefined ? 'leave' : whose(work, read);
  if (read === undefined || verdict === 'leave') {
    own.note(keyText(key), []);
    work.pauses.forget(keyText(key));
    room.forget?.(key);
    return settled;
  }
  const behindMs = own.waitMs(keyText(key));
  if (behindMs !== undefined) return again(behindMs, 'what was written last is not in the caches yet');
  const writes = new GuardedWrites(context.kube, signal);
  try {
    return await pass(work, { read, isTaken: verdict === 'take', writes, signal });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
    context.log.debug({ room: room.name, key: keyText(key), err: error }, 'somebody else has written meanwhile');
    return again(conflictRetryMs, 'somebody else has written meanwhile');
  } finally {
    own.note(keyText(key), writes.own);
  }
}

function whose<T extends StorageObject, Seen, Effect>(
  { context, room }: Work<T, Seen, Effect>,
  object: T,
): 'mine' | 'take' | 'leave' {
  const { ownership } = room;
  return typeof ownership === 'function' ? ownership(object) : verdictOf(context, ownership, object);
}

interface OnePass<T extends StorageObject> {
  readonly read: T;
  /** No available manager has it: this manager takes it. */
  readonly isTaken: boolean;
  readonly writes: GuardedWrites;
  readonly signal: AbortSignal;
}

async function pass<T extends StorageObject, Seen, Effect>(
  { context, room, pauses }: Work<T, Seen, Effect>,
  { read, isTaken, writes, signal }: OnePass<T>,
): Promise<Outcome> {
  const object = isTaken ? { ...read, status: { ...read.status, ownerID: context.self } } : read;
  const seen = await room.gather(object, signal);
  if (isGap(seen)) return waiting(seen.missing);
  const { status, effects, events, again: later, waitsFor } = room.decide(seen, room.now?.() ?? context.clock.now());
  if (isTaken) {
    const { name } = read.metadata;
    context.log.info({ room: room.name, name, from: ownerOf(read) }, 'the object is taken over');
    // Before any effect, the owner is recorded; without effects, one write records the owner with the rest.
    if (effects.length > 0) await writes.status(room.type, read, object.status ?? {});
  }
  const tell = (after?: Effect): void => {
    for (const { type, reason, message } of events.filter((each) => each.after === after))
      context.events.record(eventSubject(read), reason, message, { type });
  };
  const of = { object, seen, writes, signal };
  const { told, failure, pausedMs } = await applyAll({ room, pauses, tell }, effects, of);
  if (!writes.isReleased(room.type, keyOf(read))) await writes.status(room.type, read, { ...status, ...told });
  tell();
  if (failure !== undefined) throw failure.error;
  if (pausedMs !== undefined) return again(pausedMs, 'what failed last is skipped for a while');
  if (later !== undefined) return again(Math.max(later.afterMs, soonestAgainMs), waitsFor ?? later.reason);
  return waitsFor === undefined ? settled : waiting(waitsFor);
}

interface Applied<T extends StorageObject> {
  readonly told: Partial<StatusOf<T>>;
  readonly failure?: { readonly error: unknown };
  /** An effect and those after it are skipped for so long. */
  readonly pausedMs?: number;
}

/** Carries out the effects in order, up to the first that fails; each with its Events. @throws errors of the API server, the signal's reason */
async function applyAll<T extends StorageObject, Seen, Effect>(
  { room, pauses, tell }: Pick<Work<T, Seen, Effect>, 'room' | 'pauses'> & { tell(after: Effect): void },
  effects: readonly Effect[],
  of: Pass<T, Seen>,
): Promise<Applied<T>> {
  const key = keyText(keyOf(of.object));
  let told: Partial<StatusOf<T>> = {};
  for (const effect of effects) {
    const pausedMs = pauses.leftMs(key, effect);
    if (pausedMs !== undefined) return { told, pausedMs };
    try {
      told = { ...told, ...(await room.apply(effect, of)) };
      tell(effect);
    } catch (error) {
      if (of.signal.aborted || isOfApiServer(error)) throw error;
      pauses.failed(key, effect, error);
      return { told: { ...told, ...room.failed?.(effect, error) }, failure: { error } };
    }
  }
  pauses.forget(key);
  return { told };
}

const isOfApiServer = (error: unknown): boolean => isAppError(error) && error.code.startsWith('KUBE_');
