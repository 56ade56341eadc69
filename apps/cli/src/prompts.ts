import { AppError } from '@lateen/errors';

export interface Terminal {
  input: NodeJS.ReadableStream;
  /** Questions go to stderr, so that stdout can be piped. */
  output: NodeJS.WritableStream;
}

export interface Prompts {
  /** @throws AppError INTERRUPTED on Ctrl-C, at the end of the input and when the signal aborts */
  ask(question: string): Promise<string>;
  /** Like `ask`, without showing the input. */
  askSecret(question: string): Promise<string>;
}

/** Asks the user on a terminal. The libraries are loaded with the first question: most commands ask nothing. */
export function prompts(terminal: Terminal, signal: AbortSignal): Prompts {
  return {
    ask: (question) =>
      untilEnd(terminal, signal, async (context) => {
        const { default: input } = await import('@inquirer/input');
        return await input({ message: question.trim(), theme }, context);
      }),
    askSecret: (question) =>
      untilEnd(terminal, signal, async (context) => {
        const { default: password } = await import('@inquirer/password');
        return await password({ message: question.trim(), mask: false, theme }, context);
      }),
  };
}

/** Our questions have their own prefix. */
const theme = { prefix: '' };

async function untilEnd(
  terminal: Terminal,
  signal: AbortSignal,
  ask: (context: Terminal & { signal: AbortSignal }) => Promise<string>,
): Promise<string> {
  const ended = new AbortController();
  const end = () => ended.abort();
  // The library keeps waiting at the end of the input: it expects the process to end then.
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') end();
  };
  terminal.input.on('keypress', onKey).on('end', end);
  try {
    return await ask({ ...terminal, signal: AbortSignal.any([signal, ended.signal]) });
  } catch (error) {
    // By name: a bundle may rename the library's classes, but not their `name` property.
    const isEnd = error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
    if (!isEnd) throw error;
    throw new AppError('INTERRUPTED', 'interrupted while asking', { cause: error });
  } finally {
    terminal.input.off('keypress', onKey).off('end', end);
  }
}
