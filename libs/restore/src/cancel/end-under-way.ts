import {
  type DataDownload,
  dataDownloadType,
  getValidName,
  isTerminalPhase,
  labels,
  type PodVolumeRestore,
  podVolumeRestoreType,
  type ResourceType,
  type Restore,
} from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { tellPodsOfVolumes } from '@lateen/item-actions';
import { eachAtOnce, settleAll } from '@lateen/kernel';
import { keyOf, listIfServed } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { askToEnd, isOpenOperation } from '@lateen/run';
import {
  inRestoreStore,
  operationContext,
  type RestoreOperationsKind,
  restoreLocation,
} from '../operations/restore-operations.ts';
import type { RestorePorts } from '../restore-ports.ts';
import { takeVolumesBack } from '../volumes/finalize/take-volumes-back.ts';

/** How many movements are canceled at the same time, and how long to wait for their end. */
const limits = { atOnce: 16, endMs: 600_000 } as const;

/**
 * Ends the work of a restore and deletes what it created for its own work; restored objects stay. Ends the operations that its file lists,
 * and its movements, of which a run that ended early has stored nothing. Resolves when they have ended or the time is up; by then
 * cancellation is requested for each of them. Safe to repeat.
 */
export async function endUnderWay(
  ports: RestorePorts,
  kind: RestoreOperationsKind,
  restore: Restore,
  signal: AbortSignal,
): Promise<void> {
  for (const operation of await storedOperations(ports, restore, signal))
    if (isOpenOperation(operation.status.phase)) await askToEnd(kind, restore, operation, signal);
  await settleAll([
    endMovements(ports, dataDownloadType, restore, signal),
    endMovements(ports, podVolumeRestoreType, restore, signal),
  ]);
  await tellPods(ports, restore, signal);
  await takeVolumesBack(operationContext(ports, restore), restore, signal);
}

/** Tells pods that wait for volumes that the data will not arrive. */
async function tellPods(ports: RestorePorts, restore: Restore, signal: AbortSignal): Promise<void> {
  try {
    await tellPodsOfVolumes(operationContext(ports, restore), signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ restore: restore.metadata.name, err: error }, 'pods that wait for volumes cannot be notified');
  }
}

async function storedOperations(ports: RestorePorts, restore: Restore, signal: AbortSignal) {
  const location = await restoreLocation(ports, restore, signal);
  if ('gone' in location) return [];
  const { name = '' } = restore.metadata;
  try {
    return await inRestoreStore(ports, location.usable, (files) => files.getItemOperations(name, { signal }), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error) || error.retry !== 'never') throw error;
    ports.log.warn({ restore: name, err: error }, 'the operations of a restore cannot be read');
    return [];
  }
}

async function endMovements<T extends DataDownload | PodVolumeRestore>(
  { kube, namespace, clock, log }: RestorePorts,
  type: ResourceType<T>,
  restore: Restore,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.restoreUid}=${getValidName(restore.metadata.uid ?? '')}`;
  const items = await listIfServed(kube, type, { namespace, labelSelector, signal });
  const open = items.filter(({ status }) => !isTerminalPhase(status?.phase));
  await eachAtOnce(open, limits.atOnce, async (movement) => {
    if (movement.spec.cancel !== true)
      await kube.patch(type, keyOf(movement), { type: 'merge', body: { spec: { cancel: true } } }, { signal });
  });
  const either = AbortSignal.any([signal, clock.deadline(limits.endMs)]);
  const ended = open.map((movement) =>
    waitForObject({
      api: kube,
      type,
      key: keyOf(movement),
      until: (now) => (now === undefined || isTerminalPhase(now.status?.phase) ? true : undefined),
      clock,
      signal: either,
    }),
  );
  await Promise.all(ended).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!either.aborted) throw error;
    log.warn({ restore: restore.metadata.name, movements: open.length }, 'movements of a restore have not ended yet');
  });
}
