import { writeFile } from 'node:fs/promises';
import type { Logger } from '@lateen/kernel';

/** The termination message of this pod. Best effort: outside of a pod there is no such file, and the exit code says the main thing. */
export async function writeTermination(path: string, message: string, log: Logger): Promise<void> {
  try {
    await writeFile(path, message);
  } catch (error) {
    log.warn({ err: error, path }, 'the termination message could not be written');
  }
}
