import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where built binaries and images are kept between runs and between checkouts: `LATEEN_CACHE`, else the user's cache
 * directory. Every path may be removed at any time; it is made again.
 */
export function cacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env.LATEEN_CACHE) return env.LATEEN_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lateen');
}
