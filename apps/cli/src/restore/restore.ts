import { logsOfRestore } from '@lateen/operations/download';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { logsCommand } from '../download/logs-command.ts';

/** `lateen restore …` */
export function restoreCommand(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  return new Command('restore')
    .description('Look into restores')
    .addCommand(logsCommand({ noun: 'restore', find: logsOfRestore }, context, env))
    .addHelpText('after', '\nExamples:\n  lateen restore logs nightly-20260101020000');
}
