import { createRestore, followRestore, restoreNoun } from '@lateen/operations/restore';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { examplesAs } from '../examples-as.ts';
import { type CreateFlags, createRun, withCreateFlags } from '../run/create-run.ts';
import { restoreColumns } from './restore-columns.ts';
import { type RestoreFlags, withRestoreFlags } from './spec/spec-flags.ts';
import { wantedRestore } from './wanted-restore.ts';

type Flags = RestoreFlags & CreateFlags;

const examples = `
Examples:
  lateen restore create --from-backup nightly-20260101020000 --wait
  lateen restore create --from-schedule nightly --include-namespaces shop --wait --exit-code
  lateen restore create shop-copy --from-backup shop --namespace-mappings shop:shop-copy
  lateen restore create --from-backup shop --existing-resource-policy update
  lateen restore create --from-backup shop --existing-volume-data-policy incremental --scale-workloads --wait
  lateen restore create --from-backup shop --existing-volumes shop/data=full,shop/logs=none
  lateen restore create --from-backup shop --wait-for-data=2h
  lateen restore create --from-backup shop -o yaml > restore.yaml

To see what a restore would do, without doing it: lateen restore plan

Exit codes: 0 when the restore is created and, with --wait, has ended, with any result; 1 when the command itself has failed.
With --wait --exit-code also: 3 when the restore is PartiallyFailed, 4 when it is Failed, FailedValidation or Canceled.`;

/** `lateen restore create [NAME]` (cli.md section 4) */
export function restoreCreateCommand(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
  name = 'create',
): Command {
  const command = new Command(name)
    .description('Restore objects and volumes of a backup')
    .argument('[name]', 'name of the restore (default: that of the backup or schedule, with the time)');
  return withCreateFlags(withRestoreFlags(command), 'restore')
    .addHelpText('after', examplesAs(examples, 'restore create', name))
    .action(async (text: string | undefined, flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const make = wantedRestore(text, global.namespace, flags, context);
      const connected = () => context.connect(global);
      const kind = { noun: restoreNoun, follow: followRestore, columns: restoreColumns, create: createRestore };
      await createRun(kind, make, flags, { ...context, env, connected });
    });
}
