import { AppError } from '@lateen/errors';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { checkLines } from './say-result.ts';
import { repositoryTaskCommand } from './task-command.ts';

interface Flags {
  /** `true` without a value. */
  readData?: string | true;
}

const examples = `
Examples:
  lateen repo check shop-default-kopia
  lateen repo check shop-default-kopia --read-data=10
  lateen repo check shop-default-kopia --read-data -o json

Exit code 1 when something is damaged or could not be checked.`;

/** `lateen repo check NAME` */
export function repoCheckCommand(context: CommandContext): Command {
  return repositoryTaskCommand(context, 'check', {
    description: 'Check that a repository is whole: its structure, or also the data itself',
    examples,
    task: ({ readData }: Flags) => ({ operation: 'check', readDataPercent: parsePercent(readData) }),
    lines: checkLines,
    judge: (repository, { problemCount }) => {
      if (problemCount === 0) return;
      throw new AppError('REPOSITORY_DAMAGED', `repository ${repository} is damaged: ${problemCount} problems`, {
        nextStep:
          'Keep a copy of the bucket, then start backups into another location; restore what still can be read.',
      });
    },
  }).option(
    '--read-data [percent]',
    'also read this share of the stored data, as in --read-data=10, and compare it with its hashes (no number: all)',
  );
}

/** @throws AppError BAD_FLAG */
function parsePercent(given: string | true | undefined): number {
  if (given === undefined) return 0;
  if (given === true) return 100;
  const percent = /^\d{1,3}%?$/.test(given) ? Number.parseInt(given, 10) : 0;
  if (percent >= 1 && percent <= 100) return percent;
  throw new AppError('BAD_FLAG', `--read-data ${JSON.stringify(given)} is not a percentage`, {
    nextStep: 'Write a whole number from 1 to 100, as in --read-data=10.',
  });
}
