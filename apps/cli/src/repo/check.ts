import { AppError } from '@lateen/errors';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parsePercent } from '../parse-percent.ts';
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
    task: ({ readData }: Flags) => ({ operation: 'check', readDataPercent: percentOf(readData) }),
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

function percentOf(given: string | true | undefined): number {
  if (given === undefined) return 0;
  return given === true ? 100 : parsePercent('--read-data', given);
}
