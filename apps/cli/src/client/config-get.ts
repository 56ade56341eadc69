import { plainLine } from '@lateen/errors';
import { Command } from 'commander';
import { clientConfigFile, clientConfigKeys, readClientConfigFile } from '../client-config.ts';
import type { CommandContext } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';

const examples = `
Examples:
  lateen client config get
  lateen client config get namespace cacert`;

/**
 * `lateen client config get`. Prints lines in Velero's form: `key: value`, sorted; `<NOT SET>` for a requested key without a
 * value.
 */
export function clientConfigGetCommand(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  return new Command('get')
    .description('Print settings: all that are set, or those that are named')
    .addArgument(completedArgument('[keys...]', clientConfigKeys.join(', '), clientConfigKeys))
    .addHelpText('after', examples)
    .action(async (keys: readonly string[]) => {
      const file = await readClientConfigFile(clientConfigFile(env.HOME));
      const printed = keys.length > 0 ? keys : Object.keys(file).sort();
      for (const key of printed) context.stdout.write(`${plainLine(key)}: ${valueText(file, key)}\n`);
    });
}

function valueText(file: Readonly<Record<string, unknown>>, key: string): string {
  if (!Object.hasOwn(file, key)) return '<NOT SET>';
  const value = file[key];
  return plainLine(typeof value === 'string' ? value : JSON.stringify(value));
}
