import type { ChildExit } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { lastWords } from './last-words.ts';

export const programEndedCode = 'PLUGIN_PROGRAM_ENDED';

/**
 * A process that ended by itself, or was ended by us for `reason`. Its last words are the cause.
 * @param reason why we ended it: `it used 600 MiB of memory, its limit is 512 MiB`
 */
export function endedError(program: string, exit: ChildExit, reason?: string): AppError {
  const how = exit.endedBy === undefined ? `exit code ${exit.exitCode}` : `signal ${exit.endedBy}`;
  const words = lastWords(exit.stderr);
  return new AppError(programEndedCode, `plugin program ${program} ended (${reason ?? how})`, {
    retry: 'soon',
    ...(words === undefined ? {} : { cause: new Error(words) }),
  });
}
