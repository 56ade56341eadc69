import {
  findMovements,
  hasEnded,
  isOfVolume,
  type Movement,
  movementRow,
  parseAnyVolume,
} from '@lateen/operations/volume';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { anyVolumeNames } from '../completion/volume-names.ts';
import { usesColor } from '../output/phase-color.ts';
import { parseTableFormat, printObjects, tableFormats } from '../output/print-object.ts';
import { movementTable } from './movement-table.ts';
import { movementOrder, sortKeys } from './sort-movements.ts';
import { watchList } from './watch-list.ts';

interface Flags {
  output: string;
  selector?: string;
  volume?: string;
  running?: boolean;
  sortBy: string;
  watch?: boolean;
}

const examples = `
Examples:
  lateen volume list
  lateen volume list --running --watch
  lateen volume list --volume shop/data -o wide
  lateen volume list --volume shop/web-0:data
  lateen volume list -l velero.io/backup-name=nightly --sort-by phase
  lateen volume list -o name --running | xargs -r lateen volume cancel --confirm`;

/** `lateen volume list` */
export function volumeListCommand(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  return new Command('list')
    .alias('get')
    .description(
      'List uploads and downloads of volumes, volumes of pods too, with progress, rate and time left of those that run',
    )
    .addOption(completedOption('-o, --output <format>', tableFormats.join(', '), tableFormats).default('table'))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(
      completedOption(
        '--volume <namespace/pvc>',
        'only those of this volume; namespace/pod:volume for one of a pod',
        anyVolumeNames,
      ),
    )
    .option('--running', 'only those that have not ended')
    .addOption(completedOption('--sort-by <key>', sortKeys.join(', '), sortKeys).default('age'))
    .option('-w, --watch', 'keep running and show changes until Ctrl-C')
    .addHelpText('after', examples)
    .action(async (flags: Flags, command: Command) => {
      const { namespace, ...global } = command.optsWithGlobals<GlobalOptions>();
      const format = parseTableFormat(flags.output);
      const order = movementOrder(flags.sortBy);
      const isSelected = selectionOf(flags);
      const options = { wide: format === 'wide', color: usesColor(context.stdout, env) };
      const table = (movements: readonly Movement[]): string[] => {
        const nowMs = context.clock.now();
        return movementTable(movements.map((each) => movementRow(each, nowMs)).sort(order), options);
      };
      const kube = await context.connect({ namespace, ...global });
      // This runs also before a watch, so that a problem with the connection or the permissions is reported at once.
      const found = await findMovements(kube, namespace, { labelSelector: flags.selector }, context.signal);
      if (flags.watch === true)
        return await watchList(kube, context, { format, namespace, labelSelector: flags.selector, isSelected, table });
      const movements = found.filter(isSelected);
      context.stdout.write(
        format === 'table' || format === 'wide'
          ? `${table(movements).join('\n')}\n`
          : printObjects(sorted(movements, order, context.clock.now()), format, true),
      );
    });
}

function selectionOf({ volume, running }: Flags): (movement: Movement) => boolean {
  if (volume !== undefined) parseAnyVolume(volume);
  return (movement) =>
    (volume === undefined || isOfVolume(movement, volume)) && (running !== true || !hasEnded(movement));
}

function sorted(movements: readonly Movement[], order: ReturnType<typeof movementOrder>, nowMs: number): Movement[] {
  return movements
    .map((movement) => ({ movement, row: movementRow(movement, nowMs) }))
    .sort((a, b) => order(a.row, b.row))
    .map(({ movement }) => movement);
}
