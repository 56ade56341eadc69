import { findObjects, selectionToShow } from '@lateen/operations/noun';
import {
  type ExplainedVolume,
  explainVolume,
  findSurroundings,
  inspectVolume,
  volumeNoun,
} from '@lateen/operations/storage';
import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { parseValueFormat, printValue, valueFormats } from '../../output/print-value.ts';
import { badFlag } from '../../refuse-flag.ts';
import { openStorage } from '../open-storage.ts';
import { volumeNames } from '../storage-names.ts';
import { describeVolume, volumeAsJson } from './describe-volume.ts';
import { watchDescription } from './watch-description.ts';

const examples = `
Examples:
  lateen storage volume describe pvc-1
  lateen storage volume describe pvc-1 -o json
  lateen storage volume describe pvc-1 --watch        # rebuilds as they run; Ctrl-C ends it
  lateen storage volume describe -l team=shop`;

interface Flags {
  selector?: string;
  output: string;
  watch?: boolean;
}

/** `lateen storage volume describe [NAME…]` */
export function storageVolumeDescribeCommand(context: CommandContext): Command {
  return new Command('describe')
    .description('Describe volumes: why one is degraded or waits, each replica, attachments, what takes space')
    .addArgument(completedArgument('[name...]', 'names (default: all)', volumeNames))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .option('--watch', 'one volume as it changes, until Ctrl-C')
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, self: Command) => {
      const format = parseValueFormat(flags.output);
      const selection = selectionToShow(volumeNoun, { names, selector: flags.selector });
      if (flags.watch === true && (names.length !== 1 || format !== 'table'))
        throw badFlag('--watch shows one volume as text', 'Give one name and no --output.');
      const { signal, stderr, stdout, clock } = context;
      const { kube, namespace } = await openStorage(context, self);
      const volumes = await findObjects(kube, volumeNoun, namespace, selection, signal);
      if (volumes.length === 0) stderr.write('No volumes found\n');
      const [only] = volumes;
      if (flags.watch === true && only !== undefined) {
        await watchDescription(kube, only, context);
        return;
      }
      const surroundings = await findSurroundings(kube, namespace, signal);
      const explained: ExplainedVolume[] = [];
      for (const volume of volumes)
        explained.push(explainVolume(await inspectVolume(kube, volume, surroundings, signal), clock.now()));
      if (format === 'table') stdout.write(explained.map(describeVolume).join('\n\n'));
      else
        stdout.write(
          printValue(
            format,
            [],
            names.length === 1 ? volumeAsJson(explained[0] as ExplainedVolume) : explained.map(volumeAsJson),
          ),
        );
    });
}
