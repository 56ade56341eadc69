import { AppError, describeError } from '@lateen/errors';
import type { Command } from 'commander';
import { withBooleanFlag } from './boolean-flag.ts';
import type { CommandContext } from './command-context.ts';

/** Which objects to delete, as the command line states it (cli.md section 6). */
export interface DeleteFlags {
  all?: boolean;
  selector?: string;
  confirm?: boolean;
}

/** Adds the flags. @param nouns `backups` */
export function withDeleteFlags(command: Command, nouns: string): Command {
  command.option('-l, --selector <labels>', `all ${nouns} with these labels`);
  withBooleanFlag(command, '--all', `all ${nouns}`);
  return withBooleanFlag(command, '--confirm', 'do not ask');
}

/** Runs before any request to the cluster. @throws AppError BAD_FLAG when there is no terminal to ask on */
export function requireSomebodyToAsk({ ask }: CommandContext, { confirm }: DeleteFlags): void {
  if (confirm === true || ask !== undefined) return;
  throw new AppError('BAD_FLAG', 'deleting needs a confirmation, and there is no terminal to ask for it', {
    nextStep: 'Give --confirm to run without a question.',
  });
}

/** Lists the objects and asks for confirmation, unless a flag skips that. After a no it reports that nothing was deleted. */
export async function agreesToDelete(
  { ask, stderr }: CommandContext,
  { confirm }: DeleteFlags,
  wouldGo: () => Promise<readonly string[]> | readonly string[],
): Promise<boolean> {
  if (confirm === true) return true;
  for (const line of await wouldGo()) stderr.write(`${line}\n`);
  const answer = await ask?.('Are you sure you want to continue (Y/N)? ');
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return true;
  stderr.write('Nothing was deleted.\n');
  return false;
}

/**
 * Runs a step for several objects, one after the other; a failure does not stop the others. @throws AppError with all errors at
 * the end
 */
export async function eachOf<T>(
  things: readonly T[],
  signal: AbortSignal,
  act: (thing: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const thing of things) {
    try {
      await act(thing);
    } catch (error) {
      // The error is the interruption itself, or names what it left undone.
      if (signal.aborted) throw error;
      errors.push(error);
    }
  }
  const [first] = errors;
  if (errors.length > 1) throw new AppError('NOT_ALL_DONE', `[${errors.map(describeError).join(', ')}]`);
  if (first !== undefined) throw first;
}
