import { findObject, parseObjectName } from '@lateen/operations/noun';
import { type RollBackStep, restoreNoun, rollBackRestore } from '@lateen/operations/restore';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { restoreNames } from '../completion/object-names.ts';
import { askToConfirm } from '../confirm.ts';

const examples = `
Examples:
  lateen restore rollback shop-20260101020000
  lateen restore rollback shop-20260101020000 --confirm

Only volumes that were there before the restore and that it wrote into (--existing-volume-data-policy, --existing-volumes) are rolled back, each
to the snapshot that was taken of it then; other objects stay as they are. The restore must have ended, and no pod may use the volumes.
The snapshots are deleted with the Restore.`;

/** `lateen restore rollback NAME`; Velero has no such command. */
export function restoreRollbackCommand(context: CommandContext): Command {
  const command = new Command('rollback')
    .description('Restore the data that volumes had before a restore wrote into them')
    .addArgument(completedArgument('<name>', 'the restore', restoreNames));
  return withBooleanFlag(command, '--confirm', 'do not ask')
    .addHelpText('after', examples)
    .action(async (text: string, flags: { confirm?: boolean }, self: Command) => {
      const { namespace, ...global } = self.optsWithGlobals<GlobalOptions>();
      const name = parseObjectName(restoreNoun, text);
      const { clock, random, signal, stdout } = context;
      const kube = await context.connect({ ...global, namespace });
      const restore = await findObject(kube, restoreNoun, { namespace, name }, signal);
      if (flags.confirm !== true)
        await askToConfirm(context, {
          question: `Roll back the volumes that restore "${name}" wrote into? What they have now is lost.`,
          would: 'volumes would be created again from their snapshots',
          undone: 'nothing was rolled back',
        });
      const onStep = (step: RollBackStep) => stdout.write(`${stepText(step)}\n`);
      await rollBackRestore({ kube, clock, random }, restore, onStep, signal);
      stdout.write(`Restore "${name}" is rolled back.\n`);
    });
}

const stepText = ({ kind, claim, snapshot }: RollBackStep): string =>
  kind === 'replacing'
    ? `persistentvolumeclaim ${claim} is created again from VolumeSnapshot ${snapshot}`
    : `persistentvolumeclaim ${claim} is that of VolumeSnapshot ${snapshot} already`;
