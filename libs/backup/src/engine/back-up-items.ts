import { isTerminalPhase, type PodVolumeBackup } from '@lateen/api-types';
import { archiveWriter } from '@lateen/archive';
import { settleAll, settledOrAborted } from '@lateen/kernel';
import { HookTotals } from './blocks/run-block.ts';
import { collectItems } from './collect/collect-items.ts';
import type { EnginePorts, EngineRequest, ItemsOutcome } from './contract.ts';
import { type EngineParts, engineParts } from './engine-parts.ts';

/**
 * Reads all objects of a backup from the cluster and writes them to its archive while they come, with their volumes and hooks; at the
 * end the list of resources and the outcome of each item.
 *
 * What fails for one object or one resource is a line of the log, and the others go on. Rejects when the archive cannot be stored, or
 * with the signal's reason: then no archive is left, hooks after the backup have run, and actions have taken back what they made.
 */
export async function backUpItems(
  ports: EnginePorts,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<ItemsOutcome> {
  const name = request.backup.metadata.name ?? '';
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const archive = archiveWriter({ mtimeMs: ports.clock.now() });
  const upload = ports.store.writeArchive(name, archive.pieces, { signal: either });
  const fail = (error: unknown) => {
    failed.abort(error);
    archive.abort(error);
  };
  // An archive that cannot be stored ends the work, which then rejects with the reason.
  upload.catch(fail);
  const parts = engineParts(ports, request, archive);
  const hooks = new HookTotals();
  let podVolumeBackups: PodVolumeBackup[];
  try {
    await collectItems(parts, hooks, fail, either);
    await archive.end();
    await upload;
    podVolumeBackups = await parts.podVolumes.end(either);
  } catch (error) {
    fail(error);
    await settledOrAborted(upload, new AbortController().signal);
    throw signal.aborted ? signal.reason : failed.signal.reason;
  } finally {
    await parts.podVolumes.stop();
    await endActions(parts);
  }
  const { record, volumes, operations, native } = parts;
  await settleAll([
    ports.store.putResourceList(name, entriesOf(record), { signal }),
    ports.store.writeItemOutcomes(name, record.outcomes(), { signal }),
  ]);
  const { itemsBackedUp } = record;
  return {
    itemsBackedUp,
    // As many as there were in the end (backup-and-restore.md section 4).
    totalItems: itemsBackedUp,
    operations,
    volumes: volumes.infos(podVolumeBackups),
    // One that goes on all the same is no work for the node-agents of a cluster that finds it in the bucket.
    podVolumeBackups: podVolumeBackups.filter(({ status }) => isTerminalPhase(status?.phase)),
    hooks: { attempted: hooks.attempted, failed: hooks.failed },
    csiSnapshotsAttempted: volumes.csiSnapshotsAttempted,
    nativeSnapshots: native.entries,
  };
}

/** Also after an abort, and therefore with signals of their own. */
async function endActions({ ports: { actions, clock, limits }, context }: EngineParts): Promise<void> {
  for (const action of actions.backup) {
    try {
      await action.endItems?.(context, clock.deadline(limits.callTimeoutMs));
    } catch (error) {
      context.log.warn({ action: action.name, err: error }, 'action did not give back all that it had taken');
    }
  }
}

async function* entriesOf(record: EngineParts['record']): AsyncGenerator<[string, Iterable<string>]> {
  yield* record.resourceList();
}
