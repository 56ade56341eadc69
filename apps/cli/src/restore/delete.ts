import type { Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { findObjects, selectionToChange } from '@lateen/operations/noun';
import { deleteRestore, restoreNoun, restorePhaseOf, untilRestoreGone } from '@lateen/operations/restore';
import { Command } from 'commander';
import { agreesToDelete, type DeleteFlags, eachOf, requireSomebodyToAsk, withDeleteFlags } from '../agree-to-delete.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { restoreNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';

const examples = `
Examples:
  lateen restore delete shop-20260101020000
  lateen restore delete shop-20260101020000 --confirm --wait
  lateen restore delete -l team=shop
  lateen restore delete --all`;

/** `lateen restore delete [NAME…]` (cli.md section 6) */
export function restoreDeleteCommand(context: CommandContext, name = 'delete'): Command {
  const command = new Command(name)
    .description('Delete restores with their logs and results; what they have restored stays')
    .addArgument(completedArgument('[name...]', 'names', restoreNames));
  withDeleteFlags(command, 'restores');
  return withBooleanFlag(command, '-w, --wait', 'until they are gone, with their files')
    .addHelpText('after', examplesAs(examples, 'restore delete', name))
    .action(async (names: string[], flags: DeleteFlags & { wait?: boolean }, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(restoreNoun, { names, ...flags });
      requireSomebodyToAsk(context, flags);
      const { signal, stdout } = context;
      const kube = await context.connect(global);
      const restores = await findObjects(kube, restoreNoun, global.namespace, selection, signal);
      if (restores.length === 0) {
        stdout.write('No restores found\n');
        return;
      }
      const described = (restore: Restore) => `${restore.metadata.name} (${restorePhaseOf(restore)})`;
      if (!(await agreesToDelete(context, flags, () => restores.map(described)))) return;
      const requested: Restore[] = [];
      // Waits for the deletions that were requested, also when other requests failed.
      try {
        await eachOf(restores, signal, async (restore) => {
          await deleteRestore(kube, restore, signal);
          requested.push(restore);
          stdout.write(requestedText(restore.metadata.name ?? ''));
        });
      } finally {
        if (flags.wait === true) await waitForAll(kube, requested, context);
      }
    });
}

const requestedText = (name: string): string =>
  `Request to delete restore "${name}" submitted successfully.\nThe restore will be fully deleted after all associated data (restore files in object storage) are removed.\n`;

async function waitForAll(kube: KubeApi, restores: readonly Restore[], context: CommandContext): Promise<void> {
  const { clock, random, signal, stdout } = context;
  try {
    await Promise.all(
      restores.map(async (restore) => {
        await untilRestoreGone({ kube, clock, random }, restore, signal);
        stdout.write(`Restore "${restore.metadata.name}" deleted.\n`);
      }),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'stopped waiting; the operation continues in the cluster', {
      nextStep: 'List what is left with: lateen restore get',
    });
  }
}
