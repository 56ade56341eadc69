import type { CommandContext } from './command-context.ts';
import { completeWords, isCompletion } from './completion/complete-words.ts';
import { buildProgram } from './program.ts';
import { failureOf } from './report-failure.ts';

/** Runs one command line (without the program's own name) to its end and resolves with the exit code. Never rejects. */
export async function runProgram(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
  words: readonly string[],
): Promise<number> {
  let command = '';
  if (isCompletion(words)) {
    await completeWords(buildProgram(context, env), words.slice(1), context);
    return 0;
  }
  const program = buildProgram(context, env).hook('preSubcommand', (_, chosen) => {
    command = chosen.name();
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return 0;
  } catch (error) {
    const { text, exitCode } = failureOf(error, { command, signal: context.signal });
    if (text !== '') context.stderr.write(text);
    return exitCode;
  }
}
