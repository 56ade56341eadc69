import type { PersistentVolume, Unstructured } from '@lateen/api-types';
import type { RestoreItemOutcome } from '@lateen/backup-store';
import { AppError, isAppError } from '@lateen/errors';
import { alwaysRestored } from '@lateen/item-filters';
import type { Logger } from '@lateen/kernel';
import type { DiscoveredType } from '@lateen/kube';
import { applyResourceModifiers } from '@lateen/resource-modifiers';
import type { ItemRun, RestoreItemOrigin, RestoreOneItem } from '../engine/item-run.ts';
import { ownerMarks } from '../owners/owner-marks.ts';
import { runActions } from './actions/run-actions.ts';
import { tellCreated } from './actions/tell-created.ts';
import { whenClaimGone } from './existing/when-gone.ts';
import { failureEnd } from './failure-kind.ts';
import { factsOf } from './item-filters.ts';
import { type ItemEnd, type ItemTarget, logFieldsOf, outcomeOf, placed, targetOf } from './item-target.ts';
import { fieldOwnersOf, patchFieldOwners } from './managed-fields.ts';
import { putObject } from './put-object.ts';
import type { ReadyObject } from './ready-object.ts';
import { resetObject } from './reset-object.ts';
import { restoresStatus, writeStatus } from './restore-status.ts';
import { definitionsResource, typeFor } from './served-type.ts';
import { whySkipped } from './skip-rules.ts';

/** One object while it is restored. */
interface ItemWay {
  run: ItemRun;
  target: ItemTarget;
  log: Logger;
}

/** The steps of backup-and-restore.md section 12, in their order. In a plan every write is sent to the API server as a dry run. */
export const restoreItem: RestoreOneItem = async (run, item, origin, signal) => {
  const target = targetOf(run, item);
  const way: ItemWay = { run, target, log: run.ports.log.child(logFieldsOf(target)) };
  try {
    return await restoreOne(way, origin, signal);
  } catch (error) {
    signal.throwIfAborted();
    const isBrokenAddition = origin.additionalTo !== undefined && isAppError(error, 'CATALOG_ITEM_BROKEN');
    way.log[isBrokenAddition ? 'warn' : 'error']({ err: error }, 'Error restoring item');
    return outcomeOf(target, failureEnd(error));
  }
};

async function restoreOne(way: ItemWay, origin: RestoreItemOrigin, signal: AbortSignal): Promise<RestoreItemOutcome> {
  const { run, target } = way;
  const { item } = target;
  const additional = origin.additionalTo !== undefined;
  const decision = run.filters.decide(factsOf(item), { additional, mustInclude: origin.mustInclude });
  if (!decision.included) return skipped(way, { reason: decision.reason, by: 'filters' });
  const served = typeFor(run, item);
  if (typeof served === 'string') {
    const definition = { ...definitionsResource, name: item.groupResource };
    if (!run.ports.dryRun || !run.isRestored(definition)) throw new AppError('RESOURCE_NOT_SERVED', served);
    if (target.namespace !== undefined) await run.namespaces.ensure(target.namespace, signal);
    return outcomeOf(target, { act: 'create', reason: served });
  }
  const original = await run.request.catalog.read(item, signal, served.archived);
  const reason = whySkipped(item.groupResource, original);
  if (reason !== undefined) return skipped(way, { reason });
  if (target.namespace !== undefined && item.groupResource !== alwaysRestored)
    await run.namespaces.ensure(target.namespace, signal);
  if (item.groupResource === 'persistentvolumes') return await restoreVolume(way, served.type, original, signal);
  return await restoreObject(way, { type: served.type, original, object: original }, signal);
}

async function restoreVolume(
  way: ItemWay,
  type: DiscoveredType,
  original: Unstructured,
  signal: AbortSignal,
): Promise<RestoreItemOutcome> {
  const { run, target } = way;
  const decision = await run.volumes.decide(original as unknown as PersistentVolume, signal);
  if (!decision.restore) return skipped(way, { reason: decision.reason });
  const renamed = { ...way, target: targetOf(run, target.item, decision.name) };
  const object = decision.volume as unknown as Unstructured;
  const { madeOf, reason } = decision;
  let isUsed = false;
  try {
    const outcome = await restoreObject(renamed, { type, original, object }, signal);
    isUsed = outcome.act === 'create';
    return { ...(reason === undefined ? {} : { reason }), ...outcome };
  } finally {
    if (madeOf !== undefined && !isUsed) way.log.warn({ reason: deleteIt(madeOf) }, unusedVolume);
  }
}

const unusedVolume = 'a volume was created from a native snapshot, but it has no PersistentVolume';
const deleteIt = ({ volumeID, snapshot }: { volumeID: string; snapshot: string }): string =>
  `volume ${volumeID} of snapshot ${snapshot}: delete it at the provider`;

interface Given {
  type: DiscoveredType;
  original: Unstructured;
  /** The object to restore: the object itself, or the volume after the rules for volumes. */
  object: Unstructured;
}

async function restoreObject(way: ItemWay, given: Given, signal: AbortSignal): Promise<RestoreItemOutcome> {
  const { run, log } = way;
  const { original } = given;
  const { item } = way.target;
  await whenClaimGone(run, way.target, given.type, log, signal);
  const input = { item, object: resetObject(given.object), itemFromBackup: original, log };
  const result = await runActions(run, input, signal);
  if (result.object === undefined) return skipped(way, { reason: 'an action skips it', by: result.skippedBy });
  const acted =
    item.groupResource === 'persistentvolumeclaims'
      ? await run.volumes.prepareClaim(result.object, signal)
      : result.object;
  const modified = withModifiers(way, acted);
  // An action or a modifier may rename the object.
  const { name = way.target.name } = modified.metadata;
  const target = name === original.metadata.name ? way.target : targetOf(run, item, name);
  const isWithStatus = original.status !== undefined && restoresStatus(run, item.groupResource, modified, log);
  const owners = fieldOwnersOf(modified, isWithStatus);
  const marks = ownerMarks(run.request.owners, item, original);
  const ready: ReadyObject = {
    type: typeOfVersion(given.type, modified),
    target,
    original,
    acted,
    wanted: withoutManagedFields(placed(run, target, modified)),
    ...(marks === undefined ? {} : { marks }),
    ...(owners.fieldManager === undefined ? {} : { fieldManager: owners.fieldManager }),
  };
  const { created, ...end } = await putObject(run, ready, log, signal);
  if (created !== undefined) {
    if (isWithStatus) await writeStatus(run, ready, created, original.status, log, signal);
    if (owners.patched !== undefined) await patchFieldOwners(run, ready, created, owners.patched, log, signal);
    await tellCreated(run, { item, created, itemFromBackup: original, log }, signal);
    if (item.groupResource === 'pods') run.podHooks.podCreated(created);
  }
  return outcomeOf(target, end);
}

/** Runs before the namespace is mapped (after-1.18.1.md 1D.3). A failed rule is an error of the restore; the object is created all the same. */
function withModifiers({ run, target, log }: ItemWay, object: Unstructured): Unstructured {
  const { modifiers } = run.request;
  if (modifiers === undefined) return object;
  const modified = applyResourceModifiers(modifiers, object, target.item.groupResource);
  for (const problem of modified.problems) log.error({ reason: problem }, 'resource modifier could not be applied');
  return modified.object;
}

function skipped({ target, log }: ItemWay, end: Omit<ItemEnd, 'act'>): RestoreItemOutcome {
  log.info({ reason: end.reason, ...(end.by === undefined ? {} : { by: end.by }) }, 'item is not restored');
  return outcomeOf(target, { act: 'skip', ...end });
}

/** The type after the actions, which may have changed the version or group. */
function typeOfVersion(type: DiscoveredType, { apiVersion }: Unstructured): DiscoveredType {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return type.version === version && type.group === group ? type : { ...type, version, group };
}

function withoutManagedFields(object: Unstructured): Unstructured {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
