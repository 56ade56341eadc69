import type { Backup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  backupNoun,
  backupPhaseOf,
  followDeletions,
  type RequestedDeletion,
  requestDeletion,
} from '@lateen/operations/backup';
import { findObjects, selectionToChange } from '@lateen/operations/noun';
import { Command } from 'commander';
import { agreesToDelete, type DeleteFlags, eachOf, requireSomebodyToAsk, withDeleteFlags } from '../agree-to-delete.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { backupNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';

const examples = `
Examples:
  lateen backup delete nightly-20260101020000
  lateen backup delete nightly-20260101020000 --confirm --wait
  lateen backup delete -l velero.io/schedule-name=nightly
  lateen backup delete --all`;

/** `lateen backup delete [NAME…]` (cli.md section 6) */
export function backupDeleteCommand(context: CommandContext, name = 'delete'): Command {
  const command = new Command(name)
    .description('Delete backups with all that was stored for them: files, volume snapshots, and restores of them')
    .addArgument(completedArgument('[name...]', 'names', backupNames));
  withDeleteFlags(command, 'backups');
  return withBooleanFlag(command, '-w, --wait', 'until they are gone; fails with the reason when one cannot be deleted')
    .addHelpText('after', examplesAs(examples, 'backup delete', name))
    .action(async (names: string[], flags: DeleteFlags & { wait?: boolean }, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(backupNoun, { names, ...flags });
      requireSomebodyToAsk(context, flags);
      const { signal, stdout } = context;
      const kube = await context.connect(global);
      const backups = await findObjects(kube, backupNoun, global.namespace, selection, signal);
      if (backups.length === 0) {
        stdout.write('No backups found\n');
        return;
      }
      if (!(await agreesToDelete(context, flags, () => backups.map(described)))) return;
      const requested: RequestedDeletion[] = [];
      const requests = eachOf(backups, signal, async (backup) => {
        requested.push({ backup, request: await requestDeletion(kube, backup, signal) });
        stdout.write(requestedText(backup.metadata.name ?? ''));
      });
      if (flags.wait === true) await waitForAll(kube, requests, requested, context);
      else await requests;
    });
}

const described = (backup: Backup): string =>
  `${backup.metadata.name} (${backupPhaseOf(backup)}), with all that was stored for it`;

const requestedText = (name: string): string =>
  `Request to delete backup "${name}" submitted successfully.\nThe backup will be fully deleted after all associated data (disk snapshots, backup files, restores) are removed.\n`;

/** Waits for the deletions that were requested, also when other requests failed. */
async function waitForAll(
  kube: KubeApi,
  requests: Promise<void>,
  requested: readonly RequestedDeletion[],
  { clock, random, signal, stdout }: CommandContext,
): Promise<void> {
  const failed = await requests.then(
    () => [],
    (error: unknown) => [error],
  );
  const errors: unknown[] = [...failed];
  try {
    await followDeletions(
      { kube, clock, random },
      requested,
      ({ name, error }) => {
        if (error === undefined) stdout.write(`Backup "${name}" deleted.\n`);
        else errors.push(error);
      },
      signal,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'stopped waiting; the operation continues in the cluster', {
      nextStep: 'List what is left with: lateen backup get',
    });
  }
  await eachOf(errors, signal, (error) => Promise.reject(error));
}
