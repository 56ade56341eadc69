import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { startStorageDaemon } from '@lateen/qemu-storage';

/** One that has nothing open ends at once. */
const graceMs = 5_000;

/**
 * Starts a storage daemon that holds nothing, asks it for all commands that are used here, and ends it: a node whose daemon lacks one
 * says so at start, not in the middle of a rebuild. Resolves with its version.
 * @throws AppError `STORAGE_DAEMON_UNFIT`, `STORAGE_DAEMON_ENDED`, `PROGRAM_NOT_STARTED`
 */
export async function checkedDaemonVersion(
  program: string,
  { directory, clock, random, log }: { directory: string; clock: Clock; random: Random; log: Logger },
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(directory, 'check-'));
  try {
    await using started = await startStorageDaemon({
      runner: childRunner({ program, clock, graceMs }),
      clock,
      random,
      monitorPath: join(folder, 'qmp'),
      pidPath: join(folder, 'pid'),
      signal,
    });
    const { version, tested } = started.daemon;
    const text = `${version.major}.${version.minor}.${version.micro}`;
    if (!tested) log.warn({ version: text }, 'nobody has run our tests with this release of qemu-storage-daemon');
    return text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
