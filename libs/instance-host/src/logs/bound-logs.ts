import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

export const logLimits = {
  /** Size of a log at which it is rotated to the previous one; so a process has at most twice as much. */
  fileBytesMax: 4 * 1024 * 1024,
  /** Files in the folder, those of ended processes included: enough to investigate, and no more. */
  filesMax: 400,
  /** How often sizes are checked. */
  everyMs: 30_000,
} as const;

/**
 * Bounds the logs of processes that outlive this program. They keep their file open for appending and cannot be told to reopen it, so it is copied
 * and truncated. What is written between the two is lost.
 */
export async function boundLogs(
  directory: string,
  { fileBytesMax, filesMax }: { fileBytesMax: number; filesMax: number } = logLimits,
): Promise<void> {
  const seen: { path: string; changedMs: number }[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts === undefined || !facts.isFile()) continue;
    seen.push({ path, changedMs: facts.mtimeMs });
    if (name.endsWith('.log') && facts.size > fileBytesMax) {
      await copyFile(path, `${path}.before`);
      await truncate(path, 0);
    }
  }
  seen.sort((a, b) => b.changedMs - a.changedMs);
  for (const { path } of seen.slice(filesMax)) await rm(path, { force: true });
}
