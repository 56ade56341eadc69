import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { maintainLine } from './say-result.ts';
import { repositoryTaskCommand } from './task-command.ts';

const examples = `
Examples:
  lateen repo maintain shop-default-kopia
  lateen repo maintain shop-default-kopia --full

Full maintenance deletes what no snapshot needs, once it is old enough: space comes back a day or more after snapshots
were deleted.`;

/** `lateen repo maintain NAME` */
export function repoMaintainCommand(context: CommandContext): Command {
  return repositoryTaskCommand(context, 'maintain', {
    description: 'Maintain a repository now, whatever its schedule says',
    examples,
    task: ({ full }: { full?: boolean }) => ({ operation: 'maintain', mode: full === true ? 'full' : 'quick' }),
    lines: (...of) => [maintainLine(...of)],
  }).option('--full', 'full maintenance: also look for data that no snapshot needs');
}
