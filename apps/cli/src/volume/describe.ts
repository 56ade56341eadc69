import { eventType, podType } from '@lateen/api-types';
import { type KubeApi, listAll, readObject } from '@lateen/kube';
import { findMovements, type Movement, phaseOf } from '@lateen/operations/volume';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { allMovements } from '../completion/volume-names.ts';
import { coloredPhase, usesColor } from '../output/phase-color.ts';
import { parseValueFormat, printValue, valueFormats } from '../output/print-value.ts';
import { type Described, describeMovement, movementAsJson } from './describe-movement.ts';

const examples = `
Examples:
  lateen volume describe data-x7k2p
  lateen volume describe download/data-x7k2p
  lateen volume describe pvb/nightly-9fh4q
  lateen volume describe -l velero.io/backup-name=nightly
  lateen volume describe download/data-x7k2p -o json`;

interface Flags {
  selector?: string;
  output: string;
}

/** `lateen volume describe [NAME…]` */
export function volumeDescribeCommand(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  return new Command('describe')
    .description('Describe movements of volumes: times, rates, what limits them, attempts, pod, cause, Events')
    .addArgument(
      completedArgument('[name...]', 'names, as "lateen volume list" shows them (default: all)', allMovements),
    )
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const kube = await context.connect(global);
      const selection = { names, labelSelector: flags.selector };
      const movements = await findMovements(kube, global.namespace, selection, context.signal);
      if (movements.length === 0) context.stderr.write('No volume is or was moved.\n');
      const values: Record<string, unknown>[] = [];
      const color = usesColor(context.stdout, env);
      for (const [at, movement] of movements.entries()) {
        const described = await describedOf(kube, movement, context.signal);
        if (format !== 'table') {
          values.push(movementAsJson(described, context.clock.now()));
          continue;
        }
        const lines = describeMovement(described, context.clock.now(), coloredPhase(phaseOf(movement), color));
        context.stdout.write(`${at === 0 ? '' : '\n\n'}${lines.join('\n')}\n`);
      }
      if (format !== 'table') context.stdout.write(printValue(format, [], names.length === 1 ? values[0] : values));
    });
}

/** The data mover's pod has the name of its movement. */
async function describedOf(kube: KubeApi, movement: Movement, signal: AbortSignal): Promise<Described> {
  const { namespace = '', name = '', uid = '' } = movement.metadata;
  const [pod, events] = await Promise.all([
    readObject(kube, podType, { namespace, name }, signal),
    listAll(kube, eventType, { namespace, fieldSelector: `involvedObject.uid=${uid}`, signal }),
  ]);
  const isOurs = pod?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  return { movement, pod: isOurs ? pod : undefined, events: events.items };
}
