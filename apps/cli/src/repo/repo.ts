import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { repoChangePasswordCommand } from './change-password.ts';
import { repoCheckCommand } from './check.ts';
import { repoDescribeCommand } from './describe.ts';
import { repoGetCommand } from './get.ts';
import { repoMaintainCommand } from './maintain.ts';
import { repoUnlockCommand } from './unlock.ts';
import { repoUsageCommand } from './usage.ts';

const examples = `
Examples:
  lateen repo get
  lateen repo check shop-default-kopia
  lateen repo usage`;

/** `lateen repo …` */
export function repoCommand(context: CommandContext): Command {
  return new Command('repo')
    .description('Manage backup repositories: one per workload namespace and storage location')
    .addCommand(repoGetCommand(context))
    .addCommand(repoDescribeCommand(context))
    .addCommand(repoCheckCommand(context))
    .addCommand(repoUsageCommand(context))
    .addCommand(repoMaintainCommand(context))
    .addCommand(repoUnlockCommand(context))
    .addCommand(repoChangePasswordCommand(context))
    .addHelpText('after', examples);
}
