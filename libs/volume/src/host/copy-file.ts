import { join } from 'node:path';
import { isAppError } from '@lateen/errors';
import { volumeLimits } from '../limits.ts';
import type { Host } from './host.ts';

/** `reflink` shares the blocks at once; `plain` reads and writes them, leaving holes. */
export type CopyMode = 'reflink' | 'plain';

export const copyArguments = (mode: CopyMode): readonly string[] =>
  mode === 'reflink' ? ['--reflink=always', '--sparse=auto'] : ['--reflink=never', '--sparse=always'];

/** Whether the file system under a directory shares blocks between files: tried, not guessed from its name. */
export async function detectCopyMode(host: Host, directory: string, signal: AbortSignal): Promise<CopyMode> {
  const from = join(directory, 'reflink-probe.tmp');
  const to = join(directory, 'reflink-probe-copy.tmp');
  await removeProbes(host, [from, to]);
  try {
    await host.files.createSparse(from, volumeLimits.roundBytes);
    await host.run('cp', [...copyArguments('reflink'), from, to], { signal, timeoutMs: volumeLimits.quickCommandMs });
    return 'reflink';
  } catch (error) {
    if (!isAppError(error, 'COMMAND_FAILED')) throw error;
    host.log.debug({ err: error }, 'the state directory has no reflink');
    return 'plain';
  } finally {
    await removeProbes(host, [from, to]);
  }
}

/** Copies a file that nothing writes to, durably. The target must not exist. */
export async function copyFile(
  host: Host,
  mode: CopyMode,
  paths: { from: string; to: string },
  signal: AbortSignal,
): Promise<void> {
  await host.run('cp', [...copyArguments(mode), paths.from, paths.to], {
    signal,
    timeoutMs: volumeLimits.copyCommandMs,
  });
  await host.files.sync(paths.to);
}

async function removeProbes(host: Host, paths: readonly string[]): Promise<void> {
  for (const path of paths) await host.files.removeDurably(path);
}
