import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { allProcesses, processEnvironment } from '@lateen/child-process';
import type { Clock } from '@lateen/kernel';

/** Prefix of the folder of each process. */
export const folderPrefix = 'plugin-';

/**
 * Removes folders of processes that ended without a cleanup: the server was killed, and its scratch folder outlives its container. Folders of running
 * processes are kept, also those of other servers, and folders younger than `startMs`, whose process may be about to start. A folder that cannot be
 * removed stays. Never rejects.
 */
export async function removeLeftFolders(directory: string, startMs: number, clock: Clock): Promise<void> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.startsWith(folderPrefix));
  if (names.length === 0) return;
  const used = await foldersInUse();
  for (const name of names) {
    const folder = join(directory, name);
    const facts = await stat(folder).catch(() => undefined);
    const isOld = facts?.isDirectory() === true && clock.now() - facts.mtimeMs > startMs;
    if (isOld && !used.has(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function foldersInUse(): Promise<Set<string | undefined>> {
  const environments = (await allProcesses()).map(({ pid }) => processEnvironment(pid));
  return new Set((await Promise.all(environments)).map((environment) => environment.get('TMPDIR')));
}
