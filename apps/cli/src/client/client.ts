import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { clientConfigGetCommand } from './config-get.ts';
import { clientConfigSetCommand } from './config-set.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `lateen client config …` (docs/reference/cli.md section 2). */
export function clientCommand(context: CommandContext, env: Environment): Command {
  const config = new Command('config')
    .description('Show and change the settings of this command line, in ~/.config/velero/config.json')
    .addCommand(clientConfigGetCommand(context, env))
    .addCommand(clientConfigSetCommand(env))
    .addHelpText('after', '\nExamples:\n  lateen client config get\n  lateen client config set namespace=backup');
  return new Command('client')
    .description('Settings of this command line')
    .addCommand(config)
    .addHelpText('after', '\nExamples:\n  lateen client config get\n  lateen client config set colorized=false');
}
