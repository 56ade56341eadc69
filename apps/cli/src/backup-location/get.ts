import { findLocations, locationNoun } from '@lateen/operations/backup-location';
import { selectionToShow } from '@lateen/operations/noun';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { locationNames } from '../completion/object-names.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { locationColumns } from './location-columns.ts';

type Flags = ListFlags & { selector?: string; default?: boolean };

const examples = `
Examples:
  lateen backup-location get
  lateen backup-location get offsite -o yaml
  lateen backup-location get --default -o name
  lateen backup-location get -l region=eu -o wide --show-labels`;

/** `lateen backup-location get [NAME…]` (cli.md section 8) */
export function backupLocationGetCommand(context: CommandContext, name = 'get'): Command {
  const command = new Command(name)
    .description('List backup storage locations, and whether they can be used')
    .addArgument(completedArgument('[name...]', 'names (default: all)', locationNames))
    .option('-l, --selector <labels>', 'only those with these labels');
  return withBooleanFlag(withListFlags(command), '--default', 'only the default one')
    .addHelpText(
      'after',
      examples.replaceAll('backup-location get', name === 'get' ? `backup-location ${name}` : `get ${name}`),
    )
    .action(async (words: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const print = listPrinter(locationColumns, flags);
      const selection = selectionToShow(locationNoun, { names: words, selector: flags.selector });
      const kube = await context.connect(global);
      const found = await findLocations(kube, global.namespace, selection, context.signal);
      const shown = flags.default === true ? found.filter(({ spec }) => spec.default === true) : found;
      if (shown.length === 0) context.stderr.write('No backup-locations found\n');
      context.stdout.write(print(shown, { asList: words.length !== 1 || shown.length !== 1 }));
    });
}
