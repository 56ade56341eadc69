import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { repoGetCommand } from './repo-get.ts';

/** `lateen repo …` */
export function repoCommand(context: CommandContext): Command {
  return new Command('repo')
    .description('Look after the backup repositories: one per workload namespace and storage location')
    .addCommand(repoGetCommand(context));
}
