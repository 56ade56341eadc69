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

/** The result of putting an object into the cluster. */
export interface PutEnd extends ItemEnd {
  /** The object as it is in the cluster now; only when this restore created it and is not a dry run. */
  created?: Unstructured;
}

/**
 * Creates the object, or handles the object that exists already. Normally it tries to create first and reads only when that fails, which
 * takes one call per object in a new namespace; when other objects of its kind existed, it reads first. After any refused creation it looks
 * for an existing object, because the API server checks quotas and allocated ports before names. An object that is being deleted is waited for.
 * @throws why the object cannot be created; the signal's reason
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

/** How often an object of this name may be deleted and created again meanwhile; more often is not a coincidence. */
const waitsMax = 5;

/** The actions handled a claim that existed; creating it now, after its deletion, would create it without its data. */
const deletedMeanwhile = ({ type, target }: ReadyObject): AppError =>
  new AppError('OBJECT_TERMINATING', `the ${type.kind} ${target.name} was deleted while it was restored`, {
    nextStep: 'Find out what deletes it, then restore it again.',
  });

/** The existing object is being deleted. */
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
