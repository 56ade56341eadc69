import { createInterface } from 'node:readline/promises';
import { AppError } from '@lateen/errors';

/**
 * Asks on the terminal; the question goes to stderr, so that stdout can be piped. The end of the input (Ctrl-D) is an empty
 * answer. @throws AppError INTERRUPTED on Ctrl-C
 */
export async function askPerson(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal readline takes Ctrl-C for itself.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question, { signal }), closed]);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'interrupted while asking', { cause: error });
  } finally {
    lines.close();
  }
}
