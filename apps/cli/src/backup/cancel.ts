import type { Backup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  backupHasEnded,
  backupNoun,
  backupPhaseOf,
  followBackup,
  requestBackupCancel,
} from '@lateen/operations/backup';
import { findObjects, selectionToChange } from '@lateen/operations/noun';
import { Command } from 'commander';
import { eachOf } from '../agree-to-delete.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import { cancelEach, confirmCancel } from '../cancel-each.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { runningBackupNames } from '../completion/object-names.ts';

interface Flags {
  all?: boolean;
  selector?: string;
  confirm?: boolean;
  wait?: boolean;
}

const examples = `
Examples:
  lateen backup cancel nightly-20260101020000
  lateen backup cancel nightly-20260101020000 --confirm --wait
  lateen backup cancel -l velero.io/schedule-name=nightly --confirm
  lateen backup cancel --all`;

/** `lateen backup cancel [NAME…]`; the reference has none yet (after-1.18.1.md 1C). */
export function backupCancelCommand(context: CommandContext): Command {
  const command = new Command('cancel')
    .description(
      'End backups that wait or run, and take back what they have stored; they are never a source of a restore',
    )
    .addArgument(completedArgument('[name...]', 'names', runningBackupNames))
    .option('-l, --selector <labels>', 'all with these labels that have not ended');
  withBooleanFlag(command, '--all', 'all that have not ended');
  withBooleanFlag(command, '--confirm', 'do not ask');
  return withBooleanFlag(command, '-w, --wait', 'until they have ended and everything of them is cleaned up')
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(backupNoun, { names, ...flags });
      const kube = await context.connect(global);
      const found = await findObjects(kube, backupNoun, global.namespace, selection, context.signal);
      const running = found.filter((backup) => !backupHasEnded(backup));
      if (names.length > 0)
        for (const backup of found.filter(backupHasEnded))
          say(context, backup, `has ended already: ${backupPhaseOf(backup)}`);
      if (running.length === 0) {
        if (names.length === 0) context.stderr.write('No backup runs or waits that could be canceled.\n');
        return;
      }
      const show = (backup: Backup) => context.stderr.write(`${backup.metadata.name} (${backupPhaseOf(backup)})\n`);
      await confirmCancel(running, flags, show, context);
      const request = (backup: Backup) => requestBackupCancel(kube, backup, context.signal);
      const asked = await cancelEach(running, request, (backup, what) => say(context, backup, what));
      await eachOf(asked, context.signal, async (canceled) => {
        if (flags.wait === true) await waitFor(kube, canceled, context);
      });
    });
}

/** @throws AppError BACKUP_NOT_CANCELED when it has ended otherwise; INTERRUPTED */
async function waitFor(kube: KubeApi, canceled: Backup, context: CommandContext): Promise<void> {
  const { clock, random, signal } = context;
  try {
    const { backup } = await followBackup({ kube, clock, random }, canceled, () => {}, signal);
    const phase = backupPhaseOf(backup);
    say(context, backup, phase);
    if (phase !== 'Canceled')
      throw new AppError(
        'BACKUP_NOT_CANCELED',
        `backup "${backup.metadata.name}" has ended before it was canceled: ${phase}`,
      );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'stopped waiting; what was canceled ends by itself');
  }
}

function say({ stdout }: CommandContext, { metadata }: Backup, what: string): void {
  stdout.write(`backup/${metadata.name} ${what}\n`);
}
