import { writePrivateFile } from '@lateen/child-process';
import { AppError, quoted } from '@lateen/errors';
import { parseBoolean } from '@lateen/kernel';
import { Command } from 'commander';
import {
  type ClientConfigFile,
  type ClientConfigKey,
  clientConfigFile,
  clientConfigKeys,
  readClientConfigFile,
} from '../client-config.ts';

const examples = `
Examples:
  lateen client config set namespace=backup
  lateen client config set cacert=/etc/ssl/store-ca.pem colorized=false
  lateen client config set features=                       # removes the setting`;

/**
 * `lateen client config set`. An empty value removes a key. Other keys stay, also unknown ones. The file has mode 0600 and is
 * replaced as a whole: on an error nothing is changed.
 */
export function clientConfigSetCommand(env: Readonly<Record<string, string | undefined>>): Command {
  return new Command('set')
    .description(`Change settings: ${clientConfigKeys.join(', ')}`)
    .argument('<key=value...>', 'settings; an empty value removes the setting')
    .addHelpText('after', examples)
    .action(async (pairs: readonly string[]) => {
      const path = clientConfigFile(env.HOME);
      const changes = pairs.map(parsedPair);
      const file = changes.reduce(changed, await readClientConfigFile(path));
      await writePrivateFile(path, `${JSON.stringify(file)}\n`);
    });
}

interface Change {
  key: ClientConfigKey;
  value: string;
}

/** @throws AppError BAD_ARGUMENT naming the pair */
function parsedPair(pair: string): Change {
  const equals = pair.indexOf('=');
  const key = clientConfigKeys.find((each) => each === pair.slice(0, equals));
  const value = pair.slice(equals + 1);
  const keys = `Write KEY=VALUE; the keys are ${clientConfigKeys.join(', ')}.`;
  if (equals < 1) throw badPair(`${quoted(pair)} is not of the form KEY=VALUE`, keys);
  if (key === undefined) throw badPair(`there is no setting ${quoted(pair.slice(0, equals))}`, keys);
  if (key === 'colorized' && value !== '' && parseBoolean(value) === undefined)
    throw badPair(`colorized ${quoted(value)} is not true or false`);
  return { key, value };
}

const badPair = (message: string, nextStep = 'Write true or false.'): AppError =>
  new AppError('BAD_ARGUMENT', message, { nextStep });

function changed(file: ClientConfigFile, { key, value }: Change): ClientConfigFile {
  const { [key]: _, ...others } = file;
  return value === '' ? others : { ...others, [key]: value };
}
