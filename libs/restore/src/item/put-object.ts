import type { Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { withMetadata } from '@lateen/item-actions';
import { type Logger, retry } from '@lateen/kernel';
import { isNotFound, type ObjectKey } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import { writeRetries } from '../engine/write-retries.ts';
import { firstContents } from '../plan/first-contents.ts';
import { inNewNamespace, whenOthersAreThere } from '../plan/not-there-yet.ts';
import { isOfEarlierAttempt } from './existing/earlier-attempt.ts';
import { meetExisting } from './existing/meet-existing.ts';
import { noteThere, othersWereThere } from './existing/seen-there.ts';
import { isClaim, isTerminating, whenGone } from './existing/when-gone.ts';
import type { ItemEnd } from './item-target.ts';
import type { ReadyObject } from './ready-object.ts';

/** What came of putting it into the cluster. */
export interface PutEnd extends ItemEnd {
  /** As it is in the cluster now; when this restore created it, and no plan is made. */
  created?: Unstructured;
}

/**
 * Creates the object, or deals with the one that is there. It is created first and looked for only when that fails: in a new namespace
 * one call per object is all; where others of its kind were there, it is looked for first. Whatever refuses the creation, an object that is
 * there counts: quotas and taken ports are found before names. One that is being deleted is waited for.
 * @throws what keeps it from being created; the signal's reason
 */
export async function putObject(run: ItemRun, ready: ReadyObject, log: Logger, signal: AbortSignal): Promise<PutEnd> {
  const { clock, random } = run.ports;
  const onRetry = ({ error, waitMs }: { error: unknown; waitMs: number }) =>
    log.debug({ err: error, waitMs }, 'object could not be created, it is tried again');
  for (let waits = 0; ; waits++) {
    const put = () => tryPut(run, ready, log, signal);
    const end = await retry({ clock, random }, { ...writeRetries, onRetry }, put, signal);
    if (!('terminating' in end)) return end;
    if (run.ports.dryRun) return { act: 'create', reason: 'the one in the cluster is being deleted' };
    if (waits >= waitsMax || isClaim(ready.target)) throw deletedMeanwhile(ready);
    await whenGone(run, ready.target, { type: ready.type, object: end.terminating }, log, signal);
  }
}

/** Objects of a name may come and go; more often than this it is no chance. */
const waitsMax = 5;

/** Of a claim the actions have met another state than there is now: created after all, it would be without its data. */
const deletedMeanwhile = ({ type, target }: ReadyObject): AppError =>
  new AppError('OBJECT_TERMINATING', `the ${type.kind} ${target.name} was deleted while it was restored`, {
    nextStep: 'Restore it again when nobody deletes it.',
  });

/** The object that is there is on its way out. */
interface Terminating {
  terminating: Unstructured;
}

async function tryPut(
  run: ItemRun,
  ready: ReadyObject,
  log: Logger,
  signal: AbortSignal,
): Promise<PutEnd | Terminating> {
  const { dryRun } = run.ports;
  const { target } = ready;
  if (dryRun && target.namespace !== undefined && run.namespaces.isPlanned(target.namespace)) {
    const first = await firstContents(run, ready, signal);
    return first === undefined ? await inNewNamespace(run, ready, signal) : await meet(run, ready, first, log, signal);
  }
  const isExpected = othersWereThere(run, target);
  const expected = isExpected ? await readExisting(run, ready, signal) : undefined;
  if (expected !== undefined) return await meet(run, ready, expected, log, signal);
  try {
    const created = await create(run, ready, signal);
    noteThere(run, target, false);
    return dryRun ? { act: 'create' } : { act: 'create', created };
  } catch (error) {
    signal.throwIfAborted();
    const existing = await readExisting(run, ready, signal);
    if (existing !== undefined) {
      noteThere(run, target, true);
      return await meet(run, ready, existing, log, signal);
    }
    const planned = dryRun ? await whenOthersAreThere(run, ready, error, signal) : undefined;
    if (planned === undefined) throw error;
    return planned;
  }
}

async function create(run: ItemRun, ready: ReadyObject, signal: AbortSignal): Promise<Unstructured> {
  const { kube, dryRun } = run.ports;
  const { type, target, wanted, marks, fieldManager } = ready;
  const marked = marks === undefined ? wanted : withMetadata(wanted, { annotations: marks });
  return (await kube.create(type, marked, {
    signal,
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(dryRun ? { dryRun } : {}),
    ...(fieldManager === undefined ? {} : { fieldManager }),
  })) as Unstructured;
}

async function meet(
  run: ItemRun,
  ready: ReadyObject,
  existing: Unstructured,
  log: Logger,
  signal: AbortSignal,
): Promise<PutEnd | Terminating> {
  if (isTerminating(existing)) return { terminating: existing };
  if (!isOfEarlierAttempt(run.request, existing)) return await meetExisting(run, ready, existing, log, signal);
  return run.ports.dryRun ? { act: 'create' } : { act: 'create', created: existing };
}

async function readExisting(
  { ports: { kube } }: ItemRun,
  { type, target: { namespace, name } }: ReadyObject,
  signal: AbortSignal,
): Promise<Unstructured | undefined> {
  const key: ObjectKey = namespace === undefined ? { name } : { namespace, name };
  try {
    return (await kube.get(type, key, { numbers: 'exact', signal })) as Unstructured;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
