import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '@lateen/errors';

/**
 * Asks on the terminal for something that must not be seen; nothing typed is echoed. The end of the input (Ctrl-D) is an
 * empty answer. @throws AppError INTERRUPTED on Ctrl-C
 */
export async function askSecret(
  question: string,
  signal: AbortSignal,
  terminal: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<string> {
  terminal.output.write(question);
  // readline echoes to its output: this one shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.input, output: nowhere, terminal: true, historySize: 0 });
  const interrupted = Promise.withResolvers<string>();
  const onAbort = () => interrupted.reject(new AppError('INTERRUPTED', 'interrupted while asking'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  // On a terminal readline takes Ctrl-C for itself.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answered = new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  try {
    return await Promise.race([answered, interrupted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    lines.close();
    terminal.output.write('\n');
  }
}
