import { AppError } from '@lateen/errors';
import type { CommandContext } from './command-context.ts';

export interface Confirmation {
  /** Without "(y/N)". */
  question: string;
  /** What the answer decides, for the error without a terminal: `all this would be removed`. */
  would: string;
  /** The state after a no: `nothing was removed`. */
  undone: string;
}

/** Resolves when the user answers yes. @throws AppError BAD_FLAG when there is no terminal to ask on, NOT_CONFIRMED for a no */
export async function askToConfirm({ ask }: CommandContext, { question, would, undone }: Confirmation): Promise<void> {
  if (ask === undefined)
    throw new AppError('BAD_FLAG', `${would}, which needs a confirmation, and there is no terminal to ask for it`, {
      nextStep: 'Give --confirm to run without a question.',
    });
  const answer = await ask(`${question} (y/N) `);
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new AppError('NOT_CONFIRMED', undone, { nextStep: 'Answer y, or give --confirm.' });
}
