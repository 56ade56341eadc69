import { copyFile, link, mkdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts the programs into the cluster's folder: as hard links, or as copies when the cache is on another file system. Each is replaced
 * atomically; a running program keeps the file from which it was started.
 */
export async function linkPrograms(binDir: string, binaries: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(binDir, { recursive: true });
  for (const [name, path] of Object.entries(binaries)) {
    // An installed program may be a symbolic link, and a hard link to that would be broken in a machine.
    const source = await realpath(path);
    const target = join(binDir, name);
    if (await sameContent(source, target)) continue;
    const unfinished = `${target}.new`;
    await unlink(unfinished).catch(ignoreMissing);
    await link(source, unfinished).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV' && error.code !== 'EPERM') throw error;
      await copyFile(source, unfinished);
    });
    await rename(unfinished, target);
  }
}

/** Same file, or a copy of the same size that is not older. */
async function sameContent(source: string, target: string): Promise<boolean> {
  const [from, to] = await Promise.all([stat(source), stat(target).catch(ignoreMissing)]);
  if (to === undefined) return false;
  if (from.dev === to.dev && from.ino === to.ino) return true;
  return from.dev !== to.dev && from.size === to.size && to.mtimeMs >= from.mtimeMs;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
