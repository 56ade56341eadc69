import type { EngineExit, ResticRun } from '@lateen/repository';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';

/** A prune elsewhere locks the repository exclusively; a longer wait is left to a new attempt. */
export const lockedLimits = { attemptsMax: 10, waitMs: 5_000 } as const;

const locked = /repository is already locked/i;

/**
 * Runs restic, and repeats the run while another process has locked the repository: restic 0.14 does not wait itself. Removes a
 * lock that a killed restic has left. `once` runs restic with streams of its own, as a stream can be read only once. Rejects with
 * the signal's reason when it aborts between two tries.
 */
export async function whenUnlocked<T>(
  options: ResticUploaderOptions,
  signal: AbortSignal,
  once: () => Promise<T & { exit: EngineExit }>,
): Promise<T & { exit: EngineExit }> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await once();
    const { exit } = outcome;
    if (exit.endedBy !== undefined) await removeStaleLocks(options);
    const refused = exit.endedBy === undefined && exit.exitCode !== 0 && locked.test(exit.stderr);
    const again = refused && !signal.aborted;
    if (!again || attempt === lockedLimits.attemptsMax) return outcome;
    options.log.info({ attempt }, 'the repository is locked by another process; waiting');
    await options.clock.sleep(lockedLimits.waitMs, signal);
  }
}

/** One command of restic, see {@link whenUnlocked}. */
export async function runRestic(
  options: ResticUploaderOptions,
  args: readonly string[],
  run: ResticRun & { signal: AbortSignal },
): Promise<EngineExit> {
  const once = async () => ({ exit: await options.session.run(args, run) });
  return (await whenUnlocked(options, run.signal, once)).exit;
}

/**
 * Deletes a snapshot that nothing will refer to. Best effort: a snapshot that stays only costs space until the repository is
 * deleted. The deletion needs an exclusive lock, so it may have to wait for other volumes of the namespace.
 */
export async function discardSnapshot(options: ResticUploaderOptions, snapshotID: string): Promise<void> {
  const signal = options.clock.deadline(options.discardMs);
  const exit = await runRestic(options, ['forget', snapshotID], { signal }).catch(() => undefined);
  if (exit?.exitCode === 0) return;
  options.log.warn({ snapshotID }, 'cannot delete the snapshot of an upload that did not end well');
}

/** restic recognises its own dead processes by host and process ID, and leaves the locks of others alone. */
async function removeStaleLocks(options: ResticUploaderOptions): Promise<void> {
  if (options.session.readOnly) return;
  const exit = await options.session.run(['unlock'], { signal: options.clock.deadline(options.discardMs) });
  if (exit.exitCode === 0) return;
  options.log.warn({}, 'cannot remove the lock that a killed restic has left; it expires after half an hour');
}
