import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { unlockLine } from './say-result.ts';
import { repositoryTaskCommand } from './task-command.ts';

const examples = `
Examples:
  lateen repo unlock shop-default-restic

Only locks of ended processes are removed: running work keeps its locks.`;

/** `lateen repo unlock NAME` */
export function repoUnlockCommand(context: CommandContext): Command {
  return repositoryTaskCommand(context, 'unlock', {
    description: 'Remove locks that programs left behind in a restic repository when they were killed',
    examples,
    task: () => ({ operation: 'unlock' }),
    lines: (repository, result) => [unlockLine(repository, result)],
  });
}
