import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes `text` to `path` atomically, so that no reader and no crash sees a part of it, and returns whether that changed anything. Creates
 * the parent folders. Only the owner can read `secret` files, from the first byte on.
 */
export async function writeFileAtomically(
  path: string,
  text: string,
  options: { secret?: boolean; executable?: boolean } = {},
): Promise<boolean> {
  if ((await readIfThere(path)) === text) return false;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}.new`;
  const mode = options.secret ? 0o600 : options.executable ? 0o755 : 0o644;
  await writeFile(unfinished, text, { mode });
  await rename(unfinished, path);
  return true;
}

/** The file's text, or undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
