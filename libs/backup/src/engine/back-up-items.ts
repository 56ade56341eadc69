import { isTerminalPhase, type PodVolumeBackup } from '@lateen/api-types';
import { archiveWriter } from '@lateen/archive';
import { settleAll, settledOrAborted } from '@lateen/kernel';
import { HookTotals } from './blocks/run-block.ts';
import { collectItems } from './collect/collect-items.ts';
import type { EnginePorts, EngineRequest, ItemsOutcome } from './contract.ts';
import { type EngineParts, engineParts } from './engine-parts.ts';

/**
 * Backs up all objects of a backup: writes them to its archive while they are read, with their volumes and hooks, and at the end the list
 * of resources and the outcome of each item.
 *
 * A failure of one object or one resource is a log line, and the others continue. Rejects when the archive cannot be stored, or with the
 * signal's reason: then no archive remains, the post hooks have run, and actions have removed what they created.
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
  // When the archive cannot be stored, the work ends and rejects with the reason.
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
    // The total is the final number (backup-and-restore.md section 4).
    totalItems: itemsBackedUp,
    operations,
    volumes: volumes.infos(podVolumeBackups),
    // A PodVolumeBackup that is still running is left out: a cluster that syncs it from the bucket must not start it on its node-agents.
    podVolumeBackups: podVolumeBackups.filter(({ status }) => isTerminalPhase(status?.phase)),
    hooks: { attempted: hooks.attempted, failed: hooks.failed },
    csiSnapshotsAttempted: volumes.csiSnapshotsAttempted,
    nativeSnapshots: native.entries,
  };
}

/** Runs also after an abort, and therefore with its own signals. */
async function endActions({ ports: { actions, clock, limits }, context }: EngineParts): Promise<void> {
  for (const action of actions.backup) {
    try {
      await action.endItems?.(context, clock.deadline(limits.callTimeoutMs));
    } catch (error) {
      context.log.warn({ action: action.name, err: error }, 'action did not release all its resources');
    }
  }
}

async function* entriesOf(record: EngineParts['record']): AsyncGenerator<[string, Iterable<string>]> {
  yield* record.resourceList();
}
