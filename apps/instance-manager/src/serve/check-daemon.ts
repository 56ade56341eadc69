import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type DaemonCheck, startStorageDaemon, testedReleases } from '@lateen/qemu-storage';

/** A daemon with nothing open ends at once. */
const graceMs = 5_000;

/**
 * Starts a storage daemon without images, checks that it has all commands that are used here, and ends it: a node whose daemon lacks one fails at
 * start, not in the middle of a rebuild. Its version and its known problems are logged. Resolves with its version.
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
    const { version } = started.daemon;
    const text = `${version.major}.${version.minor}.${version.micro}`;
    log.info({ version: text, program }, 'this release of qemu-storage-daemon serves replicas');
    for (const { message, nextStep } of daemonWarnings(started.daemon)) log.warn({ version: text, nextStep }, message);
    return text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Warnings about a version that works, with what to do about them. */
export function daemonWarnings({ tested, slowOverTcp }: Pick<DaemonCheck, 'tested' | 'slowOverTcp'>) {
  const warnings: { readonly message: string; readonly nextStep: string }[] = [];
  if (!tested)
    warnings.push({
      message: 'this release of qemu-storage-daemon was not tested',
      nextStep: `Prefer one of these releases: ${testedReleases.join(', ')}.`,
    });
  if (slowOverTcp)
    warnings.push({
      message:
        'this release of qemu-storage-daemon is slow over TCP: volumes reach a hundredth of their disks at random access',
      nextStep:
        'Build the image of replicated volumes where its mirror has backports, or on Debian 13, so that it has release 10.0.',
    });
  return warnings;
}
