import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

/** A new directory below `workDirectory`/`name` that nobody else may enter (mode 0700, whatever the umask). Returns its path. */
export async function makeSessionDirectory(workDirectory: string, name: string): Promise<string> {
  const root = join(workDirectory, name);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const directory = await mkdtemp(join(root, 'session-'));
  await chmod(directory, 0o700);
  return directory;
}
