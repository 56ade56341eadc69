import type { Unstructured } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type Logger, retry } from '@lateen/kernel';
import { isNotFound, type ObjectKey } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import { isOfEarlierAttempt } from './existing/earlier-attempt.ts';
import { meetExisting } from './existing/meet-existing.ts';
import type { ItemEnd } from './item-target.ts';
import type { ReadyObject } from './ready-object.ts';

/** What came of putting it into the cluster. */
export interface PutEnd extends ItemEnd {
  /** As it is in the cluster now; when this restore created it, and no plan is made. */
  created?: Unstructured;
}

/**
 * Six tries over about half a minute: an API server that restarts, a webhook whose pod moves. Kept short, since an item that waits here
 * has a place that others wait for.
 */
const retryPolicy = {
  backoff: { firstMs: 1_000, maxMs: 10_000, factor: 2, jitter: 0.2 },
  attemptsMax: 6,
  mayRetry: (error: unknown) =>
    ['KUBE_SERVER_ERROR', 'KUBE_UNAVAILABLE', 'KUBE_TOO_MANY_REQUESTS', 'KUBE_CONFLICT'].some((code) =>
      isAppError(error, code),
    ),
} as const;

/**
 * Creates the object, or deals with the one that is there. It is created first and looked for only when that fails: in a new namespace
 * one call per object is all. Whatever refuses the creation, an object that is there counts: quotas and taken ports are found before names.
 * @throws what keeps it from being created; the signal's reason
 */
export async function putObject(run: ItemRun, ready: ReadyObject, log: Logger, signal: AbortSignal): Promise<PutEnd> {
  const { clock, random } = run.ports;
  const onRetry = ({ error, waitMs }: { error: unknown; waitMs: number }) =>
    log.debug({ err: error, waitMs }, 'object could not be created, it is tried again');
  return await retry({ clock, random }, { ...retryPolicy, onRetry }, () => tryPut(run, ready, log, signal), signal);
}

async function tryPut(run: ItemRun, ready: ReadyObject, log: Logger, signal: AbortSignal): Promise<PutEnd> {
  const { kube, dryRun } = run.ports;
  const { type, target, wanted, fieldManager } = ready;
  try {
    const created = await kube.create(type, wanted, {
      signal,
      ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
      ...(dryRun ? { dryRun } : {}),
      ...(fieldManager === undefined ? {} : { fieldManager }),
    });
    return dryRun ? { act: 'create' } : { act: 'create', created: created as Unstructured };
  } catch (error) {
    signal.throwIfAborted();
    const existing = await readExisting(run, ready, signal);
    if (existing !== undefined) {
      if (!isOfEarlierAttempt(run, existing)) return await meetExisting(run, ready, existing, log, signal);
      return dryRun ? { act: 'create' } : { act: 'create', created: existing };
    }
    // Its namespace, which the restore would make.
    if (dryRun && isNotFound(error)) return { act: 'create', reason: 'its namespace is not there yet' };
    throw error;
  }
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
