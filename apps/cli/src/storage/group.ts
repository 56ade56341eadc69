import { Command } from 'commander';

/** A group of commands below `lateen storage`. */
export function group(name: string, about: string, examples: readonly string[], commands: readonly Command[]): Command {
  const command = new Command(name).description(about);
  for (const each of commands) command.addCommand(each);
  return command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}
