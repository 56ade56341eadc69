import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder of built binaries and images, shared by runs and checkouts: `LATEEN_CACHE`, else the user's cache directory. Every path may be
 * deleted at any time; it is built again.
 */
export function cacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env.LATEEN_CACHE) return env.LATEEN_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lateen');
}
