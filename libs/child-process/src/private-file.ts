import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Begins the name of what a write that was broken off by a crash leaves; {@link clearPrivateDirectory} removes it too. */
const unfinished = '.unfinished-';

/**
 * Writes a file that only we may read (0600, in a directory made with 0700). Replaces an older one atomically: a reader
 * sees all of the old or all of the new. When it fails, the old one stays and nothing else is left.
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(join(directory, unfinished));
  try {
    const file = join(temporary, 'content');
    await writeFile(file, content, { mode: 0o600, flag: 'wx' });
    // Whatever the umask was.
    await chmod(file, 0o600);
    await rename(file, path);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Empties a directory of private files, for the start of a process: what is there then was left by one that crashed. The
 * directory itself is made when it is missing, and is ours alone (0700) afterwards.
 */
export async function clearPrivateDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
}
