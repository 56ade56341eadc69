import { basename } from 'node:path';
import { removeRecordAndData } from './controller/roll-back.ts';
import { detachLoop, listLoops } from './host/loop-devices.ts';
import { isMounted, usageIn, usageOf } from './host/usage.ts';
import { restoreMount } from './node/grow-mounted.ts';
import { discardGrowing } from './node/grow-on-copy.ts';
import type { VolumeDeps } from './volume-deps.ts';

/**
 * After a start: takes back what was being created, finishes what was being deleted, thaws what was frozen, detaches
 * devices that nothing uses. Says what it found; a record that cannot be cleaned now is logged and left for the next
 * call on it. Data without a record is never touched.
 */
export async function recover(deps: VolumeDeps, signal: AbortSignal): Promise<void> {
  const { log } = deps.host;
  for (const { id, reason } of deps.store.unreadable)
    log.error({ id, reason }, 'a record cannot be read; its data is left alone');
  for (const record of deps.store.all().filter(({ state }) => state !== 'ready')) {
    log.warn({ id: record.id, state: record.state }, 'taking back what an interrupted call left');
    await removeRecordAndData(deps, record, signal).catch((error: unknown) =>
      log.error({ err: error, id: record.id }, 'could not take back an interrupted call'),
    );
  }
  for (const record of deps.store.volumes()) {
    await discardGrowing(deps, record, signal).catch((error: unknown) =>
      log.error({ err: error, id: record.id }, 'could not remove a half-grown copy'),
    );
  }
  for (const record of deps.store.volumes().filter(({ remount }) => remount !== undefined)) {
    log.warn({ id: record.id, at: record.remount?.at }, 'putting back a mount that an interrupted call took off');
    await restoreMount(deps, record, signal).catch((error: unknown) =>
      log.error({ err: error, id: record.id }, 'could not put back a mount'),
    );
  }
  await detachIdleLoops(deps, signal);
  await reportOrphans(deps);
}

/** A block volume that is staged but not yet published loses its device here; publishing attaches it again. */
async function detachIdleLoops(deps: VolumeDeps, signal: AbortSignal): Promise<void> {
  if ((await listLoops(deps.host, signal)).length === 0) return;
  for (const record of deps.store.all()) {
    const usage = await usageOf(deps.host, deps.paths.backingFile(record), signal);
    // The writable device of a published volume belongs to its stage, also while only readers have it.
    const idle = usage.loops.filter(
      (loop) => !isMounted(usageIn([loop], [...usage.fileSystemMounts, ...usage.deviceMounts])),
    );
    for (const loop of isMounted(usage) ? idle.filter(({ readOnly }) => readOnly) : idle) {
      deps.host.log.info({ id: record.id, device: loop.path }, 'detaching a loop device that nothing uses');
      await detachLoop(deps.host, loop, signal);
    }
  }
}

async function reportOrphans(deps: VolumeDeps): Promise<void> {
  const known = new Set(deps.store.all().map((record) => basename(deps.paths.backingFile(record))));
  for (const name of await deps.host.files.list(deps.paths.data)) {
    if (!known.has(name)) deps.host.log.warn({ name }, 'a file in the data directory belongs to no record');
  }
}
