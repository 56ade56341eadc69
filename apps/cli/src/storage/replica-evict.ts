import { changeObject, replicaNoun } from '@lateen/operations/storage';
import type { Replica } from '@lateen/storage-types';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { openStorage } from './open-storage.ts';
import { replicaNames } from './storage-names.ts';

/** `lateen storage replica evict NAME`: the replica is deleted after another one has been built elsewhere. */
export function replicaEvictCommand(context: CommandContext): Command {
  const command = new Command('evict')
    .description('Move a replica of a volume away: another one is built first, then this one is deleted')
    .addArgument(completedArgument('<name>', 'name of the replica', replicaNames));
  withBooleanFlag(command, '--cancel', 'let it stay where it is');
  return command
    .addHelpText(
      'after',
      '\nExamples:\n  lateen storage replica evict pvc-1-r-9c1e4b2a\n  lateen storage replica evict pvc-1-r-9c1e4b2a --cancel',
    )
    .action(async (name: string, { cancel = false }: { cancel?: boolean }, self: Command) => {
      const opened = await openStorage(context, self);
      const place = { ...opened, signal: context.signal };
      const { object, changed } = await changeObject<Replica>(place, replicaNoun, name, (replica) => {
        if ((replica.spec.evictionRequested ?? false) === !cancel) return undefined;
        return { ...replica, spec: { ...replica.spec, evictionRequested: !cancel } };
      });
      const said = `${cancel ? 'stays where it is' : 'is evicted'}${changed ? '' : ' already'}`;
      const next = cancel ? '' : `; how far that is: lateen storage volume describe ${object.spec.volumeName}`;
      context.stdout.write(`replica ${name} ${said}${next}\n`);
    });
}
